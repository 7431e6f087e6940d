//! The result of a decision.

use crate::{
    error::StoreError,
    store::{Act, Change, Entry, EntryValues, Erased, Head, Key, Keys, Link, RecordKey, Revision, Seen, Seq, Stop},
};

/// The changes of a decision, with the versions that they replace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The records that the caller gets to read, which are recorded beside the changes.
    pub reads: Vec<RecordKey>,
    /// The values in earlier entries that an erasure has replaced; `None` for anything but an erasure.
    pub erased: Option<Vec<Erased>>,
}

/// An outcome with the versions that it replaces: an [`Entry`] without its number and its [`Act`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The changes, in order, each with the version that it replaces.
    pub revisions: Vec<Revision>,
    /// The records that are read.
    pub reads: Vec<RecordKey>,
    /// The values in earlier entries that an erasure has replaced.
    pub erased: Option<Vec<Erased>>,
}

impl From<Vec<Change>> for Outcome {
    fn from(changes: Vec<Change>) -> Self {
        Self { changes, ..Self::default() }
    }
}

impl Outcome {
    /// Returns whether there are no changes and no reads.
    pub const fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.reads.is_empty()
    }
}

impl Plan {
    /// Returns the plan of an outcome, if the versions of the changed records were loaded.
    ///
    /// This is for stores that pass decisions on to another store; others call [`decide`](crate::store::decide).
    ///
    /// # Errors
    /// [`Stop::Need`] for the records that were not loaded yet.
    pub fn of(outcome: Outcome, seen: &Seen) -> Result<Self, Stop> {
        let replaced = Self::replaced(&outcome, seen).map_err(Stop::Need)?;
        Ok(Self::settle(outcome, replaced))
    }

    /// Returns whether there are no changes and no reads.
    pub const fn is_empty(&self) -> bool {
        self.revisions.is_empty() && self.reads.is_empty()
    }

    /// Returns the version that each change replaces, or the keys to load before they are known.
    pub(super) fn replaced(outcome: &Outcome, seen: &Seen) -> Result<Vec<Seq>, Keys> {
        let mut unseen = Vec::new();
        let mut replaced = Vec::with_capacity(outcome.changes.len());
        for key in outcome.changes.iter().map(Change::key) {
            match seen.version(&key) {
                Some(version) => replaced.push(version),
                None => unseen.push(Key::Record(key)),
            }
        }
        if unseen.is_empty() { Ok(replaced) } else { Err(unseen.into()) }
    }

    /// Returns the plan of an outcome whose changes replace these versions.
    pub(super) fn settle(Outcome { changes, reads, erased }: Outcome, replaced: Vec<Seq>) -> Self {
        let revisions = changes.into_iter().zip(replaced).map(|(change, replaced)| Revision::of(change, replaced));
        Self { revisions: revisions.collect(), reads, erased }
    }
}

impl Act {
    /// Returns the journal entry of an act with this plan, which follows the last entry of the journal.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`](crate::error::StoreErrorKind::Broken) when a value cannot be written as JSON, or the
    /// operating system has no random number for its salt.
    pub fn enter(&self, last: Head, plan: Plan) -> Result<Entry, StoreError> {
        self.enter_with_values(last, plan).map(|(entry, _)| entry)
    }

    /// Returns the journal entry as [`enter`](Self::enter) does, and its values as JSON for the
    /// [row](crate::store::rows::EntryRow::with).
    ///
    /// # Errors
    /// Those of [`enter`](Self::enter).
    pub fn enter_with_values(&self, last: Head, plan: Plan) -> Result<(Entry, EntryValues), StoreError> {
        let Plan { revisions, reads, erased } = plan;
        let (seq, actor, operation) = (last.seq.next(), self.actor.as_ref().to_owned(), self.operation.name().into());
        let mut entry = Entry { seq, at: self.at, actor, operation, revisions, reads, erased, link: Link::ZERO };
        let values = entry.enter_after(&last.link)?;
        Ok((entry, values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        error::StoreError,
        model::{Patient, PatientId},
        store::{Decision, Lookup, RecordKey, Versioned, Voided, decide, decide_async},
    };

    /// Loads patient 1 in version 3; all other patients are absent.
    fn load(key: &Key) -> Result<Lookup, StoreError> {
        let patient = Patient::new(PatientId::FIRST);
        let is_there = *key == Key::Record(RecordKey::Patient(patient.patient_id));
        Ok(is_there.then(|| Versioned { version: Seq::new(3), record: patient.into() }).into())
    }

    fn decision() -> Decision {
        let id = PatientId::FIRST;
        Box::new(move |_: &Seen| {
            let changes = vec![
                Change::put(Patient::new(id)),
                Change::put(Voided { patient_id: id }),
                Change::Remove(RecordKey::Patient(id)),
            ];
            // A record that is only read need not be loaded for the plan.
            Ok::<_, Stop>(Outcome { changes, reads: vec![RecordKey::History(id)], erased: None })
        })
    }

    #[test]
    fn a_plan_knows_what_each_change_meets() {
        let plan = decide(&mut decision(), load).unwrap();
        let replaced: Vec<_> = plan.revisions.iter().map(|revision| revision.replaced).collect();
        assert_eq!(replaced, [3, 0, 3].map(Seq::new));
        assert_eq!(plan.reads, [RecordKey::History(PatientId::FIRST)]);
        let mut decision = decision();
        let waited = decide_async(&mut decision, async |keys: &[Key]| keys.iter().map(load).collect());
        assert_eq!(futures_executor::block_on(waited).unwrap(), plan);
    }

    #[test]
    fn what_was_not_seen_is_asked_for() {
        let changes = vec![Change::Remove(RecordKey::Patient(PatientId::FIRST))].into();
        let key = Key::Record(RecordKey::Patient(PatientId::FIRST));
        assert!(matches!(Plan::of(changes, &Seen::default()), Err(Stop::Need(needed)) if *needed == [key]));
    }
}
