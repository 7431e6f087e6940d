//! A decision in the making.

use crate::{
    error::Conflict,
    store::{Change, Counter, Entity, Key, RecordKey, Seen, Series, Stop, Versioned},
};

/// What a decision has seen, and what it wants so far. It sees its own wishes as if they were written.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    seen: &'a Seen,
    changes: Vec<Change>,
}

impl<'a> Draft<'a> {
    pub(super) const fn new(seen: &'a Seen) -> Self {
        Self { seen, changes: Vec::new() }
    }

    /// The record with this identity, as it will be.
    pub(super) fn get<E: Entity>(&self, id: E::Id) -> Result<Option<E>, Stop> {
        let key = E::key(id);
        match self.changes.iter().find(|change| change.key() == key) {
            Some(Change::Put(record)) => return Ok(E::from_record(record).cloned()),
            Some(Change::Remove(_)) => return Ok(None),
            Some(Change::Read(_)) | None => {}
        }
        Ok(self.seen.one(Key::Record(key))?.map(|found: Versioned<&E>| found.record.clone()))
    }

    /// The record that a key means, as it is stored.
    pub(super) fn stored<E: Entity>(&self, key: impl Into<Key>) -> Result<Option<Versioned<E>>, Stop> {
        let found = self.seen.one(key.into())?;
        Ok(found.map(|found: Versioned<&E>| Versioned { version: found.version, record: found.record.clone() }))
    }

    /// All records that a key means, as they are stored.
    pub(super) fn all<E: Entity>(&self, key: Key) -> Result<Vec<E>, Stop> {
        Ok(self.seen.all(key)?.map(|found: Versioned<&E>| found.record.clone()).collect())
    }

    /// Wants this record, whether or not it was there.
    pub(super) fn put(&mut self, record: impl Entity) {
        self.change(Change::put(record));
    }

    /// Wants this record gone.
    pub(super) fn remove(&mut self, key: RecordKey) {
        self.change(Change::Remove(key));
    }

    /// Gives the next number of a series.
    pub(super) fn next(&mut self, series: Series) -> Result<i64, Stop> {
        let last = self.get::<Counter>(series)?.map_or(0, |counter| counter.last);
        let last = last.checked_add(1).ok_or(Conflict::NoNumberLeft)?;
        self.put(Counter { series, last });
        Ok(last)
    }

    /// What is left to write: a record that stays as it is stored, or stays absent, is no change.
    pub(super) fn into_changes(self) -> Vec<Change> {
        let seen = self.seen;
        let is_new = |change: &Change| match change {
            Change::Put(record) => !seen.holds(record),
            Change::Remove(key) => !seen.lacks(key),
            Change::Read(_) => true,
        };
        self.changes.into_iter().filter(is_new).collect()
    }

    fn change(&mut self, change: Change) {
        let key = change.key();
        // One change for each record, where it was first wanted.
        match self.changes.iter_mut().find(|earlier| earlier.key() == key) {
            Some(earlier) => *earlier = change,
            None => self.changes.push(change),
        }
    }
}
