//! Writing the changes and the entry of a decision.

use std::{collections::BTreeMap, mem};

use care_core::store::{
    Change, Entry, EntryValues, Key, Lookup, Record, RecordKey, RecordKind, Revision, Seq, Versioned, rows::EntryRow,
};
use rusqlite::Connection;

use super::terms::TermChanges;
use crate::{
    base::{
        error::Fault,
        journal,
        records::{put, remove},
    },
    read::load::load,
};

/// When the terms of patients are written: with their changes, or together with those of many.
pub(crate) enum Terms<'a> {
    Now,
    Later(&'a mut TermChanges),
}

/// Applies the changes of an entry in their order, and appends it to the journal as this row. Changes of terms are only
/// noted.
pub(crate) fn apply(conn: &Connection, row: EntryRow<'_>, terms: &mut TermChanges) -> Result<(), Fault> {
    let entry = row.entry();
    entry.effects().try_for_each(|Revision { change, replaced, .. }| {
        // The replaced version only makes it faster.
        apply_change(conn, entry.seq, change, *replaced != Seq::ZERO, Terms::Later(terms))
    })?;
    journal::append(conn, row)
}

/// Applies one change. `is_there` only makes it faster.
pub(crate) fn apply_change(
    conn: &Connection,
    version: Seq,
    change: &Change,
    is_there: bool,
    terms: Terms<'_>,
) -> Result<(), Fault> {
    let mut alone = TermChanges::default();
    let (terms, is_now) = match terms {
        Terms::Now => (&mut alone, true),
        Terms::Later(terms) => (terms, false),
    };
    match change {
        Change::Put(record @ Record::Patient(patient)) => {
            terms.put_patient(conn, version, (record, patient), is_there)?;
        }
        Change::Remove(RecordKey::Patient(id)) => terms.remove_patient(conn, *id)?,
        Change::Put(record) => put(conn, version, record, is_there)?,
        Change::Remove(key) => remove(conn, key)?,
    }
    if is_now { terms.write(conn) } else { Ok(()) }
}

/// The counters, counts of a day and stocks that the decisions of a batch have changed: nearly every decision changes
/// some of them, and others of the batch the same ones, so each row is written once, before the commit.
#[derive(Debug, Default)]
pub(crate) struct Latest(BTreeMap<RecordKey, Row>);

/// A row that is to be written.
#[derive(Debug)]
struct Row {
    version: Seq,
    change: Change,
    /// Whether the row was there before the batch.
    is_there: bool,
}

impl Latest {
    /// Answers a key as the decisions so far have left it.
    pub(crate) fn load(&self, conn: &Connection, key: &Key, room: usize) -> Result<Lookup, Fault> {
        let changed = match key {
            _ if self.0.is_empty() => None,
            Key::Record(key) => self.0.get(key),
            Key::StockOrItem(medicine) => match self.0.get(&RecordKey::Stock(medicine.clone())) {
                Some(Row { change: Change::Remove(_), .. }) => {
                    return load(conn, &RecordKey::Item(medicine.clone()).into(), room);
                }
                changed => changed,
            },
            Key::Rows(..) | Key::FreePatientNumber(_) => None,
        };
        match changed {
            Some(Row { version, change: Change::Put(record), .. }) => {
                Ok(Lookup::One(Versioned { version: *version, record: record.clone() }))
            }
            Some(Row { change: Change::Remove(_), .. }) => Ok(Lookup::None),
            None => load(conn, key, room),
        }
    }

    /// Applies the changes of an entry in their order, or notes them, and appends the entry to the journal.
    pub(crate) fn apply(&mut self, conn: &Connection, entry: Entry, values: &EntryValues) -> Result<(), Fault> {
        let version = entry.seq;
        for Revision { change, replaced, .. } in entry.effects() {
            if !is_shared(&change.key()) {
                apply_change(conn, version, change, *replaced != Seq::ZERO, Terms::Now)?;
            }
        }
        // In a full file, a removal makes the room for its entry.
        journal::append(conn, EntryRow::with(&entry, values)?)?;
        for Revision { change, replaced, .. } in entry.revisions {
            let key = change.key();
            if is_shared(&key) {
                let is_there = self.0.get(&key).map_or(replaced != Seq::ZERO, |earlier| earlier.is_there);
                self.0.insert(key, Row { version, change, is_there });
            }
        }
        Ok(())
    }

    /// Writes what has been noted.
    pub(crate) fn write(&mut self, conn: &Connection) -> Result<(), Fault> {
        for Row { version, change, is_there } in mem::take(&mut self.0).into_values() {
            apply_change(conn, version, &change, is_there, Terms::Now)?;
        }
        Ok(())
    }

    /// Forgets what has been noted.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Returns whether decisions of one batch often change the record together. They find it by its key only, and by the
/// key of a stock or its item.
const fn is_shared(key: &RecordKey) -> bool {
    RecordKind::of(key).is_written_late()
}
