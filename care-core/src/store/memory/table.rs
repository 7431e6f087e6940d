//! Records in memory: the selections, the terms and the indexes that stores with tables write as SQL, interpreted.

use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    ops::{
        Bound::{self, Excluded, Included, Unbounded},
        RangeBounds as _,
    },
};

use crate::{
    model::{Findable, Patient, PatientId, TermRange},
    store::{
        Change, Comparison, Datum, Entity, Filling, INDEXES, Index, Limit, Lookup, Order, Portion, Record, RecordKey,
        RecordKind, Selection, Seq, Term, Versioned, Wanted,
        find::{Ranking, TermIndex},
        rows::Facts,
    },
};

/// The records of one kind.
pub(super) type Table = BTreeMap<RecordKey, Versioned<Record>>;

/// The records, and what each index holds of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    tables: BTreeMap<RecordKind, Table>,
    indexes: BTreeMap<&'static str, BTreeSet<Entry>>,
}

/// The columns of a record in an index, and its key.
type Entry = (Vec<Cell>, RecordKey);

/// The value of a column in an index. Null comes before all others, and no row has the end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Null,
    Value(Datum),
    End,
}

/// The least key of all.
const LEAST: RecordKey = RecordKey::Patient(PatientId::FIRST);

impl Tables {
    /// Returns the records of a kind; `None` when there have never been any.
    pub(super) fn of(&self, kind: RecordKind) -> Option<&Table> {
        self.tables.get(&kind)
    }

    /// Returns a record.
    pub(super) fn get(&self, key: &RecordKey) -> Option<&Versioned<Record>> {
        self.of(RecordKind::of(key))?.get(key)
    }

    /// Returns all records above a key.
    pub(super) fn above<'a>(
        &'a self,
        after: Option<&RecordKey>,
    ) -> impl Iterator<Item = &'a Versioned<Record>> + use<'a> {
        let from = after.map_or(Included(LEAST), |key| Excluded(key.clone()));
        let first = after.map_or(RecordKind::Patient, RecordKind::of);
        let tables = self.tables.range(first..);
        tables.flat_map(move |(_, table)| table.range((from.clone(), Unbounded))).map(|(_, found)| found)
    }

    /// Applies a change, and returns the record that was there before.
    pub(super) fn apply(&mut self, version: Seq, change: Change) -> Option<Record> {
        let key = change.key();
        let table = self.tables.entry(RecordKind::of(&key)).or_default();
        let old = table.remove(&key).map(|found| found.record);
        if let Some(old) = &old {
            self.index(&key, old, |entries, entry| entries.remove(&entry));
        }
        if let Change::Put(record) = change {
            self.index(&key, &record, BTreeSet::insert);
            self.tables.entry(RecordKind::of(&key)).or_default().insert(key, Versioned { version, record });
        }
        old
    }

    /// Enters a record into each index of its kind whose conditions it meets, or takes it out.
    fn index(&mut self, key: &RecordKey, record: &Record, change: fn(&mut BTreeSet<Entry>, Entry) -> bool) {
        let kind = RecordKind::of(key);
        let facts = Facts::of(record, Index::columns_of(kind));
        let in_it = |index: &&&Index| index.kind == kind && facts.meet(index.only);
        for Index { name, columns, .. } in INDEXES.iter().filter(in_it) {
            let cells = columns.iter().map(|column| facts.get(column).cloned().map_or(Cell::Null, Cell::Value));
            change(self.indexes.entry(name).or_default(), (cells.collect(), key.clone()));
        }
    }

    /// Returns the records of a selection behind a key, in its order.
    pub(super) fn select<'a>(
        &'a self,
        selection: &'a Selection,
        after: Option<&RecordKey>,
    ) -> Box<dyn Iterator<Item = &'a Versioned<Record>> + 'a> {
        let Some(table) = self.of(selection.kind) else {
            return Box::new(std::iter::empty());
        };
        let Order { is_by_index, is_descending } = selection.order;
        let behind = after.map_or(Unbounded, |key| Excluded(key.clone()));
        let keys = if is_descending { (Unbounded, behind) } else { (behind, Unbounded) };
        let found: Box<dyn DoubleEndedIterator<Item = _>> = match selection.index {
            None => Box::new(table.range(keys).map(|(_, found)| found)),
            Some(index) => {
                let columns = index.columns;
                let is_in_order = columns.iter().all(|column| is_by_index || selection.fixes(column));
                let entries = self.entries(index, selection, &keys).filter_map(|key| table.get_key_value(key));
                match is_in_order {
                    true => Box::new(entries.map(|(_, found)| found)),
                    false => {
                        let sorted: BTreeMap<_, _> = entries.filter(|(key, _)| keys.contains(*key)).collect();
                        Box::new(sorted.into_values())
                    }
                }
            }
        };
        let among: Vec<_> = selection.terms.iter().filter_map(|term| self.among(term)).collect();
        let held = move |found: &&Versioned<Record>| {
            let is_among = |(column, values): &(_, BTreeSet<Datum>)| {
                Facts::of(&found.record, [*column]).get(column).is_some_and(|value| values.contains(value))
            };
            selection.holds(&found.record) && among.iter().all(is_among)
        };
        if is_descending { Box::new(found.rev().filter(held)) } else { Box::new(found.filter(held)) }
    }

    /// Returns the column of a term about other rows, and the values that it may have.
    fn among(&self, term: &Term) -> Option<(&'static str, BTreeSet<Datum>)> {
        let Term::Among(column, index, value) = term else { return None };
        let begin = |cell| (vec![cell], LEAST);
        let cell = Cell::Value(value.clone());
        let entries = self.indexes.get(index.name).into_iter().flat_map(|entries| entries.range(begin(cell.clone())..));
        let keys = entries.take_while(|(cells, _)| cells.first() == Some(&cell)).map(|(_, key)| key);
        let records = keys.filter_map(|key| self.get(key));
        Some((column, records.filter_map(|found| Facts::of(&found.record, [*column]).get(column).cloned()).collect()))
    }

    /// Returns the keys of an index at the values that a selection fixes. Where it fixes all columns, they stand in
    /// their own order and within these bounds.
    fn entries<'a>(
        &'a self,
        Index { name, columns, .. }: &Index,
        selection: &Selection,
        (above, below): &(Bound<RecordKey>, Bound<RecordKey>),
    ) -> impl DoubleEndedIterator<Item = &'a RecordKey> + use<'a> {
        let values = columns.iter().map_while(|column| selection.value_of(column));
        let fixed: Vec<_> = values.map(Cell::Value).collect();
        let before = |cell: Cell| Excluded((fixed.iter().cloned().chain([cell]).collect(), LEAST));
        let here = |key: &RecordKey| (fixed.clone(), key.clone());
        let range = match columns.get(fixed.len()) {
            None => {
                let from = if let Excluded(key) = above { Excluded(here(key)) } else { Included(here(&LEAST)) };
                (from, if let Excluded(key) = below { Excluded(here(key)) } else { before(Cell::End) })
            }
            Some(next) => {
                let bound = selection.terms.iter().find_map(|term| match term {
                    Term::Compared(column, Comparison::Below, value) if column == next => Some(value.clone()),
                    _ => None,
                });
                (Included(here(&LEAST)), before(bound.map_or(Cell::End, Cell::Value)))
            }
        };
        let entries = self.indexes.get(name).map(|entries| entries.range(range));
        entries.into_iter().flatten().map(|(_, key)| key)
    }

    /// Answers a key with the rows of its selection, of all of them no more than there is room for.
    pub(super) fn answer(&self, selection: &Selection, wanted: Wanted, room: usize) -> Lookup {
        let mut rows = self.select(selection, None);
        match wanted {
            Wanted::Count => Lookup::Number(rows.count() as u64),
            Wanted::First(1) => rows.next().cloned().into(),
            Wanted::First(first) => Lookup::Many(rows.take(first).cloned().collect()),
            Wanted::All => {
                let found: Vec<_> = rows.take(room.saturating_add(1)).collect();
                match found.len() > room {
                    true => Lookup::TooMany,
                    false => Lookup::Many(found.into_iter().cloned().collect()),
                }
            }
        }
    }
}

/// The terms of a memory store.
pub(super) struct Terms<'a> {
    pub(super) tables: &'a Tables,
    pub(super) terms: &'a BTreeSet<(String, PatientId)>,
}

impl Terms<'_> {
    fn range(&self, TermRange { from, below }: &TermRange) -> impl Iterator<Item = &(String, PatientId)> {
        let [from, below] = [from, below].map(|term| (term.clone(), PatientId::FIRST));
        self.terms.range(from..below)
    }

    fn those(&self, ids: &[PatientId]) -> impl Iterator<Item = &Versioned<Record>> {
        ids.iter().filter_map(|id| self.tables.get(&RecordKey::Patient(*id)))
    }
}

impl TermIndex for Terms<'_> {
    type Error = Infallible;

    fn count(&mut self, terms: &TermRange, most: usize) -> Result<usize, Infallible> {
        Ok(self.range(terms).take(most).count())
    }

    fn patients(&mut self, terms: &TermRange, most: usize) -> Result<Vec<(PatientId, bool)>, Infallible> {
        Ok(self.range(terms).take(most).map(|(term, id)| (*id, *term == terms.from)).collect())
    }

    fn distinct(&mut self, terms: &TermRange, most: usize) -> Result<Vec<String>, Infallible> {
        let mut distinct: Vec<String> = Vec::new();
        for (term, _) in self.range(terms) {
            if distinct.last() == Some(term) {
                continue;
            }
            if distinct.len() == most {
                break;
            }
            distinct.push(term.clone());
        }
        Ok(distinct)
    }

    fn having(&mut self, terms: &[String], most: usize) -> Result<Vec<PatientId>, Infallible> {
        let of = |term: &String| {
            let rows = self.terms.range((term.clone(), PatientId::FIRST)..);
            let rows: Vec<_> = rows.take_while(|(other, _)| other == term).map(|(_, id)| *id).take(most).collect();
            rows
        };
        Ok(terms.iter().flat_map(of).take(most).collect())
    }

    fn rank(&mut self, ids: &[PatientId], ranking: &mut Ranking<'_>) -> Result<(), Infallible> {
        let mut patients = self.those(ids).filter_map(|found| Patient::from_record(&found.record));
        patients.all(|patient| ranking.offer(&Findable::of(patient)));
        Ok(())
    }

    fn records(&mut self, ids: &[PatientId], found: &mut Filling<Versioned<Record>>) -> Result<(), Infallible> {
        fill(self.those(ids), found, record_json);
        Ok(())
    }
}

/// Returns as many of these as the limit allows. The size of an item is that of its JSON.
pub(super) fn portion<'a, T: Clone + 'a>(
    items: impl IntoIterator<Item = &'a T>,
    limit: Limit,
    json: impl Fn(&T) -> serde_json::Result<String>,
) -> Portion<T> {
    let mut filling = Filling::new(limit);
    fill(items, &mut filling, json);
    filling.finish()
}

/// Adds as many of these as a portion takes.
pub(super) fn fill<'a, T: Clone + 'a>(
    items: impl IntoIterator<Item = &'a T>,
    filling: &mut Filling<T>,
    json: impl Fn(&T) -> serde_json::Result<String>,
) {
    for item in items {
        let bytes = if filling.has_bytes() { json(item).map_or(0, |json| json.len()) } else { 0 };
        if !filling.takes(bytes) {
            break;
        }
        filling.push(item.clone());
    }
}

/// Returns the JSON of a record.
pub(super) fn record_json(found: &Versioned<Record>) -> serde_json::Result<String> {
    serde_json::to_string(&found.record)
}
