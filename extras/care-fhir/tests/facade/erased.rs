//! The facade after an erasure, of whatever kind the records were.

use std::sync::Arc;

use care_conformance::samples::{self, CANARY};
use care_core::{CareService, MemoryStore, service::ExpectedVersion, store::Change};
use futures_executor::block_on;
use serde_json::Value;

use crate::clinic::{api, ask};

#[test]
fn nothing_of_an_erased_person_is_in_any_answer() {
    let store = Arc::new(MemoryStore::new());
    let records: Vec<_> = samples::of_person(7, 1).into_iter().chain(samples::of_person(8, 2)).collect();
    for record in records {
        let put = move |_: &_| Ok(vec![Change::Put(record.clone())].into());
        block_on(care_core::store::Journal::transact(&store, samples::act(), Box::new(put))).unwrap();
    }
    let care = CareService::new(Arc::clone(&store));
    let api = api(care.clone());
    let statement: Value = serde_json::from_slice(ask(&api, "metadata", "").body()).unwrap();
    let types = statement["rest"][0]["resource"].as_array().unwrap().iter();
    let types: Vec<_> = types.map(|resource| resource["type"].as_str().unwrap().to_owned()).collect();
    let paths = types.iter().flat_map(|name| {
        let ids = ["1", "7", "N-allergies", "7-allergies"].into_iter();
        let reads = ids.flat_map(move |id| [format!("{name}/{id}"), format!("{name}/{id}/_history")]);
        [format!("{name}?patient=7"), format!("{name}?_id=7"), format!("{name}?_count=50")].into_iter().chain(reads)
    });
    let paths: Vec<_> = paths.chain(["Patient/7/$everything".to_owned()]).collect();
    let person = format!("{CANARY}-7-");
    let shown = || {
        let answers = paths.iter().map(|path| ask(&api, path, ""));
        let texts = answers.map(|answer| String::from_utf8_lossy(answer.body()).into_owned());
        paths.iter().zip(texts).filter(|(_, text)| text.contains(&person)).map(|(path, _)| path.clone()).collect()
    };
    let before: Vec<String> = shown();
    assert!(before.contains(&"Patient/7".to_owned()), "{before:?}");
    let patient = samples::patient_id(7);
    block_on(care.void_patient(patient, ExpectedVersion::Any)).unwrap();
    block_on(care.erase_patient(patient)).unwrap();
    let after: Vec<String> = shown();
    assert_eq!(after, [""; 0]);
}
