//! The writing transaction's cache of the database.

use std::collections::{HashMap, HashSet};

use care_core::store::{
    Change, Datum, Entry, Index, Key, Lookup, Record, RecordKey, RecordKind, Selection, Versioned, Wanted, rows::Facts,
};

/// The records and answers that were loaded under the writers' lock, updated with what the batch's decisions have
/// changed since. They are exact as long as the lock is held.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    records: HashMap<RecordKey, Lookup>,
    /// The answers about the rows of selections, in the place of each.
    rows: HashMap<Place, HashMap<Key, Lookup>>,
    /// The answers to the other keys.
    others: HashMap<Key, Lookup>,
}

/// The kind of the rows of a selection, and the value that it fixes first, so that a change looks at few answers.
type Place = (RecordKind, Option<Datum>);

fn place_of(selection: &Selection) -> Place {
    let first = selection.index.and_then(|found_by| found_by.columns.first());
    (selection.kind, first.and_then(|column| selection.value_of(column)))
}

/// Returns the record of an answer about one.
fn record(found: &Lookup) -> Option<&Record> {
    match found {
        Lookup::One(found) => Some(&found.record),
        Lookup::None | Lookup::Many(_) | Lookup::TooMany | Lookup::Number(_) => None,
    }
}

impl Cache {
    /// Returns what is cached for a key.
    pub(crate) fn get(&self, key: &Key) -> Option<&Lookup> {
        match key {
            Key::Record(key) => self.records.get(key),
            Key::Rows(selection, _) => self.rows.get(&place_of(selection))?.get(key),
            Key::StockOrItem(_) | Key::FreePatientNumber(_) => self.others.get(key),
        }
    }

    /// Adds what was loaded.
    pub(crate) fn insert(&mut self, key: Key, found: Lookup) {
        match &key {
            Key::Record(record) => drop(self.records.insert(record.clone(), found)),
            Key::Rows(selection, _) => drop(self.rows.entry(place_of(selection)).or_default().insert(key, found)),
            Key::StockOrItem(_) | Key::FreePatientNumber(_) => drop(self.others.insert(key, found)),
        }
    }

    /// Returns how much is cached.
    pub(crate) fn len(&self) -> usize {
        self.records.len() + self.rows.values().map(HashMap::len).sum::<usize>() + self.others.len()
    }

    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.rows.clear();
        self.others.clear();
    }

    /// Applies an entry. Answers that the entry has made stale are brought up to date or dropped, and then loaded again
    /// when a decision asks for them.
    pub(crate) fn follow(&mut self, entry: &Entry) {
        for change in entry.changes() {
            let (key, new) = match change {
                Change::Put(record) => (record.key(), Some(record)),
                Change::Remove(key) => (key.clone(), None),
            };
            let new = new.map(|record| Versioned { version: entry.seq, record: record.clone() });
            let old = self.records.insert(key.clone(), new.clone().into());
            self.invalidate(&key, old.as_ref(), new.as_ref());
            if matches!(key, RecordKey::Patient(_) | RecordKey::Voided(_)) {
                self.others.retain(|key, _| !matches!(key, Key::FreePatientNumber(_)));
            }
            if let RecordKey::Item(medicine) | RecordKey::Stock(medicine) = key {
                self.others.remove(&Key::StockOrItem(medicine));
            }
        }
    }

    /// Renews the answers about rows that a change may have made stale: those whose terms the old row or the new one
    /// meets; all of the kind where the old row is not known.
    fn invalidate(&mut self, key: &RecordKey, old: Option<&Lookup>, new: Option<&Versioned<Record>>) {
        let kind = RecordKind::of(key);
        let (before, after) = (old.and_then(record), new.map(|row| &row.record));
        let meets = |record: Option<&Record>, selection: &Selection| record.is_some_and(|it| selection.holds(it));
        let mut stays = |asked: &Key, answer: &mut Lookup| {
            let Key::Rows(selection, wanted) = asked else { return true };
            match answer {
                // All rows in the order of their keys are brought up to date, so that the next payment for a medicine
                // does not have to write its lots and load them first.
                Lookup::Many(rows) if *wanted == Wanted::All && selection.has_order_of_keys() => {
                    let place = rows.binary_search_by(|row| row.record.key().cmp(key));
                    match (place, new.filter(|_| meets(after, selection))) {
                        (Ok(place), Some(row)) => rows[place] = row.clone(),
                        (Ok(place), None) => drop(rows.remove(place)),
                        (Err(place), Some(row)) => rows.insert(place, row.clone()),
                        (Err(_), None) => {}
                    }
                    true
                }
                Lookup::None | Lookup::One(_) | Lookup::Many(_) | Lookup::TooMany | Lookup::Number(_) => {
                    old.is_some() && !meets(before, selection) && !meets(after, selection)
                }
            }
        };
        if old.is_none() {
            let of_kind = self.rows.iter_mut().filter(|((of, _), _)| *of == kind);
            of_kind.for_each(|(_, answers)| answers.retain(&mut stays));
            return;
        }
        // A selection stands in the place of the first column of its index.
        let facts = [before, after].into_iter().flatten().map(|record| Facts::of(record, Index::columns_of(kind)));
        let values =
            facts.flat_map(|facts| Index::columns_of(kind).map(move |column| (kind, facts.get(column).cloned())));
        let places: HashSet<Place> = values.chain([(kind, None)]).collect();
        for place in places {
            if let Some(answers) = self.rows.get_mut(&place) {
                answers.retain(&mut stays);
            }
        }
    }
}
