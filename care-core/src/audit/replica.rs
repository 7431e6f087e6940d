//! The records according to the journal.

use std::{
    collections::{BTreeMap, btree_map::Range},
    hash::{BuildHasher, Hasher, RandomState},
    ops::Bound,
};

use crate::store::{Change, Entry, Owner, Record, RecordKey, RecordKind, Seq, Subject, Versioned};

/// The replayed journal. Of each record it keeps the entry that put it, a digest, which is enough to recognise the
/// record, and whose it is, so that the content of the store need not fit into memory.
#[derive(Debug, Default)]
pub(super) struct Replica {
    records: BTreeMap<RecordKey, Fingerprint>,
    last: Seq,
    /// The key of the digests, another one in each audit, so that a forger cannot make a record beforehand that has the
    /// digest of another.
    key: RandomState,
}

/// The version and the digest of a record, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// The entry that put the record.
    pub(super) version: Seq,
    digest: u64,
    subject: Option<Subject>,
}

impl Replica {
    /// Returns the number of the last entry.
    pub(super) const fn last(&self) -> Seq {
        self.last
    }

    pub(super) fn holds(&self, key: &RecordKey) -> bool {
        self.records.contains_key(key)
    }

    /// Returns the entry that put the record last.
    pub(super) fn version(&self, key: &RecordKey) -> Option<Seq> {
        self.records.get(key).map(|kept| kept.version)
    }

    /// Returns whether it holds this record, in any version.
    pub(super) fn holds_as_it_is(&self, record: &Record) -> bool {
        self.records.get(&record.key()).is_some_and(|kept| *kept == self.of(kept.version, record))
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

    /// Returns whose each record is, of those that have an owner.
    pub(super) fn owned(&self) -> impl Iterator<Item = (&RecordKey, Owner, Subject)> {
        self.records.iter().filter_map(|(key, kept)| Some((key, RecordKind::of(key).owner()?, kept.subject?)))
    }

    /// Returns whose a record is, if it is there and about a person.
    pub(super) fn subject(&self, key: &RecordKey) -> Option<Subject> {
        self.records.get(key)?.subject
    }

    /// Returns the fingerprint of a record in the store.
    pub(super) fn found(&self, found: &Versioned<Record>) -> Fingerprint {
        self.of(found.version, &found.record)
    }

    /// Applies a change of this entry with the JSON of its value, and returns the earlier fingerprint of the record.
    pub(super) fn apply(&mut self, entry: &Entry, change: &Change, value: &[u8]) -> Option<Fingerprint> {
        match change {
            Change::Put(record) => {
                let (digest, subject) = (self.digest(value), record.subject());
                let kept = Fingerprint { version: entry.seq, digest, subject };
                self.records.insert(record.key(), kept)
            }
            Change::Remove(key) => self.records.remove(key),
        }
    }

    /// Notes that the entry is applied.
    pub(super) const fn end(&mut self, entry: &Entry) {
        self.last = entry.seq;
    }

    fn of(&self, version: Seq, record: &Record) -> Fingerprint {
        // Every record from a journal can be written as JSON; one that cannot gets the digest of nothing.
        let digest = self.digest(&serde_json::to_vec(record).unwrap_or_default());
        Fingerprint { version, digest, subject: record.subject() }
    }

    fn digest(&self, value: &[u8]) -> u64 {
        let mut digest = self.key.build_hasher();
        digest.write(value);
        digest.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_digest_is_known_before_the_audit() {
        let digest = || Replica::default().digest(b"{\"patientId\":7}");
        assert_ne!(digest(), digest());
    }
}
