//! A decision in the making.

use crate::{
    error::Conflict,
    store::{Change, Counter, Entity, Key, Keyed, RecordKey, Seen, Series, Stop, Versioned},
};

/// What a decision has seen, and what it wants so far. It sees its own wishes as if they were written.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    seen: &'a Seen,
    /// One change for each record, in the order in which they were first wanted.
    changes: Keyed<RecordKey, Change>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(seen: &'a Seen) -> Self {
        Self { seen, changes: Keyed::default() }
    }

    /// Asks for all of these keys at once. A use case that knows several of them says so before it goes on, and what
    /// they mean is loaded together: it runs once more then, and not once more for each.
    pub(super) fn need(&self, keys: impl IntoIterator<Item = Key>) -> Result<(), Stop> {
        self.seen.need(keys)
    }

    /// The record with this identity, as it will be.
    pub(super) fn get<E: Entity>(&self, id: E::Id) -> Result<Option<E>, Stop> {
        let key = E::key(id);
        match self.changes.get(&key) {
            Some(Change::Put(record)) => return Ok(E::from_record(record).cloned()),
            Some(Change::Remove(_)) => return Ok(None),
            None => {}
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

    /// The number that a key means, as it is stored.
    pub(super) fn count(&self, key: Key) -> Result<u64, Stop> {
        self.seen.count(key)
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
        let is_new = |(key, change): &(RecordKey, Change)| match change {
            Change::Put(record) => !seen.holds(key, record),
            Change::Remove(key) => !seen.lacks(key),
        };
        self.changes.into_entries().filter(is_new).map(|(_, change)| change).collect()
    }

    fn change(&mut self, change: Change) {
        self.changes.insert(change.key(), change);
    }
}
