//! Erasing a person for good, from the past too.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    error::{Error, Kind, StoreError},
    model::{
        Consultation, Diagnosis, History, Invoice, InvoiceId, Movement, Patient, PatientId, Prescription, Receipt,
    },
    operation::JournalOperation,
    service::{base::draft::Draft, money::invoices, patients::void},
    store::{
        Change, Decision, Entry, Erased, Key, Outcome, Record, RecordKey, Reply, ReplyId, Seen, Seq, Versioned, Voided,
    },
};

/// The erasure of one person as a walk through the journal, in its order: see
/// [`CareService::erase_patient`](crate::service::CareService::erase_patient).
///
/// Numbers, days, medicines, amounts and states stay: they are the facility's books, and identify no person. Removed
/// are all statements about the person: name, contact, age, gender, weight, address and insurance, diagnoses, every
/// dosage, the person's data on invoices, the notes of returns, refunds and corrections of these, and the stored
/// answers of the service about them.
///
/// A store walks its journal with [`entry`](Self::entry) and stores the returned entries in the place of the given
/// ones, with the same `seq`. Then it runs the [`decisions`](Self::decisions), and stores the
/// [`replies`](Self::replies). All copies of a record change alike, so the journal still makes the stored records, and
/// stays possible under the rules. The chain stays whole: it is made of commitments, each replaced value leaves its
/// own in the entry, and the entries of the erasure list what stands in its place.
#[derive(Debug)]
pub(super) struct Erasure {
    patient: PatientId,
    /// The entry of an earlier erasure of the person.
    done: Option<Seq>,
    /// The known invoices of the person.
    invoices: BTreeSet<InvoiceId>,
    /// The returns for these with a note, after its removal.
    returns: Vec<Movement>,
    /// The refunds of these and their corrections with a note, after its removal.
    receipts: Vec<Receipt>,
    /// The emptied replies that are still stored, with their versions.
    kept: BTreeMap<ReplyId, (Seq, Reply)>,
    /// The replaced values.
    erased: Vec<Erased>,
}

impl Erasure {
    /// Returns the erasure of the patient with this number, who may be voided already.
    pub(crate) const fn of(patient: PatientId) -> Self {
        Self {
            patient,
            done: None,
            invoices: BTreeSet::new(),
            returns: Vec::new(),
            receipts: Vec::new(),
            kept: BTreeMap::new(),
            erased: Vec::new(),
        }
    }

    /// Adds paid and refunded invoices of the person, for a walk that leaves entries out. The notes of returns for
    /// them, of their refunds and of the corrections of these are removed.
    pub(super) fn billed(&mut self, paid: &[Invoice]) {
        self.invoices.extend(paid.iter().map(|invoice| invoice.invoice_id));
    }

    /// Returns the entry of an earlier erasure, once the walk has met it.
    pub(crate) const fn done(&self) -> Option<Seq> {
        self.done
    }

    /// Returns whether the next journal entry removes a reply that was emptied before. Such an entry stays unchanged,
    /// but no walk may leave it out.
    pub(super) fn is_removed_in(&self, entry: &Entry) -> bool {
        entry
            .changes()
            .any(|change| matches!(change, Change::Remove(RecordKey::Reply(id)) if self.kept.contains_key(id)))
    }

    /// Returns the replacement of the next journal entry; `None` when it stays unchanged. Entries come in order.
    /// Entries that are known to stay unchanged from an earlier walk may be left out.
    ///
    /// # Errors
    /// When a value cannot be committed to.
    pub(crate) fn entry(&mut self, entry: &Entry) -> Result<Option<Entry>, StoreError> {
        let voided = self.voided();
        if entry.operation == JournalOperation::ErasePatient.name() && entry.changes().any(|change| *change == voided) {
            self.done = Some(entry.seq);
        }
        let is_about = entry.changes().any(|change| self.is_about(change));
        let mut rewritten = None;
        for (revision, place) in entry.revisions.iter().zip(0..) {
            let without = self.change(entry.seq, &revision.change, is_about);
            if let (Change::Put(record), Some(without)) = (&revision.change, without)
                && *record != without
            {
                let revision = &mut rewritten.get_or_insert_with(|| entry.clone()).revisions[place];
                let left = revision.erase(without)?;
                self.erased.push(Erased { seq: entry.seq, change: place as u64, left });
            }
        }
        Ok(rewritten)
    }

    /// Returns the record that is put in the place of the one that the next change puts, which may be the same; `None`
    /// when that one stays.
    fn change(&mut self, seq: Seq, change: &Change, is_about: bool) -> Option<Record> {
        match change {
            Change::Put(Record::Reply(reply)) => (is_about || mentions(&reply.answer, self.patient)).then(|| {
                let empty = blank(reply);
                self.kept.insert(reply.id.clone(), (seq, empty.clone()));
                empty.into()
            }),
            Change::Put(Record::Movement(movement)) if self.is_noted(movement) => {
                let without = Movement { note: None, ..movement.clone() };
                self.returns.push(without.clone());
                Some(without.into())
            }
            Change::Put(Record::Receipt(receipt))
                if receipt.note.is_some() && self.invoices.contains(&receipt.invoice_id) =>
            {
                let without = Receipt { note: None, ..receipt.clone() };
                self.receipts.push(without.clone());
                Some(without.into())
            }
            Change::Put(record) => {
                if let Record::Invoice(invoice) = record
                    && invoice.patient_id == self.patient
                {
                    self.invoices.insert(invoice.invoice_id);
                }
                self.without(record)
            }
            Change::Remove(RecordKey::Reply(id)) => {
                self.kept.remove(id);
                None
            }
            Change::Remove(_) => None,
        }
    }

    /// Returns the decisions of the erasure. The first voids the patient unless that was done, cancels unpaid invoices,
    /// and reduces the person's `paid` invoices, refunded or not, to the facility's books. The journal always gets an
    /// entry of it, with its time and the list of the replaced values, and one of each further decision, which only
    /// goes on with a long list.
    pub(crate) fn decisions(&self, paid: Vec<Invoice>) -> Vec<Decision> {
        let mut lists = self.erased.chunks(Erased::MOST).map(<[_]>::to_vec);
        let first = self.first_decision(paid, lists.next().unwrap_or_default());
        let voided = self.voided();
        let further = lists.map(|list| -> Decision {
            let outcome = Outcome { erased: Some(list), ..vec![voided.clone()].into() };
            Box::new(move |_: &Seen| Ok(outcome.clone()))
        });
        std::iter::once(first).chain(further).collect()
    }

    fn first_decision(&self, paid: Vec<Invoice>, erased: Vec<Erased>) -> Decision {
        let id = self.patient;
        let voided = self.voided();
        let (returns, receipts) = (self.returns.clone(), self.receipts.clone());
        Box::new(move |seen: &Seen| {
            let mut draft = Draft::new(seen);
            if draft.get::<Patient>(id)?.is_some() {
                let prescriptions = draft.all::<Prescription>(Key::PrescriptionsOf(id))?;
                let invoices = prescriptions.iter().map(|of| Key::UnpaidInvoice(of.prescription_id));
                draft.need(invoices.clone())?;
                for key in invoices {
                    if let Some(unpaid) = draft.stored::<Invoice>(key)? {
                        invoices::cancel(&mut draft, &unpaid.record)?;
                    }
                }
                void(&mut draft, id)?;
            } else if draft.get::<Voided>(id)?.is_none() {
                return Err(Error::NotFound(Kind::Patient).into());
            }
            for invoice in &paid {
                draft.put(nameless(invoice));
            }
            for movement in &returns {
                draft.put(movement.clone());
            }
            for receipt in &receipts {
                draft.put(receipt.clone());
            }
            let mut changes = draft.into_changes();
            if !changes.contains(&voided) {
                changes.push(voided.clone());
            }
            Ok(Outcome { erased: Some(erased.clone()), ..changes.into() })
        })
    }

    /// Returns the replies to store after the walk, with their versions.
    pub(super) fn replies(&self) -> impl Iterator<Item = Versioned<&Reply>> {
        self.kept.values().map(|(version, record)| Versioned { version: *version, record })
    }

    /// Returns whether the movement is a return of the person's with a note.
    fn is_noted(&self, movement: &Movement) -> bool {
        movement.note.is_some() && movement.invoice_id.is_some_and(|id| self.invoices.contains(&id))
    }

    fn voided(&self) -> Change {
        Change::put(Voided { patient_id: self.patient })
    }

    fn is_about(&self, change: &Change) -> bool {
        match change {
            Change::Put(record) => self.owns(record),
            Change::Remove(RecordKey::Patient(id) | RecordKey::Voided(id) | RecordKey::History(id)) => {
                *id == self.patient
            }
            // An entry with a reply removes no other record.
            Change::Remove(_) => false,
        }
    }

    fn owns(&self, record: &Record) -> bool {
        self.patient
            == match record {
                Record::Patient(Patient { patient_id, .. })
                | Record::Voided(Voided { patient_id })
                | Record::History(History { patient_id, .. })
                | Record::Consultation(Consultation { patient_id, .. })
                | Record::Diagnosis(Diagnosis { patient_id, .. })
                | Record::Prescription(Prescription { patient_id, .. })
                | Record::Invoice(Invoice { patient_id, .. }) => *patient_id,
                // A return for an invoice of the person. The reply to it names the invoice only.
                Record::Movement(movement) => {
                    return movement.invoice_id.is_some_and(|id| self.invoices.contains(&id));
                }
                // The receipt of an invoice of the person. The reply to it names the invoice only.
                Record::Receipt(receipt) => return self.invoices.contains(&receipt.invoice_id),
                Record::Item(_)
                | Record::Demand(_)
                | Record::RegularDemand(_)
                | Record::Stock(_)
                | Record::OpenLot(_)
                | Record::StockDay(_)
                | Record::Dispensing(_)
                | Record::Takings(_)
                | Record::Counter(_)
                | Record::Reply(_) => return false,
            }
    }

    /// Returns the record without the person's data; `None` if it has none.
    fn without(&self, record: &Record) -> Option<Record> {
        if !self.owns(record) {
            return None;
        }
        Some(match record {
            Record::Patient(_) => Patient::new(self.patient).into(),
            Record::History(history) => History { dosage: None, diseases: 0, ..history.clone() }.into(),
            Record::Diagnosis(diagnosis) => Diagnosis { diseases: Vec::new(), ..diagnosis.clone() }.into(),
            Record::Prescription(prescription) => Prescription { dosage: None, ..prescription.clone() }.into(),
            Record::Invoice(invoice) => nameless(invoice).into(),
            Record::Voided(_)
            | Record::Consultation(_)
            | Record::Item(_)
            | Record::Demand(_)
            | Record::RegularDemand(_)
            | Record::Stock(_)
            | Record::Movement(_)
            | Record::OpenLot(_)
            | Record::StockDay(_)
            | Record::Dispensing(_)
            | Record::Receipt(_)
            | Record::Takings(_)
            | Record::Counter(_)
            | Record::Reply(_) => return None,
        })
    }
}

/// Returns an invoice reduced to the facility's books.
fn nameless(invoice: &Invoice) -> Invoice {
    Invoice { name: None, age: None, gender: None, phone: None, email: None, dosage: None, ..invoice.clone() }
}

/// Returns an empty reply in the place of another: the request that it answered is no longer known.
fn blank(reply: &Reply) -> Reply {
    Reply { id: reply.id.clone(), request: None, fingerprint: String::new(), at: reply.at, answer: Value::Null }
}

/// Returns whether a use case's answer is about the patient.
fn mentions(answer: &Value, patient: PatientId) -> bool {
    match answer {
        Value::Object(members) => {
            members.get("patientId").and_then(Value::as_i64) == Some(patient.value())
                || members.values().any(|value| mentions(value, patient))
        }
        Value::Array(values) => values.iter().any(|value| mentions(value, patient)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Link, Revision};

    #[test]
    fn the_notes_of_what_came_back_go() {
        let put = |invoice: i64| {
            let text = format!(
                r#"{{"change":"put","record":"Movement","id":"{invoice}","value":{{"movementId":{invoice},"medicine":"x",
                "kind":"return","units":1,"balance":1,"day":"01/02/2026","invoiceId":{invoice},"prescriptionId":1,
                "note":"Ada brought it"}},"salt":"00000000000000000000000000000000"}}"#
            );
            serde_json::from_str::<Revision>(&text).unwrap()
        };
        let invoice = r#"{"change":"put","record":"Invoice","id":"1","value":{"invoiceId":1,"prescriptionId":1,
            "patientId":7,"medicine":"x","invoiceDate":"01/02/2026","state":"paid"},
            "salt":"00000000000000000000000000000000"}"#;
        let entry = |revisions| Entry {
            seq: Seq::new(1),
            at: "2026-03-15T12:00:00Z".parse().unwrap(),
            actor: "tests".into(),
            operation: "moveStock".into(),
            revisions,
            reads: Vec::new(),
            erased: None,
            link: Link::ZERO,
        };
        let before = entry(vec![serde_json::from_str(invoice).unwrap(), put(1), put(2)]);
        let mut erasure = Erasure::of(7.try_into().unwrap());
        let after = erasure.entry(&before).unwrap().unwrap();
        let notes = |entry: &Entry| {
            let movements = entry.changes().filter_map(|change| match change {
                Change::Put(Record::Movement(movement)) => Some(movement.note.is_some()),
                _ => None,
            });
            movements.collect::<Vec<_>>()
        };
        assert_eq!((notes(&before), notes(&after)), (vec![true, true], vec![false, true]));
        assert_eq!(erasure.entry(&after).unwrap(), None);
    }
}
