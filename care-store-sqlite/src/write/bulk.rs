//! Many decisions, or the entries of another journal, in one transaction.

use care_core::{
    error::{Error, StoreError},
    store::{
        Act, Deciding, Decision, Entry, Epoch, Head, KeyDecision, KeyPlan, Limit, Portion, Query, Record, ReplayError,
        Seq, Transaction, Versioned,
        rows::{EntryRow, RowError},
    },
};
use rusqlite::Connection;

use super::{apply::apply, terms::TermChanges};
use crate::{
    base::{error::Fault, journal},
    read::{list::list, load::load},
};

/// One transaction for many decisions.
#[derive(Debug)]
pub(crate) struct Bulk<'a> {
    conn: &'a Connection,
    /// The head of the journal, once it is known.
    last: Option<Head>,
    has_written: bool,
    /// The terms of patients that are still to be written.
    terms: TermChanges,
    /// The failure after which the transaction is rolled back.
    failure: Option<Fault>,
}

impl<'a> Bulk<'a> {
    pub(crate) fn new(conn: &'a Connection) -> Self {
        Self { conn, last: None, has_written: false, terms: TermChanges::default(), failure: None }
    }

    /// Appends entries unaltered.
    pub(crate) fn replay(&mut self, entries: &[Entry]) -> Result<(), ReplayError> {
        ReplayError::unless_next(self.last()?, entries)?;
        entries.iter().try_for_each(|entry| self.write(EntryRow::of(entry)))?;
        match entries.last() {
            Some(last) => Ok(self.wrote(journal::note_replayed(self.conn, last.seq).map_err(Fault::from))?),
            None => Ok(()),
        }
    }

    /// Runs a decision about keys, and the one of its entry.
    pub(crate) fn decide_keys(&mut self, decision: &mut KeyDecision) -> Result<(), StoreError> {
        let KeyPlan { keys, entry } = journal::decide_keys(self.conn, decision).map_err(|fault| self.fail(fault))?;
        self.has_written |= !keys.is_empty();
        match entry {
            Some((act, mut entry)) => self.decide(&act, &mut entry).map(drop).map_err(StoreError::of_key_entry),
            None => Ok(()),
        }
    }

    /// Draws a new epoch.
    pub(crate) fn renew_epoch(&mut self) -> Result<Epoch, StoreError> {
        self.has_written = true;
        let renewed = journal::renew_epoch(self.conn).and_then(|()| journal::epoch(self.conn));
        renewed.map_err(|error| self.fail(error.into()))
    }

    /// Writes the terms that are still to be written.
    pub(crate) fn write_terms(&mut self) -> Result<(), StoreError> {
        let written = self.terms.write(self.conn);
        written.map_err(|fault| self.fail(fault))
    }

    /// Returns whether anything was written, or the failure of the transaction.
    pub(crate) fn end(self) -> Result<bool, Fault> {
        self.failure.map_or(Ok(self.has_written), Err)
    }

    /// Returns the head of the journal.
    fn last(&mut self) -> Result<Head, StoreError> {
        let last = match self.last {
            Some(last) => last,
            None => journal::head(self.conn).map_err(|fault| self.fail(fault))?,
        };
        self.last = Some(last);
        Ok(last)
    }

    fn write(&mut self, row: Result<EntryRow<'_>, RowError>) -> Result<(), StoreError> {
        let written = row.map_err(Fault::from).and_then(|row| {
            self.last = Some(row.entry().head());
            apply(self.conn, row, &mut self.terms)?;
            if self.terms.is_full() { self.terms.write(self.conn) } else { Ok(()) }
        });
        self.wrote(written)
    }

    /// Notes that something was written, or why nothing may be kept.
    fn wrote(&mut self, written: Result<(), Fault>) -> Result<(), StoreError> {
        self.has_written = true;
        written.map_err(|fault| self.fail(fault))
    }

    fn fail(&mut self, fault: Fault) -> StoreError {
        let kind = fault.kind();
        self.failure.get_or_insert(fault);
        kind.into()
    }
}

impl Transaction for Bulk<'_> {
    fn decide(&mut self, act: &Act, decision: &mut Decision) -> Result<Option<Seq>, Error> {
        let conn = self.conn;
        // The decision has the store to itself, so it needs no limit.
        let deciding = Deciding::of(decision).unlimited();
        let plan = deciding.finish_within(|key, room| load(conn, key, room).map_err(|fault| self.fail(fault)))?;
        if plan.is_empty() {
            return Ok(None);
        }
        let entered = act.enter_with_values(self.last()?, plan);
        let (entry, values) = entered.map_err(|error| self.fail(error.into()))?;
        self.write(EntryRow::with(&entry, &values))?;
        Ok(Some(entry.seq))
    }

    fn list(&mut self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.write_terms()?;
        list(self.conn, query, limit).map_err(|fault| self.fail(fault))
    }

    fn journal(&mut self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        journal::entries(self.conn, after, limit).map_err(|fault| self.fail(fault))
    }

    fn rewrite(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let rewritten = journal::rewrite(self.conn, entry);
        self.wrote(rewritten)
    }
}
