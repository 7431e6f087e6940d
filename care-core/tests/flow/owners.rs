//! The owners of records, of every kind that has one.

use std::collections::BTreeSet;

use care_core::{
    error::{Error, StoreErrorKind},
    model::{Consultation, ConsultationId, ConsultationState, Diagnosis, Disease},
    operation::Operation,
    service::ExpectedVersion,
    store::{Act, Change, Deciding, Entry, Limit, Owner, Query, RecordKind, Revision, Seq},
};
use futures_executor::block_on;
use serde_json::{Value, json};

use crate::{
    auditing::busy_clinic,
    clinic::Clinic,
    edits::{audited, linked},
};

/// A number that no patient and no invoice has.
const NOBODY: i64 = 999_999;

/// Returns the revision with another owner, where it puts a record of the kind that has one.
fn of_nobody(revision: &Revision, kind: RecordKind, Owner { column, .. }: Owner) -> Option<Revision> {
    let mut parts = column.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    let member = parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..]);
    let mut put = serde_json::to_value(revision).unwrap();
    let before =
        put["value"].get(&member).and_then(Value::as_i64).filter(|_| revision.change.kind() == kind_name(kind))?;
    put["value"][&member] = json!(NOBODY);
    if put["id"].as_str() == Some(&before.to_string()) && kind.table().key[0].name == column {
        put["id"] = json!(NOBODY.to_string());
    }
    serde_json::from_value(put).ok()
}

fn kind_name(kind: RecordKind) -> &'static str {
    RecordKind::NAMES[kind as usize]
}

#[test]
fn no_record_of_any_kind_is_there_without_its_owner() {
    let clinic = busy_clinic();
    clinic.track("Zinc");
    clinic.paid(clinic.patient(), "Zinc");
    let journal = clinic.journal();
    assert_eq!(audited(journal.clone()), format!("{} sound entries", journal.len()));
    let owned = RecordKind::ALL.iter().filter_map(|kind| Some((*kind, kind.owner()?)));
    let mut missing = BTreeSet::new();
    for (kind, owner) in owned {
        let mut forged: Vec<Entry> = journal.clone();
        let mut revisions = forged.iter_mut().rev().flat_map(|entry| entry.revisions.iter_mut().rev());
        let Some(revision) = revisions.find(|revision| of_nobody(revision, kind, owner).is_some()) else {
            missing.insert(kind);
            continue;
        };
        *revision = of_nobody(revision, kind, owner).unwrap();
        let found = audited(linked(forged));
        assert!(!found.ends_with("sound entries"), "{kind}: {found}");
    }
    assert_eq!(missing, BTreeSet::new(), "the clinic has no such record");
}

#[test]
fn who_has_more_records_than_one_decision_loads_is_neither_voided_nor_erased() {
    let clinic = Clinic::new();
    let patient_id = clinic.patient();
    let most = Deciding::<()>::LIMIT as i64 / 2 + 1;
    let visits = (1..=most).flat_map(|number| {
        let consultation_id = ConsultationId::try_from(number).unwrap();
        let (date, state) = ("01/02/2026".parse().unwrap(), ConsultationState::Open);
        let prescription_ids = Vec::new();
        let visit = Consultation { consultation_id, patient_id, date, prescription_ids, state, implicit: false };
        let diseases = vec![Disease::new("flu").unwrap()];
        [Change::put(visit), Change::put(Diagnosis { consultation_id, patient_id, visit: None, diseases })]
    });
    let visits: Vec<_> = visits.collect();
    let store = clinic.care.store();
    for some in visits.chunks(10_000).map(<[_]>::to_vec) {
        let act = Act::new("tests", Operation::AddConsultation, clinic.care.now());
        block_on(store.transact(act, Box::new(move |_| Ok(some.clone().into())))).unwrap();
    }
    let stored = || {
        let records = block_on(store.list(&Query::All { after: None }, Limit::ALL)).unwrap().items.len();
        (records, block_on(store.journal(Seq::ZERO, Limit::ALL)).unwrap().items)
    };
    let before = stored();
    let voided = block_on(clinic.care.void_patient(patient_id, ExpectedVersion::Any));
    let erased = block_on(clinic.care.erase_patient(patient_id)).map(drop);
    for refused in [voided, erased] {
        let is_excessive = matches!(&refused, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Excessive);
        assert!(is_excessive, "{refused:?}");
    }
    assert!(stored() == before);
}
