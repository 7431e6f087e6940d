//! The rows of the journal.

use sha2::{Digest, Sha256};

use super::{RowError, RowReader, RowWriter};
use crate::store::{Entry, Seq};

/// The row of a journal entry. Its columns are `seq`, `at` in milliseconds since 1970-01-01, `actor`, `operation`, `changes`
/// and `reads` as JSON, and `digest`.
#[derive(Debug)]
pub struct EntryRow<'a> {
    entry: &'a Entry,
    seq: i64,
    changes: String,
    reads: String,
    digest: [u8; 32],
}

impl<'a> EntryRow<'a> {
    /// Returns the row of an entry.
    ///
    /// # Errors
    /// [`RowError::TooMany`] and [`RowError::Encode`].
    pub fn of(entry: &'a Entry) -> Result<Self, RowError> {
        let seq = i64::try_from(entry.seq.value()).map_err(|_| RowError::TooMany)?;
        let changes = serde_json::to_string(&entry.revisions).map_err(RowError::Encode)?;
        let reads = serde_json::to_string(&entry.reads).map_err(RowError::Encode)?;
        let mut digest = EntryDigest::new(seq, entry.at.unix_millis());
        for text in [&entry.actor, &*entry.operation, &changes, &reads] {
            digest.add(text);
        }
        Ok(Self { entry, seq, changes, reads, digest: digest.finish() })
    }

    /// Returns the digest, which reveals changes by hand.
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Writes the columns in their order.
    ///
    /// # Errors
    /// The store's failure.
    pub fn write<W: RowWriter>(self, cells: &mut W) -> Result<(), W::Error> {
        let Self { entry, seq, changes, reads, digest } = self;
        cells.put(seq)?;
        cells.set(&entry.at)?;
        cells.put(entry.actor.as_str())?;
        cells.put(&*entry.operation)?;
        cells.put(changes)?;
        cells.put(reads)?;
        cells.put(&digest[..])
    }

    /// Reads an entry from the columns before `digest`.
    ///
    /// # Errors
    /// [`RowError::Damaged`], or the store's failure.
    pub fn read<R: RowReader>(cells: &mut R) -> Result<Entry, R::Error> {
        Ok(Entry {
            seq: Seq::new(cells.get::<i64>()?.cast_unsigned()),
            at: cells.get()?,
            actor: cells.get()?,
            operation: cells.get::<String>()?.into(),
            revisions: cells.json()?,
            reads: cells.json()?,
        })
    }

    /// Reads all columns and returns the digest, `None` when another column does not agree with it.
    ///
    /// # Errors
    /// [`RowError::Damaged`], or the store's failure.
    pub fn seal<R: RowReader>(cells: &mut R) -> Result<Option<[u8; 32]>, R::Error> {
        let mut digest = EntryDigest::new(cells.get()?, cells.get()?);
        for _ in 0..4 {
            match cells.maybe_str()? {
                Some(text) => digest.add(text),
                None => return Err(cells.damaged()),
            }
        }
        let kept = cells.bytes()?;
        Ok((digest.finish() == kept).then_some(kept))
    }
}

/// The digest of an entry's row, until all texts are added.
struct EntryDigest(Sha256);

impl EntryDigest {
    fn new(seq: i64, at: i64) -> Self {
        let mut hash = Sha256::new();
        hash.update(seq.to_be_bytes());
        hash.update(at.to_be_bytes());
        Self(hash)
    }

    fn add(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}
