//! Keys whose answers lie behind many records, or at the end of the numbers.

use care_core::{
    model::{Consultation, Patient},
    store::{Change, Entity as _, Lookup, Record, RecordKind, Voided},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

pub(in crate::store) fn the_prescriptions_of_a_patient_are_all_of_them(subject: Subject) {
    subject.commit(clinic::patients([7]));
    let name = samples::medicine("Ibuprofen");
    let all: Vec<_> = (1..=300).map(|number| clinic::completed(&samples::prescription(number, 7, &name))).collect();
    subject.commit(clinic::prescribe_all(&all));
    let found = |kind: RecordKind| {
        let key = kind.of_patient(samples::patient_id(7)).expect("a kind with an owner");
        subject.ask(move |seen| match seen.lookup(&key)? {
            Lookup::Many(found) => Ok(found.into_iter().map(|found| found.record).collect::<Vec<_>>()),
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(found(RecordKind::Prescription), all.into_iter().map(Record::from).collect::<Vec<_>>());
    let visits = found(RecordKind::Consultation);
    let visits = visits.iter().filter_map(Consultation::from_record).map(|visit| visit.consultation_id.value());
    assert_eq!(visits.collect::<Vec<_>>(), (1..=300).collect::<Vec<_>>());
}

fn free(subject: &Subject, above: i64) -> Option<i64> {
    subject.ask(move |seen| seen.number(Patient::free_number(above))).map(u64::cast_signed)
}

fn voided(number: i64) -> Change {
    Change::put(Voided { patient_id: samples::patient_id(number) })
}

pub(in crate::store) fn the_free_number_passes_over_a_long_run(subject: Subject) {
    let mut changes = clinic::patients(1..=300);
    changes.extend((301..=600).map(voided));
    subject.commit(changes);
    assert_eq!((free(&subject, 0), free(&subject, 299)), (Some(601), Some(601)));
}

pub(in crate::store) fn no_number_is_free_above_the_last(subject: Subject) {
    assert_eq!(free(&subject, i64::MAX), None);
    assert_eq!(free(&subject, i64::MAX - 1), Some(i64::MAX));
    subject.commit(vec![voided(i64::MAX)]);
    assert_eq!(free(&subject, i64::MAX - 1), None);
    subject.commit(clinic::patients([i64::MAX - 1]));
    assert_eq!(free(&subject, i64::MAX - 2), None);
}
