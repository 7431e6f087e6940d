//! Erasing a person for good, from the records and from the past: the use case, and the walk that finds what is about
//! the person and says what is left of it.

use std::collections::BTreeSet;

use super::{CareService, base::draft::Draft, effects::owned, money::invoices, patients::void};
use crate::{
    error::{Error, StoreError, StoreErrorKind},
    kinds::RecordKind,
    model::{Invoice, InvoiceId, InvoiceState, Patient, PatientId},
    operation::JournalOperation,
    store::{
        Act, Change, Deciding, Decision, Entity, Entry, Erased, Limit, Outcome, Record, Seen, Seq, Subject,
        Transaction, Voided,
    },
};

/// The size of a page of entries, in items and bytes.
const PAGE: Limit = Limit::items(500).bytes(1 << 20);

/// The result of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErasureReport {
    /// The journal entry that says so, the last one if there are several: each lists at most
    /// [`Erased::MOST`](crate::store::Erased::MOST) values.
    pub entry: Seq,
    /// The number of earlier entries that contained something of the person.
    pub rewritten: usize,
}

impl CareService {
    /// Erases a person from every record and every journal entry, and voids the patient unless that was done. A second
    /// erasure of the same person adds no entry to the journal.
    ///
    /// Numbers, days, medicines, amounts and states stay: they are the facility's books, and identify no person.
    /// Removed is all data of the person, which records with an [owner](crate::store::Owner) declare as `personal`:
    /// each field of the patient, what was diagnosed, every dosage, the person's data on invoices, the notes of their
    /// movements and receipts, and the service's kept answers about them. All copies of a record change alike, so the
    /// journal still makes the records that there are.
    ///
    /// Writers go on while the journal is read, and wait while the entries are rewritten, which takes moments. The
    /// store may still have what was rewritten in its files, until
    /// [`Maintenance::scrub`](crate::store::Maintenance::scrub) is done.
    ///
    /// ```
    /// use care_core::{
    ///     model::PatientDetails,
    ///     service::CareService,
    ///     store::{Limit, MemoryStore, Seq},
    /// };
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new()).acting_as("data protection");
    /// let details = PatientDetails::named("Ada Example")?;
    /// let id = care.register_patient(details).await?.patient_id;
    ///
    /// let erased = care.erase_patient(id).await?;
    /// assert_eq!((erased.entry, erased.rewritten), (Seq::new(2), 1));
    /// let journal = care.store().journal(Seq::ZERO, Limit::ALL).await?;
    /// assert!(!format!("{journal:?}").contains("Ada"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFound`] when no patient has or had the number; [`StoreErrorKind::Unsupported`] when the store has no
    /// [`Maintenance`](crate::store::Maintenance); [`StoreErrorKind::Excessive`] when the person has more records than
    /// [one decision may load](Deciding::LIMIT); and the store's failures. Nothing was erased then.
    pub async fn erase_patient(&self, patient: PatientId) -> Result<ErasureReport, Error> {
        let maintenance = self.store.maintenance().ok_or_else(|| StoreError::from(StoreErrorKind::Unsupported))?;
        self.check_actor()?;
        let act = self.act(JournalOperation::ErasePatient);
        let affected = self.affected(patient).await?;
        let erased = maintenance.transaction(move |transaction| erase(transaction, &act, affected)).await?;
        self.feed.announce(erased.entry);
        Ok(erased)
    }

    /// Finds the entries that an erasure rewrites, without a transaction.
    async fn affected(&self, patient: PatientId) -> Result<Affected, Error> {
        let mut affected = Affected { entries: Vec::new(), last: Seq::ZERO, erasure: Erasure::of(patient) };
        loop {
            let page = self.store.journal(affected.last, PAGE).await?;
            for entry in &page.items {
                affected.last = entry.seq;
                if affected.erasure.entry(entry)?.is_some() {
                    affected.entries.push(entry.seq);
                }
            }
            if !page.more {
                affected.erasure.erased.clear();
                return Ok(affected);
            }
        }
    }
}

/// The part of an erasure that was found while others wrote.
struct Affected {
    /// The entries that contain something of the person.
    entries: Vec<Seq>,
    /// The last entry that was looked at.
    last: Seq,
    /// The person, as far as the walk has met them.
    erasure: Erasure,
}

/// Rewrites the affected entries and those that were written since, as they are now, and then the records.
fn erase(
    transaction: &mut dyn Transaction,
    act: &Act,
    Affected { entries, mut last, mut erasure }: Affected,
) -> Result<ErasureReport, Error> {
    let mut rewritten = 0;
    let mut rewrite = |transaction: &mut dyn Transaction, entry: Entry| -> Result<(), Error> {
        if let Some(entry) = erasure.entry(&entry)? {
            transaction.rewrite(&entry)?;
            rewritten += 1;
        }
        Ok(())
    };
    for seq in entries {
        for entry in transaction.journal(Seq::new(seq.value() - 1), Limit::items(1))?.items {
            rewrite(transaction, entry)?;
        }
    }
    loop {
        let page = transaction.journal(last, PAGE)?;
        for entry in page.items {
            last = entry.seq;
            rewrite(transaction, entry)?;
        }
        if !page.more {
            break;
        }
    }
    let mut done = erasure.done.filter(|_| rewritten == 0);
    for mut decision in erasure.decisions(done.is_some()) {
        done = transaction.decide(act, &mut decision)?.or(done);
    }
    Ok(ErasureReport { entry: done.unwrap_or_default(), rewritten })
}

/// The erasure of one person as a walk through the journal, in its order.
///
/// The [owner](crate::store::Owner) that a kind of record declares says which records are about the person, and its
/// `personal` fields say what is left of one. All copies of a record change alike, so the journal still
/// makes the stored records, and stays possible under the rules. The chain stays whole: it is made of commitments, each
/// replaced value leaves its own in the entry, and the entries of the erasure list what stands in its place.
#[derive(Debug)]
struct Erasure {
    patient: PatientId,
    /// The entry of an earlier erasure of the person.
    done: Option<Seq>,
    /// The known invoices of the person.
    invoices: BTreeSet<InvoiceId>,
    /// The replaced values.
    erased: Vec<Erased>,
}

impl Erasure {
    /// Returns the erasure of the patient with this number, who may be voided already.
    const fn of(patient: PatientId) -> Self {
        Self { patient, done: None, invoices: BTreeSet::new(), erased: Vec::new() }
    }

    /// Returns the replacement of the next journal entry; `None` when it stays unchanged. Entries come in order, the
    /// first time all of them.
    ///
    /// # Errors
    /// When a value cannot be committed to.
    fn entry(&mut self, entry: &Entry) -> Result<Option<Entry>, StoreError> {
        let voided = self.voided();
        if entry.operation == JournalOperation::ErasePatient.name() && entry.changes().any(|change| *change == voided) {
            self.done = Some(entry.seq);
        }
        let put = || {
            entry.changes().filter_map(|change| match change {
                Change::Put(record) => Some(record),
                Change::Remove(_) => None,
            })
        };
        let invoices = put().filter_map(Invoice::from_record).filter(|invoice| invoice.patient_id == self.patient);
        self.invoices.extend(invoices.map(|invoice| invoice.invoice_id));
        let mut rewritten = None;
        for (revision, place) in entry.revisions.iter().zip(0..) {
            if let Some(without) = self.left_by(&revision.change) {
                let revision = &mut rewritten.get_or_insert_with(|| entry.clone()).revisions[place];
                let left = revision.erase(without)?;
                self.erased.push(Erased { seq: entry.seq, change: place as u64, left });
            }
        }
        Ok(rewritten)
    }

    /// Returns the record in the place of the one that a change puts; `None` when that one stays.
    fn left_by(&self, change: &Change) -> Option<Record> {
        let Change::Put(record) = change else { return None };
        record.emptied().filter(|without| without != record && self.owns(record))
    }

    /// Returns the decisions of the erasure. The first voids the patient unless that was done, cancels unpaid invoices,
    /// and empties the person's other records. The journal gets an entry of it, with its time and the list of the
    /// replaced values, and one of each further decision, which only goes on with a long list. Where it `was_done`
    /// before, it gets one only if a record has changed.
    fn decisions(&self, was_done: bool) -> Vec<Decision> {
        let mut lists = self.erased.chunks(Erased::MOST).map(<[_]>::to_vec);
        let first = self.first_decision(was_done, lists.next().unwrap_or_default());
        let voided = self.voided();
        let further = lists.map(|list| -> Decision {
            let outcome = Outcome { erased: Some(list), ..vec![voided.clone()].into() };
            Box::new(move |_: &Seen| Ok(outcome.clone()))
        });
        std::iter::once(first).chain(further).collect()
    }

    fn first_decision(&self, was_done: bool, erased: Vec<Erased>) -> Decision {
        let id = self.patient;
        let voided = self.voided();
        Box::new(move |seen: &Seen| {
            let mut draft = Draft::new(seen);
            let records = owned::erased(&draft, id)?;
            // The transaction itself has no limit.
            if seen.found() > Deciding::<()>::LIMIT {
                return Err(StoreError::from(StoreErrorKind::Excessive).into());
            }
            if draft.get::<Patient>(id)?.is_some() {
                let bills = records.iter().filter_map(Invoice::from_record);
                for unpaid in bills.filter(|invoice| invoice.state == InvoiceState::Unpaid) {
                    invoices::cancel(&mut draft, unpaid)?;
                }
                void(&mut draft, id)?;
            } else if draft.get::<Voided>(id)?.is_none() {
                return Err(Error::NotFound(RecordKind::Patient).into());
            }
            for record in records.iter().filter_map(Record::emptied) {
                if !draft.removes(&record.key()) {
                    draft.put(record);
                }
            }
            let mut changes = draft.into_changes();
            if was_done && changes.is_empty() {
                return Ok(Outcome::default());
            }
            if !changes.contains(&voided) {
                changes.push(voided.clone());
            }
            Ok(Outcome { erased: Some(erased.clone()), ..changes.into() })
        })
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
