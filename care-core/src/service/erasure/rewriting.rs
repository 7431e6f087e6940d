//! Erasing a person for good, from the past too.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    error::{Error, Kind, StoreError},
    model::{Invoice, InvoiceId, Patient, PatientId, Prescription},
    operation::JournalOperation,
    service::{base::draft::Draft, money::invoices, patients::void},
    store::{
        Change, Decision, Entry, Erased, Key, Outcome, Record, RecordKey, Reply, ReplyId, Seen, Seq, Subject,
        Versioned, Voided,
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
    /// The returns for these, their refunds and the corrections of these that had a note, without it.
    noteless: Vec<Record>,
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
            noteless: Vec::new(),
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
        let mut rewritten = None;
        for (revision, place) in entry.revisions.iter().zip(0..) {
            if let Some(without) = self.change(entry.seq, &revision.change) {
                let revision = &mut rewritten.get_or_insert_with(|| entry.clone()).revisions[place];
                let left = revision.erase(without)?;
                self.erased.push(Erased { seq: entry.seq, change: place as u64, left });
            }
        }
        Ok(rewritten)
    }

    /// Returns the record that is put in the place of the one that the next change puts; `None` when that one stays.
    fn change(&mut self, seq: Seq, change: &Change) -> Option<Record> {
        let record = match change {
            Change::Put(record) => record,
            Change::Remove(RecordKey::Reply(id)) => {
                self.kept.remove(id);
                return None;
            }
            Change::Remove(_) => return None,
        };
        if let Record::Invoice(Invoice { patient_id, invoice_id, .. }) = record
            && *patient_id == self.patient
        {
            self.invoices.insert(*invoice_id);
        }
        let without = record.emptied().filter(|_| self.owns(record))?;
        if let Record::Reply(reply) = &without {
            self.kept.insert(reply.id.clone(), (seq, reply.clone()));
        }
        if *record == without {
            return None;
        }
        if matches!(without, Record::Movement(_) | Record::Receipt(_)) {
            self.noteless.push(without.clone());
        }
        Some(without)
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
        let noteless = self.noteless.clone();
        Box::new(move |seen: &Seen| {
            let mut draft = Draft::new(seen);
            if draft.get::<Patient>(id)?.is_some() {
                let prescriptions = draft.all(Prescription::of_patient(id))?;
                let invoices = prescriptions.iter().map(|of| Invoice::unpaid(of.prescription_id));
                draft.need(invoices.clone().map(Key::from))?;
                for invoice in invoices {
                    if let Some(unpaid) = draft.stored(invoice)? {
                        invoices::cancel(&mut draft, &unpaid.record)?;
                    }
                }
                void(&mut draft, id)?;
            } else if draft.get::<Voided>(id)?.is_none() {
                return Err(Error::NotFound(Kind::Patient).into());
            }
            for invoice in &paid {
                draft.put(invoice.emptied());
            }
            let mut changes = draft.into_changes();
            changes.extend(noteless.iter().cloned().map(Change::Put));
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

    fn voided(&self) -> Change {
        Change::put(Voided { patient_id: self.patient })
    }

    fn owns(&self, record: &Record) -> bool {
        match record.subject() {
            Some(Subject::Patient(id)) => id == self.patient,
            Some(Subject::Invoice(id)) => self.invoices.contains(&id),
            None => false,
        }
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
