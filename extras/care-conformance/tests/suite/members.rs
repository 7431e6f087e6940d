//! The document, the journal and the answers have the same members of every kind of record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use care_conformance::samples;
use care_core::{
    keys::KeyRing,
    model::{KeyRecord, Scopes},
    rest::Api,
    service::CareService,
    store::{Change, Journal, MemoryStore, Record, RecordKind},
};
use futures_executor::block_on;
use http::Request;
use serde_json::Value;

const PATIENT: i64 = 7;
const NUMBER: i64 = 1;
const KEY: &str = "members";

type Members = BTreeSet<String>;

/// Returns forms of a kind of record, among which every field has a value.
fn forms(kind: RecordKind) -> Vec<Record> {
    let medicine = samples::medicine("sampleol");
    let owned = samples::of_person(PATIENT, NUMBER).into_iter();
    let owned: Vec<_> = owned.filter(|record| RecordKind::of_record(record) == kind).collect();
    match kind {
        RecordKind::Item => samples::item_forms(&medicine).into_iter().map(Into::into).collect(),
        RecordKind::Stock => samples::stock_forms(&medicine).into_iter().map(Into::into).collect(),
        RecordKind::OpenLot => samples::open_lots(&medicine).into_iter().take(2).map(Into::into).collect(),
        RecordKind::Key => samples::api_key_forms().iter().map(KeyRecord::from).map(Into::into).collect(),
        _ => owned,
    }
}

/// Returns the path that answers the sample, whether it is a list, and the name of the path in the document; `None`
/// for what no answer shows.
fn answer(kind: RecordKind) -> Option<(String, &'static str)> {
    Some(match kind {
        RecordKind::Patient => (format!("/patient/{PATIENT}"), "/patient/{patientId}"),
        RecordKind::History => (format!("/history/{PATIENT}"), "/history/{patientId}"),
        RecordKind::Consultation => (format!("/consultations/{NUMBER}"), "/consultations/{consultationId}"),
        RecordKind::Prescription => ("/prescriptions".to_owned(), "/prescriptions"),
        RecordKind::Invoice => ("/invoice".to_owned(), "/invoice"),
        RecordKind::Item => ("/inventory/sampleol".to_owned(), "/inventory/{medicine}"),
        RecordKind::Stock => ("/inventory/sampleol/stock".to_owned(), "/inventory/{medicine}/stock"),
        RecordKind::Movement => (format!("/movements/{NUMBER}"), "/movements/{movementId}"),
        RecordKind::Receipt => (format!("/receipts/{NUMBER}"), "/receipts/{receiptId}"),
        // The journal alone shows what was said of keys.
        RecordKind::Key => return None,
        RecordKind::Voided
        | RecordKind::Diagnosis
        | RecordKind::Demand
        | RecordKind::RegularDemand
        | RecordKind::OpenLot
        | RecordKind::StockDay
        | RecordKind::Dispensing
        | RecordKind::Takings
        | RecordKind::Counter
        | RecordKind::Reply => return None,
    })
}

fn get(api: &Api, path: &str) -> Value {
    let request = Request::get(format!("{}{path}", api.base_path()))
        .header("api_key", KEY)
        .body(Bytes::new())
        .expect("a request");
    let answer = block_on(api.handle(request));
    assert_eq!(answer.status(), 200, "{path}: {answer:?}");
    serde_json::from_slice(answer.body()).expect("JSON")
}

fn members(record: &Value) -> Members {
    record.as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default()
}

/// Returns the records of a document, which may be a page of them.
fn records(document: &Value) -> Vec<&Value> {
    document["items"].as_array().map_or_else(|| vec![document], |items| items.iter().collect())
}

/// Returns the target of a reference, and any other node itself.
fn resolve<'d>(document: &'d Value, node: &'d Value) -> &'d Value {
    match node["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
        Some(target) => document.pointer(target).expect("a component"),
        None => node,
    }
}

/// Returns the members that the document gives the answer to a GET, or one record of its page.
fn promised(document: &Value, path: &str) -> Members {
    let response = resolve(document, &document["paths"][path]["get"]["responses"]["200"]);
    let answer = resolve(document, &response["content"]["application/json"]["schema"]);
    let item = &answer["properties"]["items"]["items"];
    members(&resolve(document, if item.is_null() { answer } else { item })["properties"])
}

#[test]
fn every_kind_has_its_members_in_the_document_the_journal_and_the_answers() {
    let store = Arc::new(MemoryStore::new());
    let keys = KeyRing::new().with_key(KEY, "suite", Scopes::ALL);
    let api = Api::new(CareService::new(Arc::clone(&store))).with_keys(keys);
    let document: Value = serde_json::from_str(&api.openapi()).expect("the document");
    let mut answered: BTreeMap<RecordKind, Members> = BTreeMap::new();
    let mut stored: BTreeMap<RecordKind, Members> = BTreeMap::new();
    let all: Vec<_> = RecordKind::ALL.iter().map(|kind| (*kind, forms(*kind))).collect();
    for round in 0..all.iter().map(|(_, forms)| forms.len()).max().unwrap_or_default() {
        // One entry has all of them: a consultation shows its diseases only in the entry that records them.
        let put: Vec<_> = all.iter().filter_map(|(_, forms)| forms.get(round).or(forms.last())).collect();
        for record in &put {
            let value = serde_json::to_value(record).expect("a record");
            stored.entry(RecordKind::of_record(record)).or_default().extend(members(&value));
        }
        let changes: Vec<_> = put.into_iter().cloned().map(Change::Put).collect();
        let decision = move |_: &_| Ok(changes.clone().into());
        block_on(store.transact(samples::act(), Box::new(decision))).expect("the samples are taken");
        for kind in RecordKind::ALL {
            if let Some((path, _)) = answer(*kind) {
                let answer = get(&api, &path);
                records(&answer).into_iter().for_each(|record| {
                    answered.entry(*kind).or_default().extend(members(record));
                });
            }
        }
    }

    let journal = get(&api, "/journal?limit=500");
    let shown = |name: &str| -> Members {
        let entries = journal["items"].as_array().expect("entries").iter();
        let changes = entries.flat_map(|entry| entry["changes"].as_array().expect("changes"));
        changes.filter(|change| change["record"] == name).flat_map(|change| members(&change["value"])).collect()
    };
    let forms = document["components"]["schemas"]["JournalChange"]["properties"]["value"]["anyOf"].as_array();
    let forms = forms.expect("the forms of records in the journal");
    let kinds = RecordKind::ALL.iter().filter_map(|kind| Some((*kind, kind.journaled()?)));
    let kinds: Vec<_> = kinds.collect();
    assert_eq!(kinds.len(), forms.len());
    for ((kind, name), form) in kinds.into_iter().zip(forms) {
        let shown = shown(name);
        assert_eq!(shown, members(&resolve(&document, form)["properties"]), "{kind}: in the journal, and its document");
        let Some((_, path)) = answer(kind) else { continue };
        let (answered, stored) = (&answered[&kind], &stored[&kind]);
        assert_eq!(*answered, promised(&document, path), "{kind}: in the answer, and its document");
        let hidden: Vec<_> = answered.intersection(stored).filter(|member| !shown.contains(*member)).collect();
        // The movements tell the units of a stock.
        let told: &[&str] = if kind == RecordKind::Stock { &["onHand"] } else { &[] };
        assert_eq!(hidden, told, "{kind}: stored and answered, and not in the journal");
    }
}
