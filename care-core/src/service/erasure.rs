//! Erasing a person for good, from the records and from the past: the use case, and what finds that which names the
//! person and says what stands in its place.

use std::collections::{BTreeMap, BTreeSet};

use super::{CareService, base::draft::Draft, money::invoices, patients::void};
use crate::{
    error::{Error, StoreError, StoreErrorKind},
    kinds::RecordKind,
    model::{Invoice, InvoiceId, InvoiceState, Patient, PatientId, Prescription},
    operation::JournalOperation,
    store::{
        Act, Change, Decision, Entity, Entry, Erased, InvoiceFilter, Key, Limit, Outcome, Record, RecordKey, Reply,
        ReplyId, Seen, Seq, Subject, Transaction, Versioned, Voided,
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
    /// Removed is all data of the person, which records declare as `personal`: each field of the patient, what was
    /// diagnosed, every dosage, the person's data on invoices, the notes of what came back of these, of their refunds
    /// and of corrections, and the service's kept answers about them. All copies of a record change alike, so the
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
    /// [`Maintenance`](crate::store::Maintenance); and the store's failures. Nothing was erased then.
    pub async fn erase_patient(&self, patient: PatientId) -> Result<ErasureReport, Error> {
        let act = self.act(JournalOperation::ErasePatient)?;
        let maintenance = self.store.maintenance().ok_or_else(|| StoreError::from(StoreErrorKind::Unsupported))?;
        let affected = self.affected(patient).await?;
        let erased = maintenance.transaction(move |transaction| erase(transaction, patient, &act, affected)).await?;
        self.feed.announce(erased.entry);
        Ok(erased)
    }

    /// Finds the entries that an erasure rewrites, or that say that it was done, without a transaction. Returns them,
    /// and the last entry that was looked at.
    async fn affected(&self, patient: PatientId) -> Result<(Vec<Seq>, Seq), Error> {
        let (mut affected, mut last) = (Vec::new(), Seq::ZERO);
        let mut erasure = Erasure::of(patient);
        loop {
            let page = self.store.journal(last, PAGE).await?;
            for entry in &page.items {
                let is_removed = erasure.is_removed_in(entry);
                if erasure.entry(entry)?.is_some() || is_removed || erasure.done == Some(entry.seq) {
                    affected.push(entry.seq);
                }
                last = entry.seq;
            }
            if !page.more {
                return Ok((affected, last));
            }
        }
    }
}

/// Rewrites the affected entries and those that were written since, as they are now, and then the records.
fn erase(
    transaction: &mut dyn Transaction,
    patient: PatientId,
    act: &Act,
    (affected, mut last): (Vec<Seq>, Seq),
) -> Result<ErasureReport, Error> {
    let filter = InvoiceFilter { patient_id: Some(patient), ..InvoiceFilter::default() };
    let paid = transaction.list(&Invoice::list(&filter, None), Limit::ALL)?.items;
    let paid = paid.into_iter().filter_map(|found| Invoice::try_from_record(found.record));
    let paid: Vec<_> = paid.filter(|invoice| invoice.state != InvoiceState::Unpaid).collect();
    let mut erasure = Erasure::of(patient);
    // The walk leaves out entries that put them.
    erasure.invoices.extend(paid.iter().map(|invoice| invoice.invoice_id));
    let mut rewritten = 0;
    let mut rewrite = |transaction: &mut dyn Transaction, entry: Entry| -> Result<(), Error> {
        if let Some(entry) = erasure.entry(&entry)? {
            transaction.rewrite(&entry)?;
            rewritten += 1;
        }
        Ok(())
    };
    for seq in affected {
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
    if let Some(entry) = erasure.done.filter(|_| rewritten == 0) {
        return Ok(ErasureReport { entry, rewritten });
    }
    let mut entry = Seq::ZERO;
    for mut decision in erasure.decisions(paid) {
        entry = transaction.decide(act, &mut decision)?.unwrap_or_default();
    }
    for Versioned { version, record } in erasure.replies() {
        transaction.rewrite_record(&Versioned { version, record: Record::from(record.clone()) })?;
    }
    Ok(ErasureReport { entry, rewritten })
}

/// The erasure of one person as a walk through the journal, in its order: see
/// [`CareService::erase_patient`](crate::service::CareService::erase_patient).
///
/// Numbers, days, medicines, amounts and states stay: they are the facility's books, and identify no person. Removed
/// are all statements about the person, which records declare as `personal`: each field of the patient, diagnoses,
/// every dosage, the person's data on invoices, the notes of returns, refunds and corrections of these, and the stored
/// answers of the service about them.
///
/// A store walks its journal with [`entry`](Self::entry) and stores the returned entries in the place of the given
/// ones, with the same `seq`. Then it runs the [`decisions`](Self::decisions), and stores the
/// [`replies`](Self::replies). All copies of a record change alike, so the journal still makes the stored records, and
/// stays possible under the rules. The chain stays whole: it is made of commitments, each replaced value leaves its
/// own in the entry, and the entries of the erasure list what stands in its place.
#[derive(Debug)]
struct Erasure {
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
    const fn of(patient: PatientId) -> Self {
        Self {
            patient,
            done: None,
            invoices: BTreeSet::new(),
            noteless: Vec::new(),
            kept: BTreeMap::new(),
            erased: Vec::new(),
        }
    }

    /// Returns whether the next journal entry removes a reply that was emptied before. Such an entry stays unchanged,
    /// but no walk may leave it out.
    fn is_removed_in(&self, entry: &Entry) -> bool {
        entry
            .changes()
            .any(|change| matches!(change, Change::Remove(RecordKey::Reply(id)) if self.kept.contains_key(id)))
    }

    /// Returns the replacement of the next journal entry; `None` when it stays unchanged. Entries come in order.
    /// Entries that are known to stay unchanged from an earlier walk may be left out.
    ///
    /// # Errors
    /// When a value cannot be committed to.
    fn entry(&mut self, entry: &Entry) -> Result<Option<Entry>, StoreError> {
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
    fn decisions(&self, paid: Vec<Invoice>) -> Vec<Decision> {
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
                return Err(Error::NotFound(RecordKind::Patient).into());
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
    fn replies(&self) -> impl Iterator<Item = Versioned<&Reply>> {
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
