//! Changes that are decided but not yet written, to be written with one statement a table.

use std::{collections::BTreeMap, mem};

use care_core::{
    model::Patient,
    store::{Change, Entity, Key, Record, RecordKey, RecordKind, Seq, rows::EntryRow},
};

use crate::{
    base::{
        error::Fault,
        statements::{add, cells, key_columns, sql},
    },
    connect::session::Request,
    read::{journal::Appending, terms},
};

/// Journal entries and their net changes. A record that several entries change is written once.
#[derive(Debug)]
pub(crate) struct Pending {
    tables: Vec<Vec<Run>>,
    entries: Appending,
}

/// Rows of one table to write together, deletions first. Each key occurs once.
#[derive(Debug, Default)]
struct Run {
    rows: BTreeMap<RecordKey, Option<(Seq, Record)>>,
    /// The keys of the rows to put, in the order of the changes.
    put: Vec<RecordKey>,
}

impl Pending {
    pub(crate) fn new() -> Self {
        Self { tables: RecordKind::ALL.iter().map(|_| Vec::new()).collect(), entries: Appending::default() }
    }

    /// Returns whether a record that may be part of the answer to a key has a change that is not yet written.
    pub(crate) fn touches(&self, key: &Key) -> bool {
        let has = |kind: RecordKind| !self.tables[kind as usize].is_empty();
        match key {
            Key::Record(_) => false,
            Key::Rows(selection, _) => has(selection.kind),
            Key::StockOrItem(_) => has(RecordKind::Item) || has(RecordKind::Stock),
            Key::FreePatientNumber(_) => has(RecordKind::Patient) || has(RecordKind::Voided),
        }
    }

    /// Adds an entry with its changes. The first entry of a batch carries the batch's id.
    pub(crate) fn enter(&mut self, row: EntryRow<'_>, batch: Option<i64>) -> Result<(), Fault> {
        let entry = row.entry();
        for change in entry.effects().map(|revision| &revision.change) {
            match change {
                Change::Put(record) => self.put(entry.seq, record.clone()),
                Change::Remove(key) => self.remove(key.clone()),
            }
        }
        self.entries.push(row, batch)
    }

    /// Puts a record without a journal entry.
    pub(crate) fn put(&mut self, version: Seq, record: Record) {
        let key = record.key();
        let run = self.run(&key);
        run.put.push(key.clone());
        run.rows.insert(key, Some((version, record)));
    }

    /// Removes a record.
    fn remove(&mut self, key: RecordKey) {
        let kind = RecordKind::of(&key);
        let run = match sql(kind).is_ordered && self.tables[kind as usize].last().is_some_and(|run| !run.put.is_empty())
        {
            // The row may be removed to make way for one that is put later, so it must not move ahead of earlier
            // puts.
            true => self.begin(kind),
            false => self.run(&key),
        };
        run.rows.insert(key, None);
    }

    /// Returns the run that the next change of this record belongs to.
    fn run(&mut self, key: &RecordKey) -> &mut Run {
        let kind = RecordKind::of(key);
        let runs = &self.tables[kind as usize];
        // Where rows can conflict with each other, a put must not move behind a later one.
        if runs.last().is_none_or(|run| sql(kind).is_ordered && run.rows.contains_key(key)) {
            return self.begin(kind);
        }
        let last = runs.len() - 1;
        &mut self.tables[kind as usize][last]
    }

    fn begin(&mut self, kind: RecordKind) -> &mut Run {
        let runs = &mut self.tables[kind as usize];
        runs.push(Run::default());
        let last = runs.len() - 1;
        &mut runs[last]
    }

    /// Takes out the statements that write everything.
    pub(crate) fn take(&mut self) -> Result<Vec<Request>, Fault> {
        let mut requests = Vec::new();
        for (kind, runs) in RecordKind::ALL.iter().copied().zip(&mut self.tables) {
            for mut run in mem::take(runs) {
                if kind == RecordKind::Patient {
                    requests.extend(terms::keep(run.rows.iter().filter_map(|(key, row)| {
                        let RecordKey::Patient(id) = key else { return None };
                        let record = row.as_ref().and_then(|(_, record)| Patient::from_record(record));
                        Some((*id, record))
                    })));
                }
                let removed: Vec<_> = run.rows.iter().filter(|(_, row)| row.is_none()).map(|(key, _)| key).collect();
                if !removed.is_empty() {
                    requests.push(Request::with_columns(&*sql(kind).remove, key_columns(removed)));
                }
                let mut columns = Vec::new();
                for key in &run.put {
                    if let Some(Some((version, record))) = run.rows.remove(key) {
                        add(&mut columns, cells(version, &record)?);
                    }
                }
                if !columns.is_empty() {
                    requests.push(Request::with_columns(&*sql(kind).put, columns));
                }
            }
        }
        if !self.entries.is_empty() {
            requests.push(self.entries.take());
        }
        Ok(requests)
    }
}

#[cfg(test)]
mod tests {
    use care_core::{
        model::{Invoice, Patient, PatientId},
        store::Entity,
    };

    use super::*;

    fn statements(changes: &[Change]) -> usize {
        let mut pending = Pending::new();
        for change in changes {
            match change {
                Change::Put(record) => pending.put(Seq::new(1), record.clone()),
                Change::Remove(key) => pending.remove(key.clone()),
            }
        }
        pending.take().unwrap().len()
    }

    #[test]
    fn a_record_that_is_changed_often_is_written_once() {
        let put = Change::put(Patient::new(PatientId::FIRST));
        let remove = Change::Remove(Patient::key(PatientId::FIRST));
        // One statement is for the terms.
        assert_eq!(statements(&[put.clone(), put.clone(), put.clone()]), 2);
        assert_eq!(statements(&[put.clone(), remove.clone()]), 2);
        assert_eq!(statements(&[remove, put]), 2);
    }

    #[test]
    fn rows_that_may_stand_in_each_others_way_keep_their_order() {
        let remove = |number: i64| Change::Remove(Invoice::key(number.try_into().unwrap()));
        assert_eq!(statements(&[remove(1), remove(2)]), 1);
        assert_eq!(statements(&[remove(1), remove(1)]), 2);
    }
}
