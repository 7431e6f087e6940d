//! Every record is read back from its row, and so are entries and keys.

use std::{borrow::Cow, collections::BTreeSet};

use care_core::{
    model::{ApiKey, KeyId, KeyName, KeyRecord, Scope, SecretDigest, Timestamp},
    store::{
        Change, Entry, Record, RecordKey, kinds,
        rows::{Column, EntryRow, KeyRow, Role, RowError, RowKey, RowReader, RowWriter, Table, Tabular, Type, Value},
    },
};

use crate::{auditing::read_clinic, shelves};

/// A row in memory.
#[derive(Debug, Default)]
struct Row {
    cells: Vec<Value<'static>>,
    next: usize,
}

impl RowWriter for Row {
    type Error = RowError;

    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), RowError> {
        self.cells.push(match value.into() {
            Value::Integer(number) => Value::Integer(number),
            Value::Boolean(value) => Value::Boolean(value),
            Value::Double(number) => Value::Double(number),
            Value::Text(text) => Value::Text(text.map(|text| Cow::Owned(text.into_owned()))),
            Value::Bytes(bytes) => Value::Bytes(bytes.map(|bytes| Cow::Owned(bytes.into_owned()))),
        });
        Ok(())
    }
}

/// Reads a cell of one type.
macro_rules! cell {
    ($name:ident, $kind:ident, $answer:ty, $value:ident => $of:expr) => {
        fn $name(&mut self) -> Result<Option<$answer>, RowError> {
            self.next += 1;
            match &self.cells[self.next - 1] {
                Value::$kind($value) => Ok($of),
                _ => Err(self.damaged()),
            }
        }
    };
}

impl RowReader for Row {
    type Error = RowError;

    cell!(maybe_integer, Integer, i64, number => *number);
    cell!(maybe_boolean, Boolean, bool, value => *value);
    cell!(maybe_double, Double, f64, number => *number);
    cell!(maybe_str, Text, &str, text => text.as_deref());
    cell!(maybe_bytes, Bytes, &[u8], bytes => bytes.as_deref());

    fn damaged(&self) -> RowError {
        RowError::Damaged { table: "row", column: self.next - 1 }
    }
}

/// Reads a record back from its row, and returns the name of its table.
fn read_back<E: Tabular>(record: &E, id: &E::Id) -> &'static str {
    let Table { name, key, .. } = E::TABLE;
    let mut row = Row::default();
    record.write(&mut row).unwrap();
    assert!(id.values().eq(row.cells[..key.len()].iter().cloned()), "{name}");
    let columns: Vec<Column> = E::TABLE.all().skip(1).collect();
    assert_eq!(columns.len(), row.cells.len(), "{name}");
    let cells = columns.iter().zip(row.cells).filter_map(|(column, cell)| {
        assert!(is_of(&cell, column.ty), "{} of {name}", column.name);
        (column.role != Role::Derived).then_some(cell)
    });
    let mut row = Row { cells: cells.collect(), next: 0 };
    assert!(E::read(&mut row).is_ok_and(|read| read == *record), "{name}");
    assert_eq!(row.next, row.cells.len(), "{name}");
    name
}

fn is_of(cell: &Value<'_>, ty: Type) -> bool {
    match cell {
        Value::Integer(number) if ty == Type::Int => number.is_none_or(|number| i32::try_from(number).is_ok()),
        Value::Integer(_) => ty == Type::BigInt,
        Value::Boolean(_) => ty == Type::Bool,
        Value::Double(_) => ty == Type::Double,
        Value::Text(_) => ty == Type::Text,
        Value::Bytes(_) => false,
    }
}

#[test]
fn every_kind_of_record_is_read_back_from_its_row() {
    let mut seen = BTreeSet::new();
    let entries = [read_clinic().journal(), shelves::journal()].concat();
    let of_keys = Change::put(KeyRecord::from(&key()));
    for change in entries.iter().flat_map(Entry::changes).chain([&of_keys]) {
        let Change::Put(record) = change else {
            continue;
        };
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match (record, record.key()) {
                    $((Record::$kind(record), RecordKey::$kind(id)) => read_back(record, &id),)*
                    _ => unreachable!("a record and its key are of one kind"),
                }
            };
        }
        seen.insert(care_core::record_kinds!(by_kind));
    }
    macro_rules! names {
        ($($kind:ident)*) => {
            [$(<kinds::$kind as Tabular>::TABLE.name),*]
        };
    }
    let due = care_core::record_kinds!(names);
    assert_eq!(seen, BTreeSet::from(due));
    assert_eq!(seen.len(), due.len());
}

#[test]
fn an_entry_is_read_back_from_its_row_which_is_written_in_one_way() {
    for entry in read_clinic().journal() {
        let mut row = Row::default();
        let written = EntryRow::of(&entry).unwrap();
        written.write(&mut row).unwrap();
        assert_eq!(EntryRow::read(&mut row).unwrap(), entry);
        let is_written_so = |row: &Row| {
            let mut row = Row { cells: row.cells.clone(), next: 0 };
            EntryRow::of(&entry).unwrap().is_written_so(&mut row).unwrap()
        };
        assert!(is_written_so(&row));
        for place in 4..7 {
            let mut changed = Row { cells: row.cells.clone(), next: 0 };
            changed.cells[place] = match &row.cells[place] {
                Value::Text(Some(text)) => Value::from(format!("{text} ")),
                _ => Value::from("[]"),
            };
            assert!(!is_written_so(&changed), "{place}");
        }
    }
}

fn key() -> ApiKey {
    let at = |millis| Timestamp::from_unix_millis(millis).unwrap();
    ApiKey {
        id: KeyId::new("0123456789az").unwrap(),
        name: KeyName::new("Front desk").unwrap(),
        scopes: [Scope::PatientRead, Scope::Admin].into_iter().collect(),
        digest: SecretDigest::new([7; 32]),
        created: at(1),
        expires: Some(at(2)),
        revoked: None,
        replaces: KeyId::new("az0123456789").ok(),
    }
}

#[test]
fn a_key_is_read_back_and_its_seal_reveals_a_change() {
    let key = key();
    let mut row = Row::default();
    KeyRow::write(&key, &mut row).unwrap();
    let read = KeyRow::read(&mut row).unwrap();
    assert!(read.is_as_written());
    assert_eq!(read.into_key(), key);
    for (place, other) in [(1, Value::from("Back desk")), (4, Value::from(3)), (6, Value::from(3))] {
        let mut changed = Row { cells: row.cells.clone(), next: 0 };
        changed.cells[place] = other;
        assert!(!KeyRow::read(&mut changed).unwrap().is_as_written(), "{place}");
    }
}
