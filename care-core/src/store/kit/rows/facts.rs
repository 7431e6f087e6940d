//! The values that a record has in some columns of its table.

use std::iter::Peekable;

use super::{Column, Field, RowError, RowKey, RowReader, RowWriter, Table, Tabular, Type, Value};
use crate::store::{
    Comparison, Datum, Index, Record, RecordKey, RecordKind, Selection, Seq, Term, Versioned, kinds,
    records::record::each_kind,
};

/// The values that a record has in some columns of its table: what terms are held against.
#[derive(Debug)]
pub struct Facts {
    columns: Vec<(&'static str, Option<Datum>)>,
}

impl Facts {
    /// Returns the values that a record has in these columns.
    pub fn of(record: &Record, columns: impl IntoIterator<Item = &'static str>) -> Self {
        let mut facts = Self { columns: Vec::new() };
        for column in columns {
            if !facts.columns.iter().any(|(known, _)| *known == column) {
                facts.columns.push((column, None));
            }
        }
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match record {
                    $(Record::$kind(record) => facts.take(&kinds::$kind::TABLE, record),)*
                }
            };
        }
        each_kind!(by_kind);
        facts
    }

    fn take(&mut self, table: &Table, record: &impl Tabular) {
        let left = self.columns.len();
        let mut row = Row { columns: table.all().skip(1).peekable(), facts: self, left };
        // The row ends at the last of the columns, with an `End` that is no failure. A value that is not looked for is
        // passed unwritten, so none can fail.
        if left > 0 {
            let _ = record.write(&mut row);
        }
    }

    /// Returns the value in a column; `None` when it is null, and for a column that was not among those of
    /// [`of`](Self::of).
    pub fn get(&self, column: &str) -> Option<&Datum> {
        self.columns.iter().find(|(known, _)| *known == column)?.1.as_ref()
    }

    /// Returns whether these values meet all terms.
    pub fn meet(&self, terms: &[Term]) -> bool {
        terms.iter().all(|term| term.is_met_by(self.get(term.column())))
    }
}

impl Selection {
    /// Returns whether a record is one of the selected.
    pub fn holds(&self, record: &Record) -> bool {
        self.kind == RecordKind::of_record(record)
            && Facts::of(record, self.terms.iter().map(Term::column)).meet(&self.terms)
    }
}

impl RecordKind {
    /// Returns the table of the kind.
    pub const fn table(self) -> Table {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind => kinds::$kind::TABLE,)*
                }
            };
        }
        each_kind!(by_kind)
    }

    /// Reads a record of the kind from a row: `version`, and the other columns that are not derived.
    ///
    /// # Errors
    /// [`RowError::Damaged`], or the store's failure.
    pub fn read<R: RowReader>(self, cells: &mut R) -> Result<Versioned<Record>, R::Error> {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind => <kinds::$kind as Tabular>::read(cells)?.into(),)*
                }
            };
        }
        let version = Seq::new(cells.get::<i64>()?.cast_unsigned());
        Ok(Versioned { version, record: each_kind!(by_kind) })
    }
}

impl Record {
    /// Writes the row of the record in the order of [`Table::all`], the version first.
    ///
    /// # Errors
    /// [`RowError::TooMany`] and [`RowError::Encode`], or the store's failure.
    pub fn write<W: RowWriter>(&self, version: Seq, cells: &mut W) -> Result<(), W::Error> {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind(record) => Tabular::write(record, cells),)*
                }
            };
        }
        cells.put(version.value().cast_signed())?;
        each_kind!(by_kind)
    }
}

impl RecordKey {
    /// Writes the values of the primary key's columns, in the table's order.
    ///
    /// # Errors
    /// The store's failure.
    pub fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind(id) => id.values().try_for_each(|value| cells.put(value)),)*
                }
            };
        }
        each_kind!(by_kind)
    }

    /// Returns the values of the primary key's columns, in the table's order.
    pub fn values(&self) -> Vec<Value<'_>> {
        macro_rules! by_kind {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind(id) => id.values().collect(),)*
                }
            };
        }
        each_kind!(by_kind)
    }
}

impl Datum {
    /// Returns the value of a cell; `None` when it is null, or of a type that no term compares.
    pub fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Integer(number) => number.map(Self::Number),
            Value::Boolean(value) => value.map(|value| Self::Number(value.into())),
            Value::Text(text) => text.map(|text| Self::Text(text.into())),
            Value::Double(_) | Value::Bytes(_) => None,
        }
    }
}

impl Selection {
    /// Adds the term by which a column compares so with a field, if one is given; with an empty one, that it is null.
    pub(crate) fn filtered<F: Field>(self, column: &'static str, by: Comparison, field: Option<&F>) -> Self {
        const { assert!(!matches!(F::TYPE, Type::Double), "no term compares such a column") };
        let Some(field) = field else {
            return self;
        };
        let mut cell = OneCell(None);
        let is_written = field.write(&mut cell).is_ok();
        debug_assert!(is_written, "a filter has values that a column holds");
        self.and(match cell.0 {
            Some(value) => Term::Compared(column, by, value),
            None => Term::Null(column),
        })
    }

    /// Leaves only the rows whose first column of the primary key is among those of the rows of an index with a value.
    pub(crate) fn among(self, index: &'static Index, value: Option<&impl AsRef<str>>) -> Self {
        match (value, self.kind.table().key) {
            (Some(value), [column, ..]) => self.and(Term::Among(column.name, index, value.as_ref().into())),
            _ => self,
        }
    }
}

/// The cell of one field.
struct OneCell(Option<Datum>);

impl RowWriter for OneCell {
    type Error = RowError;

    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), RowError> {
        self.0 = Datum::of(value.into());
        Ok(())
    }
}

/// The row of a record that is written up to the last of the columns that are looked for.
struct Row<'f, C: Iterator> {
    columns: Peekable<C>,
    facts: &'f mut Facts,
    left: usize,
}

/// The end of a row: nothing more is looked for in it.
struct End;

impl From<RowError> for End {
    fn from(_: RowError) -> Self {
        Self
    }
}

impl<C: Iterator<Item = Column>> Row<'_, C> {
    /// Passes a cell, and enters its value if it is looked for.
    fn pass(&mut self, value: impl FnOnce() -> Option<Datum>) -> Result<(), End> {
        let column = self.columns.next().ok_or(End)?;
        if let Some((_, wanted)) = self.facts.columns.iter_mut().find(|(known, _)| *known == column.name) {
            *wanted = value();
            self.left -= 1;
        }
        if self.left == 0 { Err(End) } else { Ok(()) }
    }
}

impl<C: Iterator<Item = Column>> RowWriter for Row<'_, C> {
    type Error = End;

    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), End> {
        self.pass(|| Datum::of(value.into()))
    }

    // A field that is not looked for need not become a value.
    fn set<F: Field>(&mut self, field: &F) -> Result<(), End> {
        let is_wanted = |column: &Column| self.facts.columns.iter().any(|(known, _)| *known == column.name);
        if self.columns.peek().is_some_and(is_wanted) { field.write(self) } else { self.pass(|| None) }
    }
}
