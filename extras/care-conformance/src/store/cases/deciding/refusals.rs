//! Decisions that refuse, panic or change nothing leave no trace.

use care_core::{
    error::{Conflict, Error, FieldError, StoreErrorKind},
    model::Patient,
    store::{Change, Key, Order, RecordKind, Seen, Selection, Seq, Stop, Wanted},
};

use crate::{
    samples,
    store::subject::{Subject, planted_panic},
};

/// Tests that no attempt has left a trace: patient 7 is as one decision put them, and the next entry is the second.
fn nothing_happened(subject: &Subject) {
    let found = subject.get::<Patient>(samples::patient_id(7)).map(|found| (found.version, found.record));
    assert_eq!(found, Some((Seq::new(1), samples::patient(7))));
    let ids: Vec<_> = (1..=9).map(samples::patient_id).collect();
    let others = subject.ask(move |seen| {
        ids.iter().try_fold(0, |count, id| Ok(count + usize::from(seen.get::<Patient>(*id)?.is_some())))
    });
    assert_eq!(others, 1);
    assert_eq!(subject.entries().len(), 1);
    assert_eq!(subject.put(samples::patient(9)), Seq::new(2));
}

pub(in crate::store) fn a_refusal_writes_nothing(subject: Subject) {
    subject.put(samples::patient(7));
    for _ in 0..3 {
        let refused = subject.attempt(|_| Err(Error::NotFound(RecordKind::Item).into()));
        assert!(matches!(refused, Err(Error::NotFound(RecordKind::Item))));
        let after_reading = subject.attempt(|seen| match seen.get::<Patient>(samples::patient_id(7))? {
            Some(_) => Err(Conflict::PatientExists.into()),
            None => Ok(vec![Change::put(samples::patient(8))]),
        });
        assert!(matches!(after_reading, Err(Error::Conflict(Conflict::PatientExists))));
    }
    nothing_happened(&subject);
}

pub(in crate::store) fn a_refusal_comes_back_as_it_is(subject: Subject) {
    let fields =
        vec![FieldError::new("age", "must be 0 to 150"), FieldError::new("prescriptions[0].price", "must be a price")];
    let refuse = |error: Error| subject.attempt(move |_| Err(Stop::Refuse(error.clone())));
    match refuse(Error::Invalid(fields.clone())) {
        Err(Error::Invalid(listed)) => assert_eq!(listed, fields),
        other => panic!("not the refusal: {other:?}"),
    }
    assert!(matches!(refuse(Error::Stale(RecordKind::Invoice)), Err(Error::Stale(RecordKind::Invoice))));
    assert!(matches!(refuse(Conflict::InvoicePaid.into()), Err(Error::Conflict(Conflict::InvoicePaid))));
    let busy = Error::Store(StoreErrorKind::Busy.into());
    assert!(matches!(refuse(busy), Err(Error::Store(e)) if e.kind() == StoreErrorKind::Busy));
}

pub(in crate::store) fn a_decision_without_changes_writes_nothing(subject: Subject) {
    subject.put(samples::patient(7));
    for _ in 0..3 {
        let nothing = subject.attempt(|seen| {
            seen.get::<Patient>(samples::patient_id(7))?;
            Ok(Vec::new())
        });
        assert!(matches!(nothing, Ok(None)));
    }
    nothing_happened(&subject);
}

pub(in crate::store) fn a_panic_writes_nothing(subject: Subject) {
    subject.put(samples::patient(7));
    for _ in 0..3 {
        let at_once = subject.attempt(|_| planted_panic());
        let after_reading = subject.attempt(|seen| {
            seen.get::<Patient>(samples::patient_id(7))?;
            planted_panic()
        });
        for panicked in [at_once, after_reading] {
            assert!(matches!(panicked, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Broken));
        }
    }
    nothing_happened(&subject);
}

pub(in crate::store) fn a_question_that_refuses_is_answered_so(subject: Subject) {
    subject.put(samples::patient(7));
    let refused = subject.try_read(|seen: &Seen| -> Result<(), Stop> {
        seen.get::<Patient>(samples::patient_id(7))?;
        Err(Error::NotFound(RecordKind::Consultation).into())
    });
    assert!(matches!(refused, Err(Error::NotFound(RecordKind::Consultation))));
    nothing_happened(&subject);
}

pub(in crate::store) fn a_question_that_panics_costs_only_itself(subject: Subject) {
    subject.put(samples::patient(7));
    // If a reader were lost each time, the pool would be empty before this ends.
    for _ in 0..40 {
        let panicked = subject.try_read(|seen: &Seen| -> Result<(), Stop> {
            seen.get::<Patient>(samples::patient_id(7))?;
            planted_panic()
        });
        assert!(matches!(panicked, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Broken));
    }
    nothing_happened(&subject);
}

pub(in crate::store) fn a_selection_of_records_that_are_written_late_is_refused(subject: Subject) {
    subject.put(samples::patient(7));
    let late: Vec<_> = RecordKind::ALL.iter().copied().filter(|kind| kind.is_written_late()).collect();
    assert_eq!(late.len(), 6, "{late:?}");
    for wanted in [Wanted::All, Wanted::First(1), Wanted::Count] {
        for kind in &late {
            let order = Order { is_by_index: false, is_descending: false };
            let rows = Key::Rows(Selection { kind: *kind, index: None, terms: Vec::new(), order }, wanted);
            let (asked, read) = (rows.clone(), rows);
            let refused = subject.attempt(move |seen| {
                seen.need([asked.clone()])?;
                Ok(vec![Change::put(samples::patient(8))])
            });
            let answers = [refused.map(drop), subject.try_read(move |seen| seen.need([read.clone()]))];
            for answer in answers {
                let is_refused =
                    matches!(&answer, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Unsupported);
                assert!(is_refused, "{kind}: {answer:?}");
            }
        }
    }
    nothing_happened(&subject);
}
