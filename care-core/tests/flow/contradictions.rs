//! Each rule of the audit is broken once, in a journal that is otherwise sound.

use std::collections::BTreeMap;

use care_core::{
    audit::{self, AuditError},
    model::{
        Consultation, ConsultationState, Demand, Diagnosis, Disease, History, Invoice, InvoiceId, InvoiceState,
        MedicineName, Patient, PatientId, Prescription, PrescriptionId, PrescriptionState, RegularDemand,
    },
    store::{
        Change, Counter, Entity, Entry, Head, Journal, MemoryStore, Record, RecordKey, Revision, Seq, Series, Voided,
    },
};
use futures_executor::block_on;

use crate::auditing::busy_clinic;

/// Returns the finding of an audit of a store that has replayed this journal, whose chain is made anew. The store's
/// records agree with it.
pub(crate) fn audited(mut journal: Vec<Entry>) -> String {
    Entry::link(&mut journal, Head::START).unwrap();
    let store = MemoryStore::new();
    block_on(store.replay(journal)).unwrap();
    match block_on(audit::verify(&store)) {
        Ok(summary) => format!("{} sound entries", summary.entries),
        Err(AuditError::Contradiction(contradiction)) => contradiction.to_string(),
        Err(AuditError::Store(error)) => panic!("a memory store answers: {error}"),
    }
}

/// Returns the finding when the last record of this kind that meets the condition is put in another form.
pub(crate) fn put_in<E: Entity>(mut journal: Vec<Entry>, wanted: impl Fn(&E) -> bool, edit: impl Fn(&mut E)) -> String {
    let changes = journal.iter_mut().rev().flat_map(|entry| entry.revisions.iter_mut().rev());
    let (record, mut found) = changes
        .filter_map(|revision| match &mut revision.change {
            Change::Put(record) => E::from_record(record).cloned().map(|found| (record, found)),
            _ => None,
        })
        .find(|(_, found)| wanted(found))
        .unwrap();
    edit(&mut found);
    *record = found.into();
    audited(journal)
}

/// Fails unless a finding says this.
pub(crate) fn says(finding: &str, what: &str) {
    assert!(finding.contains(what), "{finding}");
}

/// Returns the finding after this change of an entry.
fn with(seq: u64, edit: impl Fn(&mut Vec<Change>)) -> String {
    let mut journal = busy_clinic().journal();
    let entry = journal.iter_mut().find(|entry| entry.seq == Seq::new(seq)).unwrap();
    let mut changes: Vec<_> = entry.changes().cloned().collect();
    edit(&mut changes);
    entry.revisions = unlinked(changes);
    audited(linked(journal))
}

/// Returns the changes of an entry, before it is known what they replace.
fn unlinked(changes: Vec<Change>) -> Vec<Revision> {
    changes.into_iter().map(|change| Revision::of(change, Seq::ZERO)).collect()
}

/// Returns the journal, with every entry saying which versions it replaces.
fn linked(mut journal: Vec<Entry>) -> Vec<Entry> {
    let mut versions = BTreeMap::new();
    for entry in &mut journal {
        for Revision { change, replaced, .. } in &mut entry.revisions {
            *replaced = versions.get(&change.key()).copied().unwrap_or_default();
        }
        for change in entry.changes() {
            match change {
                Change::Put(record) => versions.insert(record.key(), entry.seq),
                Change::Remove(key) => versions.remove(key),
            };
        }
    }
    journal
}

/// Returns the finding when an entry puts its record of this kind in another form.
fn put<E: Entity>(seq: u64, edit: impl Fn(&mut E)) -> String {
    with(seq, |changes| {
        let record = changes.iter_mut().find_map(|change| match change {
            Change::Put(record) => E::from_record(record).cloned().map(|found| (record, found)),
            Change::Remove(_) => None,
        });
        let (record, mut found) = record.unwrap();
        edit(&mut found);
        *record = found.into();
    })
}

/// Returns the finding when an entry does not put or remove its record of this kind.
fn without(seq: u64, kind: &str) -> String {
    with(seq, |changes| {
        let before = changes.len();
        changes.retain(|change| change.key().kind() != kind);
        assert_ne!(changes.len(), before, "the entry has such a change");
    })
}

/// Returns the finding when one more entry follows.
fn then(changes: Vec<Change>) -> String {
    let mut journal = busy_clinic().journal();
    let last = journal.last().unwrap().clone();
    journal.push(Entry { seq: last.seq.next(), revisions: unlinked(changes), ..last });
    audited(linked(journal))
}

/// Returns the invoice, prescription or consultation that an entry put.
fn found<E: Entity>(seq: usize) -> E {
    let entry = busy_clinic().journal().swap_remove(seq - 1);
    let found = entry.changes().find_map(|change| match change {
        Change::Put(record) => E::from_record(record).cloned(),
        Change::Remove(_) => None,
    });
    found.unwrap()
}

fn patient(number: i64) -> PatientId {
    number.try_into().unwrap()
}

fn prescription(number: i64) -> PrescriptionId {
    number.try_into().unwrap()
}

fn invoice(number: i64) -> InvoiceId {
    number.try_into().unwrap()
}

#[test]
fn unchanged_it_is_sound() {
    assert_eq!(with(1, |_| {}), "33 sound entries");
}

#[test]
fn an_entry_is_of_an_operation_that_there_is() {
    let mut journal = busy_clinic().journal();
    journal[6].operation = "payInvoices".into();
    assert_eq!(audited(journal.clone()), "Journal 7: the entry is of an unknown operation");
    journal[6].operation = "importPatients".into();
    assert_eq!(audited(journal), "33 sound entries");
}

#[test]
fn numbers_are_given_in_order_and_once() {
    assert_eq!(
        put::<Invoice>(8, |i| i.invoice_id = invoice(2)),
        "Invoice 2: is new, but the number before it was never given (journal entry 8)"
    );
    // Invoice 2 was cancelled.
    assert_eq!(
        put::<Invoice>(14, |i| i.invoice_id = invoice(2)),
        "Invoice 2: is new, but its number was given before (journal entry 14)"
    );
    assert_eq!(
        put::<Prescription>(13, |p| p.prescription_id = prescription(9)),
        "Prescription 9: is new, but the number before it was never given (journal entry 13)"
    );
    assert_eq!(
        put::<Consultation>(7, |c| c.consultation_id = 9.try_into().unwrap()),
        "Consultation 9: is new, but the number before it was never given (journal entry 7)"
    );
}

#[test]
fn counters_keep_up() {
    assert_eq!(
        put::<Counter>(8, |c| c.last = 2),
        "Counter invoice: is not the highest number that was given (journal entry 8)"
    );
    assert_eq!(
        without(13, "Counter"),
        "Counter prescription: is not the highest number that was given (journal entry 13)"
    );
    assert_eq!(
        then(vec![Change::put(Counter { series: Series::Patient, last: 1 })]),
        "Counter patient: does not go up (journal entry 34)"
    );
    assert_eq!(
        then(vec![Change::put(Counter { series: Series::Patient, last: 9 })]),
        "Counter patient: is a number that no patient has or had (journal entry 34)"
    );
    assert_eq!(
        then(vec![Change::Remove(RecordKey::Counter(Series::Invoice))]),
        "Counter invoice: is removed, but numbers are never given twice (journal entry 34)"
    );
}

#[test]
fn voided_patients_are_gone_for_good() {
    assert_eq!(
        then(vec![Change::put(Patient::new(patient(3)))]),
        "Patient 3: is registered, but its number was voided before (journal entry 34)"
    );
    assert_eq!(
        then(vec![Change::Remove(RecordKey::Patient(patient(4)))]),
        "Patient 4: is removed, but its number is not voided (journal entry 34)"
    );
    assert_eq!(
        then(vec![Change::put(Voided { patient_id: patient(4) })]),
        "Patient 4: is still there, but its patient is voided (journal entry 34)"
    );
    assert_eq!(
        then(vec![Change::Remove(RecordKey::Voided(patient(3)))]),
        "Voided 3: is removed, but a voided number stays voided (journal entry 34)"
    );
    assert_eq!(without(29, "History"), "History 3: is still there, but its patient is voided (journal entry 29)");
    assert_eq!(
        then(vec![Change::Remove(RecordKey::History(patient(1)))]),
        "History 1: is removed, but its patient is not voided (journal entry 34)"
    );
    assert_eq!(
        without(29, "Consultation"),
        "Consultation 6: lists a prescription that is missing or not its own (journal entry 29)"
    );
}

#[test]
fn each_completed_consultation_is_counted_once() {
    assert_eq!(
        put::<History>(10, |h| h.visits = 2),
        "History 1: visits is not the number of completed consultations (journal entry 10)"
    );
    assert_eq!(
        without(7, "History"),
        "History 2: is missing, but a visit or a payment belongs in it (journal entry 7)"
    );
    assert_eq!(
        put::<History>(25, |h| h.lastvisit = None),
        "History 2: lastvisit is not the latest day of a completed consultation (journal entry 25)"
    );
    assert_eq!(
        put::<History>(25, |h| h.diseases += 1),
        "History 2: diseases is not the number of those that were recorded (journal entry 25)"
    );
    assert_eq!(
        put::<History>(15, |h| h.medicine = None),
        "History 1: medicine and dosage are not those of the last payment that stands (journal entry 15)"
    );
    let counted_again = History { visits: 3, ..found(25) };
    assert_eq!(
        then(vec![Change::put(counted_again)]),
        "History 2: visits is not the number of completed consultations (journal entry 34)"
    );
}

#[test]
fn what_was_diagnosed_is_counted_with_its_visit_and_stays_as_it_is() {
    let uncounted = "is not counted when its consultation is";
    assert_eq!(put::<Diagnosis>(7, |d| d.visit = None), format!("Diagnosis 2: {uncounted} (journal entry 7)"));
    assert_eq!(put::<Diagnosis>(6, |d| d.visit = Some(1)), format!("Diagnosis 1: {uncounted} (journal entry 6)"));
    let wrong = "Diagnosis 1: is not counted as the visit that its consultation is (journal entry 10)";
    assert_eq!(put::<Diagnosis>(10, |d| d.visit = Some(2)), wrong);
    assert_eq!(without(10, "Diagnosis"), wrong);
    assert_eq!(
        put::<Diagnosis>(10, |d| drop(d.diseases.pop())),
        "Diagnosis 1: is changed after it was recorded (journal entry 10)"
    );
    assert_eq!(
        without(6, "Diagnosis"),
        "History 1: diseases is not the number of those that were recorded (journal entry 6)"
    );
    assert_eq!(
        put::<Diagnosis>(6, |d| d.patient_id = patient(2)),
        "Diagnosis 1: is of no consultation of its patient (journal entry 6)"
    );
    assert_eq!(
        put::<Diagnosis>(6, |d| d.diseases = vec![Disease::new("a").unwrap(); 31]),
        "Diagnosis 1: holds more diseases than a consultation can (journal entry 6)"
    );
    let counted = found::<Diagnosis>(10);
    assert_eq!(
        then(vec![Change::put(counted.clone())]),
        "Diagnosis 1: is put, but its consultation is neither begun nor completed (journal entry 34)"
    );
    assert_eq!(
        then(vec![Change::put(Diagnosis { visit: Some(2), ..counted })]),
        "Diagnosis 1: was counted as another visit before (journal entry 34)"
    );
    assert_eq!(
        then(vec![Change::Remove(RecordKey::Diagnosis(1.try_into().unwrap()))]),
        "Diagnosis 1: is removed, but its patient is not voided (journal entry 34)"
    );
    assert_eq!(without(29, "Diagnosis"), "Diagnosis 6: is there, but its consultation is not");
}

#[test]
fn consultations_complete_for_a_reason_and_stay_so() {
    let completed = Consultation { state: ConsultationState::Completed, ..found(33) };
    assert_eq!(
        then(vec![Change::put(completed)]),
        "Consultation 7: is completed, but no invoice of it was paid (journal entry 34)"
    );
    assert_eq!(
        put::<Consultation>(10, |c| c.state = ConsultationState::Open),
        "Consultation 1: is open, but an invoice of it was paid (journal entry 10)"
    );
    assert_eq!(
        put::<Consultation>(12, |c| c.state = ConsultationState::Open),
        "Consultation 1: is open again after it was completed (journal entry 12)"
    );
    assert_eq!(
        put::<Consultation>(12, |c| c.patient_id = patient(2)),
        "Consultation 1: is of another patient, day or kind than before (journal entry 12)"
    );
    let removal = |number: i64| Change::Remove(RecordKey::Consultation(number.try_into().unwrap()));
    assert_eq!(then(vec![removal(2)]), "Consultation 2: is removed after it was counted (journal entry 34)");
    assert_eq!(
        with(24, |changes| changes.push(removal(5))),
        "Consultation 5: is removed, but its patient is not voided (journal entry 24)"
    );
}

#[test]
fn consultations_and_prescriptions_know_each_other() {
    assert_eq!(
        put::<Consultation>(6, |c| c.prescription_ids.truncate(1)),
        "Prescription 2: is not in a consultation of its patient on its day (journal entry 6)"
    );
    assert_eq!(
        put::<Consultation>(6, |c| c.prescription_ids.push(prescription(7))),
        "Consultation 1: lists a prescription that is missing or not its own (journal entry 6)"
    );
    assert_eq!(
        put::<Prescription>(13, |p| p.patient_id = patient(2)),
        "Prescription 3: is not in a consultation of its patient on its day (journal entry 13)"
    );
    assert_eq!(
        without(12, "Consultation"),
        "Consultation 1: lists a prescription that is missing or not its own (journal entry 12)"
    );
}

#[test]
fn prescriptions_change_only_as_they_may() {
    assert_eq!(
        put::<Prescription>(20, |p| p.medicine = MedicineName::new("Aspirin").unwrap()),
        "Prescription 3: is for another patient, medicine, consultation or day than before (journal entry 20)"
    );
    assert_eq!(
        put::<Prescription>(20, |p| p.dispensed = false),
        "Prescription 3: is regular and active, and no longer dispensed (journal entry 20)"
    );
    let again = Prescription { state: PrescriptionState::Active, ..found(10) };
    assert_eq!(
        then(vec![Change::put(again)]),
        "Prescription 1: is active again or no longer dispensed, but no invoice of it was refunded (journal entry 34)"
    );
    assert_eq!(
        put::<Prescription>(20, |p| p.state = PrescriptionState::Completed),
        "Prescription 3: is dispensed or completed, but no invoice of it was paid (journal entry 20)"
    );
    assert_eq!(
        put::<Prescription>(33, |p| p.dispensed = true),
        "Prescription 9: is dispensed or completed, but no invoice of it was paid (journal entry 33)"
    );
    assert_eq!(
        put::<Prescription>(10, |p| p.dispensed = false),
        "Prescription 1: is not dispensed, but its invoice was paid (journal entry 10)"
    );
    assert_eq!(
        put::<Prescription>(10, |p| p.state = PrescriptionState::Active),
        "Prescription 1: is not regular and still active, but its invoice was paid (journal entry 10)"
    );
}

#[test]
fn a_patient_has_one_active_prescription_for_a_medicine() {
    let twin = Prescription { prescription_id: prescription(10), ..found(33) };
    assert_eq!(
        then(vec![Change::put(twin)]),
        "Prescription 10: is active beside another one of its patient for its medicine (journal entry 34)"
    );
}

#[test]
fn invoices_are_issued_once_and_never_changed() {
    let unpaid: Invoice = found(18);
    let twin = Invoice { invoice_id: invoice(7), ..unpaid.clone() };
    assert_eq!(
        then(vec![Change::put(twin)]),
        "Invoice 7: is unpaid beside another one of its prescription (journal entry 34)"
    );
    let changed = Invoice { price: None, ..unpaid.clone() };
    assert_eq!(then(vec![Change::put(changed)]), "Invoice 5: is changed after it was issued (journal entry 34)");
    assert_eq!(
        put::<Invoice>(10, |i| i.price = None),
        "Invoice 1: is paid, but it is not as it was issued (journal entry 10)"
    );
    assert_eq!(
        put::<Invoice>(8, |i| i.state = InvoiceState::Paid),
        "Invoice 1: is paid, but it was not unpaid before (journal entry 8)"
    );
    assert_eq!(
        put::<Invoice>(8, |i| i.patient_id = patient(2)),
        "Invoice 1: is not of an active prescription of its patient and medicine (journal entry 8)"
    );
    let paid: Invoice = found(10);
    assert_eq!(
        then(vec![Change::put(Invoice { state: InvoiceState::Unpaid, ..paid })]),
        "Invoice 1: is not of an active prescription of its patient and medicine (journal entry 34)"
    );
    assert_eq!(
        then(vec![Change::Remove(RecordKey::Invoice(invoice(1)))]),
        "Invoice 1: is cancelled, but it is not unpaid (journal entry 34)"
    );
}

#[test]
fn what_is_unpaid_keeps_its_prescription() {
    // Prescription 3 is withdrawn correctly, except that its invoice is unpaid.
    let consultation = Consultation { prescription_ids: Vec::new(), ..found(15) };
    let gone = vec![Change::Remove(RecordKey::Prescription(prescription(3))), Change::put(consultation)];
    assert_eq!(then(gone), "Prescription 3: is withdrawn, but an invoice of it is unpaid (journal entry 34)");
}

#[test]
fn counts_are_those_of_the_prescriptions() {
    assert_eq!(
        put::<Demand>(10, |d| d.dispensed = 0),
        "Demand 14/03/2026 ibuprofen: does not count what was prescribed (journal entry 10)"
    );
    assert_eq!(
        without(12, "Demand"),
        "Demand 14/03/2026 aspirin: does not count what was prescribed (journal entry 12)"
    );
    assert_eq!(
        put::<RegularDemand>(13, |u| u.active_regular = 2),
        "RegularDemand 30 insulin: does not count what was prescribed (journal entry 13)"
    );
    let demand = Demand { prescribed: 1, ..found::<Demand>(33) };
    assert_eq!(
        then(vec![Change::put(demand)]),
        "Demand 15/03/2026 ibuprofen: does not count what was prescribed (journal entry 34)"
    );
}

#[test]
fn whatever_refers_to_a_patient_finds_one() {
    let gone = vec![
        Change::Remove(RecordKey::Patient(patient(2))),
        Change::Remove(RecordKey::History(patient(2))),
        Change::put(Voided { patient_id: patient(2) }),
    ];
    assert_eq!(then(gone), "Consultation 2: is there, but its patient is not");
}

#[test]
fn every_version_leads_to_the_one_before() {
    let journal = busy_clinic().journal();
    assert_eq!(linked(journal.clone()), journal);
    let mut wrong = journal;
    wrong[12].revisions[0].replaced = Seq::new(12);
    let says = audited(wrong);
    assert!(says.contains("is said to replace entry 12, but the last to put it was entry"), "{says}");
}

#[test]
fn a_read_says_nothing_of_what_is_there() {
    for changes in [vec![], vec![Change::put(Patient::new(patient(50)))]] {
        let mut journal = busy_clinic().journal();
        let last = journal.last().unwrap().clone();
        let (seq, reads) = (last.seq.next(), vec![RecordKey::Patient(patient(50))]);
        journal.push(Entry { seq, revisions: unlinked(changes), reads, ..last });
        assert_eq!(audited(journal), "34 sound entries");
    }
}

#[test]
fn the_kinds_of_records_without_rules_are_free() {
    let item = Change::Remove(RecordKey::Item(MedicineName::new("Ibuprofen").unwrap().key().clone()));
    assert_eq!(then(vec![item]), "34 sound entries");
    let record: Record = Patient::new(patient(50)).into();
    assert_eq!(then(vec![Change::Put(record)]), "34 sound entries");
}
