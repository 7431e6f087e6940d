//! Everything about a patient.

use care_core::{
    service::ExpectedVersion,
    store::{Limit, RecordKey, Seq},
};
use futures_executor::block_on;

use crate::clinic::{all, ask, bundle, clinic, link, name, refused, send};

const ALL: [&str; 15] = [
    "Patient/1",
    "Observation/1-age",
    "Observation/1-weight",
    "Encounter/1",
    "Condition/1-1",
    "Condition/1-2",
    "Encounter/2",
    "Condition/2-1",
    "MedicationRequest/1",
    "MedicationRequest/2",
    "MedicationRequest/3",
    "MedicationDispense/2",
    "Invoice/1",
    "Invoice/2",
    "Invoice/3",
];

#[test]
fn it_comes_in_order_whatever_the_pages() {
    let (_, api) = clinic();
    let whole = all(&api, "Patient/1/$everything");
    assert_eq!(whole.iter().map(name).collect::<Vec<_>>(), ALL);
    for count in 1..=15 {
        let path = format!("Patient/1/$everything?_count={count}");
        assert_eq!(all(&api, &path), whole, "{count}");
        assert_eq!(link(&bundle(&api, &path), "next").is_some(), count < 15);
    }
    let bare = all(&api, "Patient/2/%24everything");
    assert_eq!(bare.iter().map(name).collect::<Vec<_>>(), ["Patient/2", "Observation/2-age", "Observation/2-weight"]);
}

#[test]
fn types_can_be_chosen() {
    let (_, api) = clinic();
    for types in ["Condition", "Encounter", "Invoice,Patient", "MedicationDispense,Condition,Observation"] {
        let kept = ALL.iter().filter(|name| types.split(',').any(|kind| name.starts_with(&format!("{kind}/"))));
        let kept: Vec<_> = kept.copied().collect();
        for path in [
            format!("Patient/1/$everything?_type={types}&_count=1"),
            format!("Patient/1/$everything?_type={}", types.replace(',', "&_type=")),
        ] {
            assert_eq!(all(&api, &path).iter().map(name).collect::<Vec<_>>(), kept, "{path}");
        }
    }
    for types in ["Medication", "patient", "", "Patient,Coverage", "Patient,"] {
        let refusal = (400, "not-supported".to_owned(), Some("_type".to_owned()));
        assert_eq!(refused(&api, &format!("Patient/1/$everything?_type={types}")), refusal, "{types}");
    }
    assert_eq!(refused(&api, "Patient/1/$everything?start=2020-01-01").2.as_deref(), Some("start"));
    let next = link(&bundle(&api, "Patient/1/$everything?_type=Invoice&_count=1"), "next").unwrap();
    let cursor = next.split("_cursor=").nth(1).unwrap();
    assert_eq!(refused(&api, &format!("Patient/1/$everything?_cursor={cursor}")).2.as_deref(), Some("_cursor"));
}

#[test]
fn it_needs_all_scopes_and_never_gets_thinner() {
    let (care, api) = clinic();
    for scope in ["patient:read", "history:read", "prescriptions:read", "invoice:read"] {
        let path = "Patient/1/$everything?_type=Patient";
        assert_eq!(send(&api, path, &[("api_key", &format!("no {scope}"))]).status(), 403, "{scope}");
    }
    assert_eq!(send(&api, "Patient/1/$everything", &[("api_key", "no inventory:read")]).status(), 200);
    assert_eq!(refused(&api, "Patient/9/$everything").0, 404);
    assert_eq!(refused(&api, "Encounter/1/$everything").0, 404);
    block_on(care.void_patient(2.try_into().unwrap(), ExpectedVersion::Any)).unwrap();
    assert_eq!(refused(&api, "Patient/2/$everything?_type=Invoice").0, 410);
}

#[test]
fn one_entry_of_the_journal_names_what_a_page_shows() {
    let (care, api) = clinic();
    let api = api.with_read_audit();
    let journal = || block_on(care.store().journal(Seq::ZERO, Limit::ALL)).unwrap().items;
    let so_far = journal().len();
    assert_eq!(ask(&api, "Patient/1/$everything?_count=5", "").status(), 200);
    let noted = journal().split_off(so_far);
    let [entry] = noted.as_slice() else { panic!("{noted:?}") };
    let reads = [RecordKey::Patient(1.try_into().unwrap()), RecordKey::Consultation(1.try_into().unwrap())];
    assert_eq!((&*entry.operation, entry.reads.as_slice()), ("fhirEverything", &reads[..]));
}
