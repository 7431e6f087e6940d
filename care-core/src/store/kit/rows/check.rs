//! Checking rows: whether each is as the service writes it.

use super::{Column, EntryRow, KeyRow, Role, RowError, RowReader, RowWriter, Type, Value};
use crate::store::{Damage, Entry, Record, RecordKind, Versioned};

const OTHERWISE: &str = "is not as the service writes it";

impl RecordKind {
    /// Reads a row of the kind, and holds it against the one that the service would write. `row` begins to read it at a
    /// column: those that are read come first, and the derived ones behind them.
    ///
    /// # Errors
    /// The first damage.
    pub fn check<R: RowReader<Error = RowError>>(self, row: impl Fn(usize) -> R) -> Result<Versioned<Record>, Damage> {
        let table = self.table();
        let wrong = |column: &str| {
            let mut cells = row(1);
            let key = table.key.iter().map(|column| shown(column.ty, &mut cells)).collect::<Vec<_>>();
            Damage::of(table.name, key.join(" "), format!("{column} {OTHERWISE}"))
        };
        let damaged = |error| match error {
            RowError::Damaged { column, .. } => table.read().nth(column),
            RowError::TooMany | RowError::Encode(_) => None,
        };
        let found =
            self.read(&mut row(0)).map_err(|error| wrong(damaged(error).map_or("a column", |column| column.name)))?;
        let (stored, derived) = (row(0), row(table.read().count()));
        let mut due = Due { columns: table.all(), stored, derived };
        match found.record.write(found.version, &mut due) {
            Ok(()) => Ok(found),
            Err(Unlike(column)) => Err(wrong(column)),
        }
    }
}

impl EntryRow<'_> {
    /// Reads the row of an entry, and holds it against the one that the service would write.
    ///
    /// # Errors
    /// The damage.
    pub fn check<R: RowReader>(row: impl Fn() -> R) -> Result<Entry, Damage> {
        let wrong = |what: &str| Damage::of("journal", shown(Type::BigInt, &mut row()), what);
        let entry = EntryRow::read(&mut row()).map_err(|_| wrong("is no entry"))?;
        let is_written_so = EntryRow::of(&entry).is_ok_and(|due| due.is_written_so(&mut row()).unwrap_or(false));
        if is_written_so { Ok(entry) } else { Err(wrong(OTHERWISE)) }
    }
}

impl KeyRow {
    /// Reads the row of a key, and looks at its seal.
    ///
    /// # Errors
    /// The damage.
    pub fn check<R: RowReader>(row: impl Fn() -> R) -> Result<(), Damage> {
        match Self::read(&mut row()) {
            Ok(row) if row.is_as_written() => Ok(()),
            _ => Err(Damage::of("api_key", shown(Type::Text, &mut row()), "was changed after it was written")),
        }
    }
}

impl Type {
    /// Reads the next cell of a column of this type.
    fn read<R: RowReader>(self, cells: &mut R) -> Result<Value<'_>, R::Error> {
        Ok(match self {
            Self::Int | Self::BigInt => cells.maybe_integer()?.into(),
            Self::Bool => cells.maybe_boolean()?.into(),
            Self::Double => cells.maybe_double()?.into(),
            Self::Text => cells.maybe_str()?.into(),
        })
    }
}

/// Returns the next cell of a primary key as text.
fn shown(ty: Type, cells: &mut impl RowReader) -> String {
    match ty.read(cells) {
        Ok(Value::Integer(Some(number))) => number.to_string(),
        Ok(Value::Text(Some(text))) => text.into_owned(),
        _ => "?".to_owned(),
    }
}

/// The row that is due, which is not written but held against the cells that are there.
struct Due<C, R> {
    columns: C,
    stored: R,
    derived: R,
}

/// The first column that is not as it is due.
struct Unlike(&'static str);

impl From<RowError> for Unlike {
    fn from(_: RowError) -> Self {
        Self("a column")
    }
}

impl<C: Iterator<Item = Column>, R: RowReader> RowWriter for Due<C, R> {
    type Error = Unlike;

    fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), Unlike> {
        let Some(Column { name, ty, role }) = self.columns.next() else { return Ok(()) };
        let cells = if role == Role::Derived { &mut self.derived } else { &mut self.stored };
        match ty.read(cells) {
            Ok(there) if there == value.into() => Ok(()),
            _ => Err(Unlike(name)),
        }
    }
}
