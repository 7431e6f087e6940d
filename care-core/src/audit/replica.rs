//! The records according to the journal.

use std::{
    collections::{BTreeMap, btree_map::Range, hash_map::DefaultHasher},
    hash::Hasher,
    io,
    ops::Bound,
};

use crate::store::{Change, Entry, Record, RecordKey, Seq, Versioned};

/// The replayed journal. Of each record it keeps the entry that put it and a digest, which is enough to recognise the
/// record, so that the content of the store need not fit into memory.
#[derive(Debug, Default)]
pub(super) struct Replica {
    records: BTreeMap<RecordKey, Fingerprint>,
    last: Seq,
}

/// The version and the digest of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// The entry that put the record.
    pub(super) version: Seq,
    digest: u64,
}

impl Replica {
    /// Returns the number of the last entry.
    pub(super) const fn last(&self) -> Seq {
        self.last
    }

    pub(super) fn holds(&self, key: &RecordKey) -> bool {
        self.records.contains_key(key)
    }

    /// Returns whether it holds this record, in any version.
    pub(super) fn holds_as_it_is(&self, record: &Record) -> bool {
        self.records.get(&record.key()).is_some_and(|kept| *kept == Fingerprint::of(kept.version, record))
    }

    /// Returns the records above one key and up to another.
    pub(super) fn between(
        &self,
        after: Option<&RecordKey>,
        last: Option<&RecordKey>,
    ) -> Range<'_, RecordKey, Fingerprint> {
        self.records
            .range((after.map_or(Bound::Unbounded, Bound::Excluded), last.map_or(Bound::Unbounded, Bound::Included)))
    }

    /// Applies a change of this entry, and returns the earlier fingerprint of the record.
    pub(super) fn apply(&mut self, entry: &Entry, change: &Change) -> Option<Fingerprint> {
        match change {
            Change::Put(record) => {
                let kept = Fingerprint::of(entry.seq, record);
                self.records.insert(record.key(), kept)
            }
            Change::Remove(key) => self.records.remove(key),
        }
    }

    /// Notes that the entry is applied.
    pub(super) const fn end(&mut self, entry: &Entry) {
        self.last = entry.seq;
    }
}

impl Fingerprint {
    /// Returns the fingerprint of a record in the store.
    pub(super) fn found(found: &Versioned<Record>) -> Self {
        Self::of(found.version, &found.record)
    }

    fn of(version: Seq, record: &Record) -> Self {
        let mut digest = Digest(DefaultHasher::new());
        // Every record from a journal can be written as JSON; one that cannot gets the digest of nothing.
        if serde_json::to_writer(&mut digest, record).is_err() {
            digest = Digest(DefaultHasher::new());
        }
        Self { version, digest: digest.0.finish() }
    }
}

struct Digest(DefaultHasher);

impl io::Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
