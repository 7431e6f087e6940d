//! Writing the changes and the entry of a decision.

use std::{collections::BTreeMap, mem};

use care_core::store::{
    Change, Entry, EntryValues, Key, Lookup, Record, RecordKey, Revision, Seq, Versioned, kinds, rows::EntryRow,
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

/// Applies the changes of an entry in their order, and appends it to the journal as this row. Changes of terms are only
/// noted.
pub(crate) fn apply(conn: &Connection, row: EntryRow<'_>, terms: &mut TermChanges) -> Result<(), Fault> {
    let entry = row.entry();
    let version = entry.seq.value().cast_signed();
    entry.effects().try_for_each(|Revision { change, replaced, .. }| {
        // The replaced version only makes it faster.
        note_one(conn, version, change, *replaced != Seq::ZERO, terms)
    })?;
    journal::append(conn, row)
}

/// Applies one change. `is_there` only makes it faster.
pub(crate) fn apply_one(conn: &Connection, version: i64, change: &Change, is_there: bool) -> Result<(), Fault> {
    let mut terms = TermChanges::default();
    note_one(conn, version, change, is_there, &mut terms)?;
    terms.write(conn)
}

/// [`apply_one`], but changes of terms are only noted.
fn note_one(
    conn: &Connection,
    version: i64,
    change: &Change,
    is_there: bool,
    terms: &mut TermChanges,
) -> Result<(), Fault> {
    match change {
        Change::Put(Record::Patient(patient)) => return terms.put_patient(conn, version, patient, is_there),
        Change::Remove(RecordKey::Patient(id)) => return terms.remove_patient(conn, *id),
        Change::Put(_) | Change::Remove(_) => {}
    }
    macro_rules! by_kind {
        ($($kind:ident)*) => {
            match change {
                $(Change::Put(Record::$kind(record)) => put(conn, version, record, is_there),)*
                $(Change::Remove(RecordKey::$kind(id)) => remove::<kinds::$kind>(conn, id),)*
            }
        };
    }
    care_core::record_kinds!(by_kind)
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
                apply_one(conn, version.value().cast_signed(), change, *replaced != Seq::ZERO)?;
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
            apply_one(conn, version.value().cast_signed(), &change, is_there)?;
        }
        Ok(())
    }

    /// Forgets what has been noted.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Returns whether decisions of one batch often change the same records of this kind. A decision finds them by their
/// keys only, and by the key of a stock or its item.
const fn is_shared(key: &RecordKey) -> bool {
    match key {
        RecordKey::Demand(_)
        | RecordKey::RegularDemand(_)
        | RecordKey::Stock(_)
        | RecordKey::StockDay(_)
        | RecordKey::Takings(_)
        | RecordKey::Counter(_) => true,
        RecordKey::Patient(_)
        | RecordKey::Voided(_)
        | RecordKey::History(_)
        | RecordKey::Consultation(_)
        | RecordKey::Diagnosis(_)
        | RecordKey::Prescription(_)
        | RecordKey::Invoice(_)
        | RecordKey::Item(_)
        | RecordKey::OpenLot(_)
        | RecordKey::Movement(_)
        | RecordKey::Dispensing(_)
        | RecordKey::Receipt(_)
        | RecordKey::Reply(_)
        | RecordKey::Key(_) => false,
    }
}
