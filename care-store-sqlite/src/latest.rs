//! Rows that the decisions of a batch change one after the other.

use std::{
    collections::{BTreeMap, btree_map::Entry as Place},
    mem,
};

use care_core::store::{Change, Entry, Key, Lookup, Record, RecordKey, Revision, Seq, Versioned};
use rusqlite::Connection;

use crate::{apply::apply_one, error::Fault, journal, load::load};

/// The counters, counts of a day and stocks that the decisions of a batch have changed: nearly every decision changes
/// some of them, and others of the batch the same ones, so each row is written once, before the commit.
#[derive(Debug, Default)]
pub(crate) struct Latest(BTreeMap<RecordKey, Row>);

/// A row that is to be written.
#[derive(Debug)]
struct Row {
    version: Seq,
    /// `None` when it is to be removed.
    record: Option<Record>,
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
                Some(Row { record: None, .. }) => return load(conn, &RecordKey::Item(medicine.clone()).into(), room),
                changed => changed,
            },
            Key::ActivePrescription(..)
            | Key::NewestPrescription(..)
            | Key::ActivePrescriptions(_)
            | Key::PrescriptionsOf(_)
            | Key::ConsultationsOf(_)
            | Key::DiagnosesOf(_)
            | Key::UnpaidInvoice(_)
            | Key::UnpaidInvoiceOf(_)
            | Key::ReversalOf(_)
            | Key::FreePatientNumber(_)
            | Key::RepliesBefore(_) => None,
        };
        match changed {
            Some(Row { version, record, .. }) => {
                Ok(record.clone().map(|record| Versioned { version: *version, record }).into())
            }
            None => load(conn, key, room),
        }
    }

    /// Applies the changes of an entry in their order, or notes them, and appends the entry to the journal.
    pub(crate) fn apply(&mut self, conn: &Connection, entry: Entry) -> Result<(), Fault> {
        journal::append(conn, &entry)?;
        for Revision { change, replaced } in entry.revisions {
            let is_there = replaced != Seq::ZERO;
            match change {
                Change::Put(record) if is_shared(&record.key()) => {
                    self.note(record.key(), entry.seq, Some(record), is_there);
                }
                Change::Remove(key) if is_shared(&key) => self.note(key, entry.seq, None, is_there),
                change => apply_one(conn, entry.seq.value().cast_signed(), &change, is_there)?,
            }
        }
        Ok(())
    }

    /// Writes what has been noted.
    pub(crate) fn write(&mut self, conn: &Connection) -> Result<(), Fault> {
        for (key, Row { version, record, is_there }) in mem::take(&mut self.0) {
            let change = record.map_or(Change::Remove(key), Change::Put);
            apply_one(conn, version.value().cast_signed(), &change, is_there)?;
        }
        Ok(())
    }

    /// Forgets what has been noted.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn note(&mut self, key: RecordKey, version: Seq, record: Option<Record>, is_there: bool) {
        match self.0.entry(key) {
            Place::Occupied(mut row) => {
                let row = row.get_mut();
                (row.version, row.record) = (version, record);
            }
            Place::Vacant(place) => drop(place.insert(Row { version, record, is_there })),
        }
    }
}

/// Returns whether decisions of one batch often change the same records of this kind. A decision finds them by their keys
/// only, and by the key of a stock or its item.
const fn is_shared(key: &RecordKey) -> bool {
    match key {
        RecordKey::Demand(_)
        | RecordKey::RegularDemand(_)
        | RecordKey::Stock(_)
        | RecordKey::StockDay(_)
        | RecordKey::Counter(_) => true,
        RecordKey::Patient(_)
        | RecordKey::Voided(_)
        | RecordKey::History(_)
        | RecordKey::Consultation(_)
        | RecordKey::Diagnosis(_)
        | RecordKey::Prescription(_)
        | RecordKey::Invoice(_)
        | RecordKey::Item(_)
        | RecordKey::Movement(_)
        | RecordKey::Dispensing(_)
        | RecordKey::Reply(_) => false,
    }
}
