//! The rows of the journal.

use super::{RowError, RowReader, RowWriter};
use crate::store::{Entry, EntryValues, Head, Link, Seq};

/// The row of a journal entry. Its columns are `seq`, `at` in milliseconds since 1970-01-01, `actor`, `operation`,
/// `changes`, `reads` and `erased` as JSON, and `link`. Only the row of an erasure has `erased`.
#[derive(Debug)]
pub struct EntryRow<'a> {
    entry: &'a Entry,
    seq: i64,
    changes: String,
    reads: String,
    erased: Option<String>,
}

impl<'a> EntryRow<'a> {
    /// Returns the row of an entry.
    ///
    /// # Errors
    /// [`RowError::TooMany`] and [`RowError::Encode`].
    pub fn of(entry: &'a Entry) -> Result<Self, RowError> {
        Self::new(entry, serde_json::to_string(&entry.revisions))
    }

    /// Returns the row of an entry that was just [entered](crate::store::Act::enter_with_values), with its values.
    ///
    /// # Errors
    /// [`RowError::TooMany`] and [`RowError::Encode`].
    pub fn with(entry: &'a Entry, EntryValues(values): &EntryValues) -> Result<Self, RowError> {
        let values = values.iter().map(Option::as_deref);
        let revisions: Vec<_> =
            entry.revisions.iter().zip(values).map(|(revision, json)| revision.with_json(json)).collect();
        Self::new(entry, serde_json::to_string(&revisions))
    }

    /// Returns the entry.
    pub const fn entry(&self) -> &'a Entry {
        self.entry
    }

    fn new(entry: &'a Entry, changes: serde_json::Result<String>) -> Result<Self, RowError> {
        Ok(Self {
            entry,
            seq: i64::try_from(entry.seq.value()).map_err(|_| RowError::TooMany)?,
            changes: changes.map_err(RowError::Encode)?,
            reads: serde_json::to_string(&entry.reads).map_err(RowError::Encode)?,
            erased: entry.erased.as_ref().map(serde_json::to_string).transpose().map_err(RowError::Encode)?,
        })
    }

    /// Writes the columns in their order.
    ///
    /// # Errors
    /// The store's failure.
    pub fn write<W: RowWriter>(self, cells: &mut W) -> Result<(), W::Error> {
        let Self { entry, seq, changes, reads, erased } = self;
        cells.put(seq)?;
        cells.set(&entry.at)?;
        cells.put(entry.actor.as_str())?;
        cells.put(&*entry.operation)?;
        cells.put(changes)?;
        cells.put(reads)?;
        cells.put(erased)?;
        cells.put(&entry.link.as_bytes()[..])
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// [`RowError::Damaged`], or the store's failure.
    pub fn read<R: RowReader>(cells: &mut R) -> Result<Entry, R::Error> {
        Ok(Entry {
            seq: Seq::new(cells.get::<i64>()?.cast_unsigned()),
            at: cells.get()?,
            actor: cells.get()?,
            operation: cells.get::<String>()?.into(),
            revisions: cells.get()?,
            reads: cells.get()?,
            erased: cells.get()?,
            link: Link::new(cells.bytes()?),
        })
    }

    /// Reads the head of the journal from the `seq` and the `link` of its last entry.
    ///
    /// # Errors
    /// [`RowError::Damaged`], or the store's failure.
    pub fn read_head<R: RowReader>(cells: &mut R) -> Result<Head, R::Error> {
        Ok(Head { seq: Seq::new(cells.get::<i64>()?.cast_unsigned()), link: Link::new(cells.bytes()?) })
    }

    /// Returns whether the JSON in a row is, letter by letter, that of the entry that was read from the row. The chain
    /// covers what the entry says, and not how a row writes it.
    ///
    /// # Errors
    /// [`RowError::Damaged`] and [`RowError::Encode`], or the store's failure.
    pub fn is_written_so<R: RowReader>(&self, cells: &mut R) -> Result<bool, R::Error> {
        cells.get::<i64>()?;
        cells.get::<i64>()?;
        cells.maybe_str()?;
        cells.maybe_str()?;
        let Self { changes, reads, erased, .. } = self;
        let (changes, reads, erased) = (Some(changes.as_str()), Some(reads.as_str()), erased.as_deref());
        Ok(cells.maybe_str()? == changes && cells.maybe_str()? == reads && cells.maybe_str()? == erased)
    }
}
