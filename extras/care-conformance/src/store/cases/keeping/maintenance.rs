//! Maintenance of a whole store. A store that does not implement it passes every case.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use care_core::{
    audit,
    error::{Conflict, Error, StoreErrorKind},
    model::{MedicineName, Name, Patient, PatientDetails, PatientId, PrescriptionDetails, ShortText},
    service::{CareService, Idempotency, NewPrescription},
    store::{
        Change, Decision, Entity, Entry, Limit, Maintenance, Query, Record, RecordKey, Reply, Seq, Transaction,
        Versioned,
    },
};

use crate::{
    samples,
    store::{
        clinic,
        subject::{ALL, Subject, changes_of, planted_panic},
    },
};

/// A word that occurs nowhere else.
const CANARY: &str = "Xanthippe";

fn maintenance(subject: &Subject) -> Option<&dyn Maintenance> {
    care_core::store::Journal::maintenance(subject.store())
}

fn register(transaction: &mut dyn Transaction, number: i64) -> Result<Option<Seq>, Error> {
    let mut decision: Decision = Box::new(move |_| Ok(clinic::patients([number]).into()));
    transaction.decide(&samples::act(), &mut decision)
}

pub(in crate::store) fn work_is_kept_whole_or_not_at_all(subject: Subject) {
    let Some(maintenance) = maintenance(&subject) else { return };
    let kept = maintenance.transaction(|transaction| {
        register(transaction, 1)?;
        let mut refusal: Decision = Box::new(|_| Err(Error::Invalid(Vec::new()).into()));
        // A refusal leaves the rest of the transaction as it is.
        assert!(matches!(transaction.decide(&samples::act(), &mut refusal), Err(Error::Invalid(_))));
        register(transaction, 2)
    });
    assert!(matches!(subject.block_on(kept), Ok(Some(seq)) if seq == Seq::new(2)));
    let undone = maintenance.transaction(|transaction| {
        register(transaction, 3)?;
        Err::<(), _>(Error::Invalid(Vec::new()))
    });
    assert!(matches!(subject.block_on(undone), Err(Error::Invalid(_))));
    let panicked = maintenance.transaction(|transaction| {
        register(transaction, 4)?;
        planted_panic();
        #[expect(unreachable_code, reason = "it says what the work returns")]
        Ok(())
    });
    assert!(matches!(subject.block_on(panicked), Err(Error::Store(error)) if error.kind() == StoreErrorKind::Broken));
    assert_eq!(subject.list(&Query::All { after: None }, 9).len(), 2);
    assert_eq!(subject.put(samples::patient(5)), Seq::new(3));
}

/// Lets a transaction fail at the rewriting of an entry that no store has. A store that takes it passes untested.
pub(in crate::store) fn after_its_own_failure_a_transaction_is_not_kept(subject: Subject) {
    let Some(maintenance) = maintenance(&subject) else { return };
    subject.commit(clinic::patients([1]));
    let nowhere = Entry { seq: Seq::new(u64::MAX), ..subject.entries().remove(0) };
    let has_failed = Arc::new(AtomicBool::new(false));
    let failing = Arc::clone(&has_failed);
    let work = maintenance.transaction(move |transaction| {
        register(transaction, 2)?;
        failing.store(transaction.rewrite(&nowhere).is_err(), Ordering::SeqCst);
        Ok(())
    });
    let kept = subject.block_on(work);
    if has_failed.load(Ordering::SeqCst) {
        assert!(matches!(kept, Err(Error::Store(_))), "the work hides the failure, and the store does not");
        assert_eq!((subject.entries().len(), subject.list(&Query::All { after: None }, 9).len()), (1, 1));
        assert_eq!(subject.put(samples::patient(2)), Seq::new(2));
    }
}

pub(in crate::store) fn work_sees_what_it_has_done(subject: Subject) {
    let Some(maintenance) = maintenance(&subject) else { return };
    subject.commit(clinic::patients([1]));
    let seen = maintenance.transaction(|transaction| {
        register(transaction, 2)?;
        let listed = transaction.list(&Query::All { after: None }, Limit::ALL)?.items;
        let entries = transaction.journal(Seq::new(1), Limit::ALL)?.items;
        Ok((listed, entries))
    });
    let (listed, entries) = subject.block_on(seen).expect("the work is done");
    assert_eq!(listed, subject.list(&Query::All { after: None }, 9));
    assert_eq!(entries, subject.journal(Seq::new(1), 9));
    assert_eq!((listed.len(), entries.len()), (2, 1));
}

pub(in crate::store) fn decisions_handed_over_together_run_in_their_order(subject: Subject) {
    let Some(maintenance) = maintenance(&subject) else { return };
    subject.commit(clinic::patients([1]));
    // More than any store writes at once, and after them an existing number, numbers that the service assigns, and a
    // refusal.
    let numbers = (2..=600).map(Some).chain([Some(1), Some(600), None, None]);
    let care = CareService::new(subject.shared());
    let registered = |number: Option<i64>| {
        care.registration(number.map(samples::patient_id), PatientDetails::default(), &Arc::default())
    };
    let mut decisions: Vec<Decision> = numbers.map(registered).collect();
    decisions.push(Box::new(|_| Err(Error::Invalid(Vec::new()).into())));
    let decided = maintenance.transaction(move |transaction| {
        let decided = transaction.decide_each(&samples::act(), &mut decisions)?;
        register(transaction, 700)?;
        Ok(decided)
    });
    let mut decided = subject.block_on(decided).expect("the work is done");
    assert!(matches!(decided.pop(), Some(Err(Error::Invalid(_)))));
    let given = decided.split_off(601).into_iter().map(|decided| decided.expect("a free number"));
    assert_eq!(given.collect::<Vec<_>>(), [601, 602].map(|seq| Some(Seq::new(seq))));
    let refused = decided.split_off(599);
    assert!(refused.iter().all(|decided| matches!(decided, Err(Error::Conflict(Conflict::PatientExists)))));
    let seqs = decided.into_iter().map(|decided| decided.expect("a free number"));
    assert!(seqs.eq((2..=600).map(|seq| Some(Seq::new(seq)))));
    let last = subject.list(&Query::All { after: Some(RecordKey::Patient(samples::patient_id(599))) }, 9);
    let last: Vec<_> = last.iter().filter_map(|found| Patient::from_record(&found.record)).collect();
    assert_eq!(last.iter().map(|patient| patient.patient_id.value()).collect::<Vec<_>>(), [600, 601, 602, 700]);
    assert_eq!(subject.put(samples::patient(5)), Seq::new(604));
}

pub(in crate::store) fn use_cases_together_are_one_commit(subject: Subject) {
    if maintenance(&subject).is_none() {
        return;
    }
    let care = CareService::new(subject.shared());
    let medicine = || MedicineName::new("Sampleol 250").expect("a name");
    let visit = care.together(async move |care| {
        let patient = care.register_patient(PatientDetails::default()).await?;
        let prescribed = care.prescribe(patient.patient_id, NewPrescription::of(medicine())).await?;
        let issued = care.issue_invoice(prescribed.prescription.prescription_id).await?;
        care.pay_invoice(issued.invoice.invoice_id).await
    });
    let paid = subject.block_on(visit).expect("a visit");
    assert_eq!((paid.visits, paid.version, subject.last_seq()), (1, Seq::new(4), Seq::new(4)));
    let before = subject.list(&Query::All { after: None }, ALL);
    let refused = care.together(async move |care| {
        let patient = care.register_patient(PatientDetails::default()).await?;
        care.prescribe(patient.patient_id, NewPrescription::of(medicine())).await?;
        care.prescribe(patient.patient_id, NewPrescription::of(medicine())).await
    });
    assert!(matches!(subject.block_on(refused), Err(Error::Conflict(Conflict::AlreadyPrescribed))));
    assert_eq!((subject.list(&Query::All { after: None }, ALL), subject.last_seq()), (before, Seq::new(4)));
    subject.block_on(audit::verify(subject.store())).expect("the journal tells the same story");
    assert_eq!(subject.put(samples::patient(99)), Seq::new(5));
}

pub(in crate::store) fn what_is_rewritten_stands_in_its_place(subject: Subject) {
    let Some(maintenance) = maintenance(&subject) else { return };
    let old = samples::replies().swap_remove(1);
    let new = Versioned { version: Seq::new(4), record: Record::from(old.emptied()) };
    subject.commit(clinic::patients([1]));
    subject.put(old.clone());
    subject.commit(clinic::patients([2]));
    let before = subject.entries();
    let (entry, rewritten) = (before[1].clone(), new.clone());
    let work = maintenance.transaction(move |transaction| {
        let mut entry = entry;
        entry.revisions[0].erase(rewritten.record.clone())?;
        transaction.rewrite(&entry)?;
        let mut put: Decision = Box::new(move |_| Ok(vec![Change::Put(rewritten.record.clone())].into()));
        transaction.decide(&samples::act(), &mut put)
    });
    subject.block_on(work).expect("the work is done");
    let after = subject.entries();
    assert_eq!((&after[0], &after[2], after.len()), (&before[0], &before[2], 4));
    assert_eq!(changes_of(after[1].clone()), [Change::Put(new.record.clone())]);
    assert_eq!((after[1].at, &after[1].actor), (before[1].at, &before[1].actor));
    // The chain stays as it was: it is made of the commitment to the old value, whose salt is gone.
    let (old_value, new_value) = (&before[1].revisions[0], &after[1].revisions[0]);
    assert_eq!(new_value.commitment, old_value.value_commitment().expect("a value"));
    assert!(new_value.salt.is_some() && new_value.salt != old_value.salt);
    assert_eq!(after[1].link_after(&after[0].link).expect("a link"), before[1].link);
    assert_eq!(after[1].link, before[1].link);
    assert_eq!(subject.one(Reply::to(&old.request.expect("it has a request"))), None);
    let replies = subject.list(&Query::All { after: Some(RecordKey::Patient(samples::patient_id(2))) }, 9);
    assert_eq!(replies, [new]);
    subject.block_on(maintenance.check()).expect("what was rewritten is sound");
}

pub(in crate::store) fn an_erased_person_is_in_no_record_and_in_no_entry(subject: Subject) {
    if maintenance(&subject).is_none() {
        return;
    }
    let care = CareService::new(subject.shared());
    let details = |name: &str| PatientDetails {
        name: Name::new(name).expect("a legal name").into(),
        ..PatientDetails::default()
    };
    let dosage = ShortText::new(CANARY).expect("a legal text");
    subject
        .block_on(async {
            let once = care.once(Idempotency::new("key").expect("a legal key"));
            let person = once.register_patient(details(CANARY)).await?.patient_id;
            let other = care.register_patient(details("Ada")).await?.patient_id;
            let dosage = PrescriptionDetails { dosage: dosage.into(), ..PrescriptionDetails::default() };
            let medicine = MedicineName::new("Ibuprofen").expect("a legal name");
            let new = NewPrescription { details: dosage, ..NewPrescription::of(medicine) };
            let prescribed = care.prescribe(person, new).await?.prescription.prescription_id;
            let invoice = care.issue_invoice(prescribed).await?.invoice.invoice_id;
            care.pay_invoice(invoice).await?;
            let last = care.last().await?;

            let erased = care.erase_patient(person).await?;
            assert_eq!((erased.entry, care.last().await?), (last.next(), last.next()));
            assert!(erased.rewritten >= 4, "{erased:?}");
            let records = care.store().list(&Query::All { after: None }, Limit::ALL).await?.items;
            let journal = care.store().journal(Seq::ZERO, Limit::ALL).await?.items;
            assert!(!format!("{records:?} {journal:?}").contains(CANARY));
            audit::verify(care.store()).await.expect("the journal still makes the records");
            assert_eq!(care.invoice(invoice).await?.name, None);
            assert_eq!(care.patient(other).await?.name, Name::new("Ada").ok());

            let again = care.erase_patient(person).await?;
            assert_eq!((again.entry, again.rewritten, care.last().await?), (erased.entry, 0, erased.entry));
            let nobody = PatientId::try_from(i64::MAX).expect("a legal number");
            assert!(matches!(care.erase_patient(nobody).await, Err(Error::NotFound(_))));
            Ok::<_, Error>(())
        })
        .expect("the service answers");
}

pub(in crate::store) fn what_stands_again_is_named_and_erased_again(subject: Subject) {
    let Some(maintenance) = maintenance(&subject) else { return };
    let care = CareService::new(subject.shared());
    let name = Name::new(CANARY).expect("a legal name").into();
    subject
        .block_on(async {
            let person = care.register_patient(PatientDetails { name, ..PatientDetails::default() }).await?.patient_id;
            let first =
                async || Ok::<_, Error>(care.store().journal(Seq::ZERO, Limit::items(1)).await?.items.remove(0));
            let before = first().await?;
            let erased = care.erase_patient(person).await?.entry;
            let mut salted = first().await?;
            for (left, stood) in salted.revisions.iter_mut().zip(&before.revisions) {
                if let (true, Change::Put(record)) = (left.commitment.is_some(), &stood.change) {
                    left.erase(record.clone())?;
                }
            }
            // A program puts back the row as it was, and then with another salt.
            for (again, number) in [before, salted].into_iter().zip(1..) {
                maintenance.transaction(move |transaction| Ok(transaction.rewrite(&again)?)).await?;
                let found = audit::verify(care.store()).await.expect_err("it is named").to_string();
                assert!(found.ends_with(" is listed as erased, and stands again"), "{found}");
                let healed = care.erase_patient(person).await?;
                assert_eq!((healed.entry.value(), healed.rewritten), (erased.value() + number, 1));
                audit::verify(care.store()).await.expect("the second erasure heals");
                let journal = care.store().journal(Seq::ZERO, Limit::ALL).await?.items;
                assert!(!format!("{journal:?}").contains(CANARY));
            }
            Ok::<_, Error>(())
        })
        .expect("the service answers");
}

pub(in crate::store) fn a_scrubbed_store_is_as_it_was(subject: Subject) {
    let Some(maintenance) = maintenance(&subject) else { return };
    subject.commit(clinic::patients(1..=20));
    subject.remove(RecordKey::Patient(samples::patient_id(7)));
    let before = (subject.list(&Query::All { after: None }, 99), subject.entries());
    subject.block_on(maintenance.scrub()).expect("the store is scrubbed");
    subject.block_on(maintenance.check()).expect("the store is sound");
    assert_eq!((subject.list(&Query::All { after: None }, 99), subject.entries()), before);
    subject.commit(clinic::patients([7]));
}

pub(in crate::store) fn nothing_of_an_erased_person_is_left(subject: Subject) {
    let Some(maintenance) = maintenance(&subject).filter(|_| subject.keeps(CANARY).is_some()) else { return };
    let care = CareService::new(subject.shared());
    let name = Name::new(CANARY).expect("a legal name").into();
    subject
        .block_on(async {
            let person = care.register_patient(PatientDetails { name, ..PatientDetails::default() }).await?.patient_id;
            care.erase_patient(person).await?;
            maintenance.scrub().await.map_err(Error::from)
        })
        .expect("the person is erased");
    assert_eq!(subject.keeps(CANARY), Some(false));
}
