//! The chain of the journal, and the values that erasures have replaced.

use std::collections::{BTreeMap, BTreeSet};

use super::{Contradiction, values::Values};
use crate::{
    error::StoreError,
    model::{Diagnosis, History, Invoice, InvoiceId, Movement, Patient, PatientId, Prescription, Receipt, ReceiptKind},
    operation::JournalOperation,
    store::{CareStore, Change, Commitment, Entry, Erased, Head, Limit, Record, Reply, Revision, Seq},
};

/// A place in the journal: an entry, and a change of it.
type Place = (Seq, u64);

/// The chain as far as it was read. It goes on behind the first fault, from the link that the journal has there.
#[derive(Debug, Default)]
pub(super) struct Chain {
    last: Head,
    /// A head that was kept elsewhere and lies ahead.
    expected: Option<Head>,
    /// The first entry that does not follow the one before it, or is not of the expected head.
    pub(super) fault: Option<Contradiction>,
    /// The values that stand in the place of erased ones, with the commitments to them.
    stands: BTreeMap<Place, (Record, Commitment)>,
    /// The commitments to what the last erasure of each place left there, and the person whom it erased.
    left: BTreeMap<Place, (PatientId, Commitment)>,
    /// The patients of the invoices. A return names the invoice only.
    invoices: BTreeMap<InvoiceId, PatientId>,
}

impl Chain {
    /// Returns the chain of a journal that is to lead to this head.
    pub(super) fn to(expected: Option<Head>) -> Self {
        let mut chain = Self { expected, ..Self::default() };
        chain.meet();
        chain
    }

    /// Returns the head of what was read.
    pub(super) const fn last(&self) -> Head {
        self.last
    }

    /// Follows the chain to the next entry, whose values are these.
    pub(super) fn enter(&mut self, entry: &Entry, values: &Values) -> Result<(), StoreError> {
        let (mut stand, mut chained) = (Vec::new(), Vec::new());
        for (revision, value) in entry.revisions.iter().zip(values.each()) {
            let stands = revision.commitment_to(value);
            stand.push(stands);
            chained.push(revision.commitment.or(stands));
        }
        if entry.link_with(&self.last.link, &chained)? != entry.link {
            self.find(entry.seq, "the link is not the one that this entry has behind the one before it");
        }
        if entry.erased.is_some() != (entry.operation == JournalOperation::ErasePatient.name()) {
            self.find(entry.seq, "the entry lists erased values, or does not, against its operation");
        }
        let erased = entry.erased.as_deref().unwrap_or_default();
        if erased.len() > Erased::MOST || erased.iter().any(|erased| erased.seq >= entry.seq) {
            self.find(entry.seq, "the list of erased values is too long, or names a value that comes later");
        }
        match person(entry) {
            // A later erasure counts before an earlier one.
            Some(id) => self.left.extend(erased.iter().map(|it| ((it.seq, it.change), (id, it.left)))),
            None if entry.erased.is_some() => self.find(entry.seq, "the erasure is not of one person"),
            None => {}
        }
        self.note(entry, stand);
        self.last = entry.head();
        self.meet();
        Ok(())
    }

    /// Notes that the next entry is missing.
    pub(super) fn misses(&mut self, due: Seq) {
        self.find(due, "the entry is missing");
    }

    /// Checks the end of the journal.
    pub(super) fn end(&mut self) {
        if self.expected.is_some() {
            self.find(self.last.seq.next(), "the journal ends before the given head");
        }
    }

    /// Returns the first value that is neither the one committed to nor the one that an erasure left.
    pub(super) fn changed(&self) -> Option<Contradiction> {
        self.wrong().next().map(|(seq, change)| {
            let what = format!("the value of change {change} is not the one committed to, and no erasure left it");
            Contradiction::in_journal(seq, what)
        })
    }

    /// Reads the entries of such values again: they may have been erased anew since they were read.
    pub(super) async fn read_again(&mut self, store: &dyn CareStore) -> Result<(), StoreError> {
        let entries: BTreeSet<_> = self.wrong().map(|(seq, _)| seq).collect();
        for seq in entries {
            let before = Seq::new(seq.value().saturating_sub(1));
            for entry in store.journal(before, Limit::items(1)).await?.items {
                let stand = entry.revisions.iter().map(Revision::value_commitment).collect::<Result<_, _>>()?;
                self.note(&entry, stand);
            }
        }
        Ok(())
    }

    fn wrong(&self) -> impl Iterator<Item = Place> {
        let is_left = |place, record: &Record, stands: &Commitment| {
            self.left.get(place).is_some_and(|(person, left)| left == stands && self.leaves(*person, record))
        };
        let wrong = self.stands.iter().filter(move |(place, (record, stands))| !is_left(place, record, stands));
        wrong.map(|(place, _)| *place)
    }

    /// Returns whether the erasure of a person can leave this record: one of that person, without anything that an
    /// erasure removes. Otherwise the list of an erasure could cover any change.
    fn leaves(&self, person: PatientId, record: &Record) -> bool {
        match record {
            Record::Patient(patient) => *patient == Patient::new(person),
            Record::History(History { patient_id, dosage: None, diseases: 0, .. })
            | Record::Prescription(Prescription { patient_id, dosage: None, .. })
            | Record::Invoice(Invoice {
                patient_id,
                name: None,
                age: None,
                gender: None,
                phone: None,
                email: None,
                dosage: None,
                ..
            }) => *patient_id == person,
            Record::Diagnosis(Diagnosis { patient_id, diseases, .. }) => *patient_id == person && diseases.is_empty(),
            Record::Movement(Movement { note: None, invoice_id: Some(of), .. }) => {
                self.invoices.get(of) == Some(&person)
            }
            Record::Receipt(Receipt { kind, note: None, invoice_id: of, .. }) => {
                *kind != ReceiptKind::Payment && self.invoices.get(of) == Some(&person)
            }
            Record::Reply(Reply { request: None, fingerprint, answer, .. }) => {
                fingerprint.is_empty() && answer.is_null()
            }
            _ => false,
        }
    }

    /// Notes what stands in the place of the entry's erased values. The chain covers every other value itself.
    fn note(&mut self, entry: &Entry, stand: Vec<Option<Commitment>>) {
        for ((revision, stands), place) in entry.revisions.iter().zip(stand).zip(0..) {
            let Change::Put(record) = &revision.change else {
                continue;
            };
            if let Record::Invoice(invoice) = record {
                self.invoices.insert(invoice.invoice_id, invoice.patient_id);
            }
            if revision.commitment.is_some()
                && let Some(stands) = stands
            {
                self.stands.insert((entry.seq, place), (record.clone(), stands));
            }
        }
    }

    /// Compares the head with the expected one, once it is reached.
    fn meet(&mut self) {
        if let Some(expected) = self.expected.take_if(|expected| expected.seq == self.last.seq)
            && expected != self.last
        {
            self.find(expected.seq, "the link is not that of the given head");
        }
    }

    fn find(&mut self, seq: Seq, what: &'static str) {
        self.fault.get_or_insert_with(|| Contradiction::in_journal(seq, what));
    }
}

/// Returns the one person whom the entry voids.
fn person(entry: &Entry) -> Option<PatientId> {
    let mut voided = entry.changes().filter_map(|change| match change {
        Change::Put(Record::Voided(voided)) => Some(voided.patient_id),
        _ => None,
    });
    voided.next().filter(|_| voided.next().is_none())
}
