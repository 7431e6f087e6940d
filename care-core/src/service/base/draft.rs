//! The records and the changes of a decision.

use crate::{
    error::{Conflict, Error},
    store::{Ask, Change, Counter, Entity, Key, KeyedList, Lookup, Record, RecordKey, Seen, Series, Stop, Versioned},
};

/// The records that a decision has seen, and its changes until now. It sees its own changes as if they were written.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    seen: &'a Seen,
    /// One change for each record, in the order of the first changes.
    changes: KeyedList<RecordKey, Change>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(seen: &'a Seen) -> Self {
        Self { seen, changes: KeyedList::default() }
    }

    /// Returns the stored records that the decision has seen.
    pub(crate) const fn seen(&self) -> &'a Seen {
        self.seen
    }

    /// Asks for all of these keys at once. A use case that knows several of them calls this first: they are loaded
    /// together, so the decision runs once more, and not once more for each key.
    pub(crate) fn need(&self, keys: impl IntoIterator<Item = Key>) -> Result<(), Stop> {
        self.seen.need(keys)
    }

    /// Returns the record with this identity, after the changes until now.
    pub(crate) fn get<E: Entity>(&self, id: E::Id) -> Result<Option<E>, Stop> {
        let key = E::key(id);
        match self.changes.get(&key) {
            Some(Change::Put(record)) => return Ok(E::from_record(record).cloned()),
            Some(Change::Remove(_)) => return Ok(None),
            None => {}
        }
        Ok(self.seen.record::<E>(key)?.map(|found| found.record.clone()))
    }

    /// Returns the record with this identity, which must exist, after the changes until now.
    pub(crate) fn required<E: Entity>(&self, id: E::Id) -> Result<E, Stop> {
        Ok(self.get::<E>(id)?.ok_or(Error::NotFound(E::KIND))?)
    }

    /// Returns the stored record that is asked for.
    pub(crate) fn stored<E: Entity>(&self, ask: Ask<Option<Versioned<E>>>) -> Result<Option<Versioned<E>>, Stop> {
        Ok(self.seen.one(ask)?.map(Versioned::cloned))
    }

    /// Returns all stored records that are asked for.
    pub(crate) fn all<E: Entity>(&self, ask: Ask<Vec<Versioned<E>>>) -> Result<Vec<E>, Stop> {
        Ok(self.seen.all(ask)?.map(|found| found.record.clone()).collect())
    }

    /// Returns all stored records under a key, of whatever kind.
    pub(crate) fn records(&self, key: &Key) -> Result<Vec<Record>, Stop> {
        Ok(match self.seen.lookup(key)? {
            Lookup::One(found) => vec![found.record],
            Lookup::Many(found) => found.into_iter().map(Versioned::into_record).collect(),
            Lookup::None | Lookup::TooMany | Lookup::Number(_) => Vec::new(),
        })
    }

    /// Returns whether the changes until now remove this record.
    pub(crate) fn removes(&self, key: &RecordKey) -> bool {
        matches!(self.changes.get(key), Some(Change::Remove(_)))
    }

    /// Puts this record in the place of a stored one, if there is one.
    pub(crate) fn put(&mut self, record: impl Into<Record>) {
        self.change(Change::put(record));
    }

    /// Removes this record.
    pub(crate) fn remove(&mut self, key: RecordKey) {
        self.change(Change::Remove(key));
    }

    /// Returns the changes until now.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().map(|(_, change)| change)
    }

    /// Returns the next number of a series, which is then used.
    pub(crate) fn next(&mut self, series: Series) -> Result<i64, Stop> {
        let last = self.get::<Counter>(series)?.map_or(0, |counter| counter.last);
        let last = last.checked_add(1).ok_or(Conflict::NoNumberLeft)?;
        self.put(Counter { series, last });
        Ok(last)
    }

    /// Returns the changes to write. A record that stays as it is stored, or stays absent, is no change. A
    /// [reply](crate::store::Reply) about a patient is put twice.
    pub(crate) fn into_changes(self) -> Vec<Change> {
        let seen = self.seen;
        let is_new = |(key, change): &(RecordKey, Change)| match change {
            Change::Put(record) => !seen.holds(key, record),
            Change::Remove(key) => !seen.lacks(key),
        };
        let mut changes = Vec::with_capacity(self.changes.iter().len() + 1);
        for (_, change) in self.changes.into_entries().filter(is_new) {
            if let Change::Put(Record::Reply(reply)) = &change
                && reply.patient_id.is_some()
                && reply.request.is_some()
            {
                changes.push(Change::put(reply.emptied()));
            }
            changes.push(change);
        }
        changes
    }

    fn change(&mut self, change: Change) {
        self.changes.insert(change.key(), change);
    }
}
