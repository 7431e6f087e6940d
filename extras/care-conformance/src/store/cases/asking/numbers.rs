//! The next free patient number, and the replies that are old enough to go.

use care_core::{
    model::Patient,
    store::{Change, Counter, RecordKey, Reply, Series, Voided},
};

use crate::{
    samples,
    store::{clinic, subject::Subject},
};

fn free(subject: &Subject, above: i64) -> Option<i64> {
    subject.ask(move |seen| seen.number(Patient::free_number(above))).map(u64::cast_signed)
}

fn voided(number: i64) -> Change {
    Change::put(Voided { patient_id: samples::patient_id(number) })
}

pub(in crate::store) fn every_number_of_a_fresh_store_is_free(subject: Subject) {
    for above in [0, 1, 41, i64::MAX - 1] {
        assert_eq!(free(&subject, above), Some(above + 1));
    }
}

pub(in crate::store) fn the_free_number_passes_over_patients(subject: Subject) {
    subject.commit(clinic::patients([1, 2, 3, 5, 9]));
    assert_eq!([0, 1, 2, 3, 4, 5, 8, 9].map(|above| free(&subject, above).unwrap_or(0)), [4, 4, 4, 4, 6, 6, 10, 10]);
}

pub(in crate::store) fn the_free_number_passes_over_voided_numbers(subject: Subject) {
    let mut changes = clinic::patients([2, 4]);
    changes.extend([1, 3, 6].map(voided));
    subject.commit(changes);
    assert_eq!((free(&subject, 0), free(&subject, 4), free(&subject, 5)), (Some(5), Some(5), Some(7)));
}

pub(in crate::store) fn the_free_number_passes_over_a_long_run(subject: Subject) {
    let mut changes = clinic::patients(1..=300);
    changes.extend((301..=600).map(voided));
    subject.commit(changes);
    assert_eq!((free(&subject, 0), free(&subject, 299)), (Some(601), Some(601)));
}

pub(in crate::store) fn a_very_large_number_does_no_harm(subject: Subject) {
    let mut changes = clinic::patients([1, i64::MAX]);
    changes.push(voided(i64::MAX - 1));
    subject.commit(changes);
    assert_eq!(free(&subject, 0), Some(2));
    assert_eq!(free(&subject, i64::MAX - 3), Some(i64::MAX - 2));
}

pub(in crate::store) fn no_number_is_free_above_the_last(subject: Subject) {
    assert_eq!(free(&subject, i64::MAX), None);
    assert_eq!(free(&subject, i64::MAX - 1), Some(i64::MAX));
    subject.commit(vec![voided(i64::MAX)]);
    assert_eq!(free(&subject, i64::MAX - 1), None);
    subject.commit(clinic::patients([i64::MAX - 1]));
    assert_eq!(free(&subject, i64::MAX - 2), None);
}

pub(in crate::store) fn a_number_is_free_again_once_no_record_has_it(subject: Subject) {
    subject.commit(clinic::patients([1, 2]));
    let key = RecordKey::Patient(samples::patient_id(1));
    subject.remove(key.clone());
    assert_eq!(free(&subject, 0), Some(1));
    // The number of a voided patient is not free, although no patient has it.
    subject.commit(vec![voided(1)]);
    assert_eq!(free(&subject, 0), Some(3));
}

pub(in crate::store) fn only_patients_take_numbers(subject: Subject) {
    let prescription = samples::prescription(5, 7, &samples::medicine("Ibuprofen"));
    let mut changes = clinic::patients([7]);
    changes.extend(clinic::prescribe(&prescription));
    changes.push(Change::put(samples::invoice(6, &prescription)));
    changes.push(Change::put(Counter { series: Series::Patient, last: 4 }));
    subject.commit(changes);
    assert_eq!((free(&subject, 3), free(&subject, 4), free(&subject, 5)), (Some(4), Some(5), Some(6)));
}

pub(in crate::store) fn old_replies_are_found_two_at_a_time(subject: Subject) {
    let replies = samples::replies();
    let before = |millis: i64| {
        let instant = samples::instant(millis);
        let found = subject.all::<Reply>(Reply::oldest_before(instant));
        found.into_iter().map(|found| found.record).collect::<Vec<_>>()
    };
    assert_eq!(before(9_000), []);
    subject.commit(replies.iter().cloned().map(Change::put).collect());
    assert_eq!(before(1_000), []);
    assert_eq!(before(1_001), replies[..1]);
    assert_eq!(before(2_001), [replies[0].clone(), replies[2].clone()]);
    subject.remove(RecordKey::Reply(replies[0].id.clone()));
    let both = before(9_000);
    assert_eq!(both, replies[2..]);
    // A reply that was put again is as young as its last version.
    for reply in both {
        subject.put(Reply { at: samples::instant(4_000), ..reply });
    }
    assert_eq!(before(9_000)[..1], replies[1..2]);
    assert_eq!(before(3_001), replies[1..2]);
}
