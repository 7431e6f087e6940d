//! The chain of the journal, and the values that erasures have replaced.

use std::collections::BTreeMap;

use super::{Contradiction, values::Values};
use crate::{
    error::StoreError,
    model::{InvoiceId, PatientId},
    operation::JournalOperation,
    store::{Change, Commitment, Entry, Erased, Head, Record, Revision, Seq, Subject},
};

/// A place in the journal: an entry, and a change of it.
type Place = (Seq, u64);

/// The fault of a value that the chain does not cover.
const CHANGED: &str = "is not the one committed to, and no erasure left it";

/// The fault of a value in the place of one that an erasure has replaced.
const STANDS_AGAIN: &str = "is listed as erased, and stands again";

/// The chain as far as it was read. It goes on behind the first fault, from the link that the journal has there.
#[derive(Debug, Default)]
pub(super) struct Chain {
    last: Head,
    /// A head that was kept elsewhere and lies ahead.
    expected: Option<Head>,
    /// The first entry that does not follow the one before it, or is not of the expected head.
    pub(super) fault: Option<Contradiction>,
    /// The values that stand in the place of erased ones, with the commitments to them. Without a value, no erasure can
    /// have left what stands there.
    stands: BTreeMap<Place, (Option<Record>, Commitment)>,
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

    /// Returns the first value that is neither the one committed to nor the one that the last erasure left, and its
    /// entry.
    pub(super) fn changed(&self) -> Option<(Seq, Contradiction)> {
        let places = self.stands.keys().chain(self.left.keys());
        let wrong = places.filter_map(|place| Some((*place, self.fault_at(place)?)));
        wrong.min_by_key(|(place, _)| *place).map(|((seq, change), what)| {
            (seq, Contradiction::in_journal(seq, format!("the value of change {change} {what}")))
        })
    }

    /// Returns whether the list of an entry names a value that stood there otherwise when it was read.
    pub(super) fn is_outdated_by(&self, entry: &Entry) -> bool {
        let is_left = |it: &Erased| self.stands.get(&(it.seq, it.change)).is_some_and(|(_, stands)| *stands == it.left);
        !entry.erased.iter().flatten().all(is_left)
    }

    fn fault_at(&self, place: &Place) -> Option<&'static str> {
        match (self.stands.get(place), self.left.get(place)) {
            (None, None) => None,
            (Some(_), None) => Some(CHANGED),
            (Some((record, stands)), Some((person, left))) if stands == left => {
                let is_left = record.as_ref().is_some_and(|record| self.leaves(*person, record));
                (!is_left).then_some(CHANGED)
            }
            (_, Some(_)) => Some(STANDS_AGAIN),
        }
    }

    /// Returns whether the erasure of a person can leave this record: one of that person, without anything that an
    /// erasure removes. Otherwise the list of an erasure could cover any change.
    fn leaves(&self, person: PatientId, record: &Record) -> bool {
        let is_of_person = match record.subject() {
            Some(Subject::Patient(id)) => id == person,
            Some(Subject::Invoice(id)) => self.invoices.get(&id) == Some(&person),
            None => false,
        };
        is_of_person && record.emptied().as_ref() == Some(record)
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
                let record = Some(record).filter(|record| is_backed(entry, record)).cloned();
                self.stands.insert((entry.seq, place), (record, stands));
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

/// Returns whether the chain itself says whom the record in the place of an erased one is about. An empty reply says
/// nothing that other records could contradict, so it must be the one that its entry put first, and still commits to.
fn is_backed(entry: &Entry, record: &Record) -> bool {
    let is_first = |revision: &Revision| {
        revision.commitment.is_none() && matches!(&revision.change, Change::Put(first) if first == record)
    };
    match record {
        Record::Reply(reply) => reply.at == entry.at && entry.revisions.iter().any(is_first),
        _ => true,
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
