//! Statements over the rows of a table, as far as SQL is the same in every database.
//!
//! The text of a statement consists of constants; values from clients are only bound.

use std::fmt::Write;

use super::rows::{Column, Role, Table};
use crate::{
    error::{StoreError, StoreErrorKind},
    model::NamePrefix,
    store::{Comparison, Datum, Index, Order, RecordKey, RecordKind, Rows, Selection, Term},
};

/// The number of the last entry, or 0 if there is none.
pub const LAST: &str = "SELECT coalesce((SELECT seq FROM journal ORDER BY seq DESC LIMIT 1), 0)";

/// The number and the link of the last entry, if there is one.
pub const HEAD: &str = "SELECT seq, link FROM journal ORDER BY seq DESC LIMIT 1";

/// The first entries after a number, as many as the second parameter says.
pub const ENTRIES: &str = "SELECT seq, at, actor, operation, changes, reads, erased, link FROM journal \
     WHERE seq > $1 ORDER BY seq LIMIT $2";

/// Every API key, by id.
pub const KEYS: &str =
    "SELECT key_id, name, scopes, digest, created, expires, revoked, replaces, seal FROM api_key ORDER BY key_id";

/// Adds an API key, or replaces it.
pub const PUT_KEY: &str = "INSERT INTO api_key ( \
         key_id, name, scopes, digest, created, expires, revoked, replaces, seal \
     ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (key_id) DO UPDATE SET name = excluded.name, \
     scopes = excluded.scopes, digest = excluded.digest, created = excluded.created, expires = excluded.expires, \
     revoked = excluded.revoked, replaces = excluded.replaces, seal = excluded.seal";

/// The number of names with a prefix up to which their patients are sorted by number at once.
pub const FEW_NAMES: i64 = 4_000;

/// The number of patients that are read in the order of their numbers before the names are used after all.
pub const WALK: i64 = 16_000;

/// A statement that is being written, with the values that it binds as `$1`, `$2` and so on.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The text.
    pub sql: String,
    /// The values, in the order of their numbers.
    pub values: Vec<Datum>,
    joint: &'static str,
}

impl Statement {
    /// Returns the statement that begins so, up to its conditions.
    pub fn new(start: impl Into<String>) -> Self {
        Self::with_values(start, Vec::new())
    }

    /// Returns the statement that begins so and binds these values there.
    pub fn with_values(start: impl Into<String>, values: Vec<Datum>) -> Self {
        Self { sql: start.into(), values, joint: " WHERE " }
    }

    /// Keeps only the rows of a selection.
    #[must_use]
    pub fn of(self, selection: &Selection) -> Self {
        selection.terms.iter().fold(self, Self::meeting)
    }

    /// Keeps only the rows of a selection that are behind its cursor.
    #[must_use]
    pub fn of_rows(self, Rows { selection, after }: &Rows) -> Self {
        let is_descending = selection.order.is_descending;
        let Some(key) = after else { return self.of(selection) };
        // A database might begin where the range does, and not at the cursor behind that.
        let (column, first) = (selection.kind.table().key.first(), key.values().into_iter().find_map(Datum::of));
        let is_passed = |term: &&Term| match term {
            Term::Compared(name, Comparison::AtLeast, from) => {
                !is_descending && column.is_some_and(|column| column.name == *name) && first.as_ref() >= Some(from)
            }
            _ => false,
        };
        let rows = selection.terms.iter().filter(|term| !is_passed(term)).fold(self, Self::meeting);
        rows.keyed(if is_descending { "<" } else { ">" }, key)
    }

    /// Keeps only the rows whose primary key compares so with this one.
    #[must_use]
    pub fn keyed(self, operator: &str, key: &RecordKey) -> Self {
        let columns = names(RecordKind::of(key).table().key.iter().copied());
        self.compared(&columns, operator, key.values().into_iter().filter_map(Datum::of))
    }

    fn meeting(mut self, term: &Term) -> Self {
        self.join();
        // Writing to a `String` cannot fail.
        let _ = match term {
            Term::Compared(column, by, value) => {
                self.values.push(value.clone());
                write!(self.sql, "{column} {} ${}", by.as_str(), self.values.len())
            }
            Term::OneOf(column, values) => {
                let first = self.values.len() + 1;
                self.values.extend(values.iter().cloned());
                let numbers = (first..=self.values.len()).map(|number| format!("${number}")).collect::<Vec<_>>();
                write!(self.sql, "{column} IN ({})", numbers.join(", "))
            }
            Term::Word(column, word) => write!(self.sql, "{column} = '{word}'"),
            Term::Null(column) => write!(self.sql, "{column} IS NULL"),
            Term::Present(column) => write!(self.sql, "{column} IS NOT NULL"),
            Term::Among(column, index, value) => {
                self.values.push(value.clone());
                let Index { kind, columns: [indexed, ..], .. } = index else { return self };
                let table = kind.table().name;
                write!(self.sql, "{column} IN (SELECT {column} FROM {table} WHERE {indexed} = ${})", self.values.len())
            }
            Term::NotTrue(column) => write!(self.sql, "{column} IS NOT TRUE"),
        };
        self
    }

    /// Keeps only the rows that meet this condition.
    #[must_use]
    pub fn only(mut self, condition: &str) -> Self {
        self.join();
        self.sql.push_str(condition);
        self
    }

    /// Keeps only the rows whose columns compare so with these values: several columns as a tuple.
    #[must_use]
    pub fn compared<V: Into<Datum>>(
        mut self,
        columns: &str,
        operator: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.join();
        let before = self.values.len();
        self.values.extend(values.into_iter().map(Into::into));
        let (open, close) = if self.values.len() > before + 1 { ("(", ")") } else { ("", "") };
        let _ = write!(self.sql, "{open}{columns}{close} {operator} {open}");
        for number in before + 1..=self.values.len() {
            let _ = write!(self.sql, "{}${number}", if number > before + 1 { ", " } else { "" });
        }
        self.sql.push_str(close);
        self
    }

    /// Keeps only the rows whose column, or other expression, begins so.
    #[must_use]
    pub fn beginning(self, column: &str, prefix: &NamePrefix) -> Self {
        let rows = self.compared(column, ">=", [prefix.as_str()]);
        match prefix.successor() {
            Some(below) => rows.compared(column, "<", [&*below]),
            None => rows,
        }
    }

    /// Sorts the rows in the order of a selection.
    #[must_use]
    pub fn ordered(mut self, selection: &Selection) -> Self {
        let Order { is_by_index, is_descending } = selection.order;
        let first = selection.index.filter(|_| is_by_index).map_or(&[][..], |index| index.columns);
        let key = selection.kind.table().key;
        self.sql.push_str(" ORDER BY ");
        for (place, column) in first.iter().copied().chain(key.iter().map(|column| column.name)).enumerate() {
            self.sql.push_str(if place > 0 { ", " } else { "" });
            self.sql.push_str(column);
            self.sql.push_str(if is_descending { " DESC" } else { "" });
        }
        self
    }

    /// Ends the statement after this number of rows.
    #[must_use]
    pub fn limited(mut self, rows: usize) -> Self {
        self.values.push(Datum::Number(most(rows)));
        let _ = write!(self.sql, " LIMIT ${}", self.values.len());
        self
    }

    /// Returns the statement with this end.
    #[must_use]
    pub fn ending(mut self, end: &str) -> Self {
        self.sql.push_str(end);
        self
    }

    fn join(&mut self) {
        self.sql.push_str(self.joint);
        self.joint = " AND ";
    }
}

impl Rows {
    /// Returns the number of the patient behind which a list begins, 0 at its beginning.
    ///
    /// # Errors
    /// [`StoreErrorKind::Unsupported`] for the key of another kind of record.
    pub fn first_patient(&self) -> Result<i64, StoreError> {
        match &self.after {
            None => Ok(0),
            Some(RecordKey::Patient(id)) => Ok(id.value()),
            Some(_) => Err(StoreErrorKind::Unsupported.into()),
        }
    }
}

impl Index {
    /// Returns the statement that makes the index, whose last columns are these.
    #[must_use]
    pub fn definition(&self, last: &[Column]) -> String {
        let unique = if self.is_unique { "UNIQUE " } else { "" };
        let last = last.iter().map(|column| column.name).filter(|name| !self.columns.contains(name));
        let columns = self.columns.iter().copied().chain(last);
        let columns = columns.collect::<Vec<_>>().join(", ");
        let (table, name) = (self.kind.table().name, self.name);
        let start = Statement::new(format!("CREATE {unique}INDEX {name} ON {table} ({columns})"));
        self.only.iter().fold(start, Statement::meeting).sql
    }
}

/// Returns a number of rows as SQL counts them.
#[must_use]
pub fn most(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Returns the names of columns, with commas between them.
pub fn names(columns: impl Iterator<Item = Column>) -> String {
    list(columns, ", ", |column| column.name.to_owned())
}

/// Returns a text for each column, with this between two of them.
pub fn list(columns: impl Iterator<Item = Column>, between: &str, text: impl FnMut(Column) -> String) -> String {
    columns.map(text).collect::<Vec<_>>().join(between)
}

impl Table {
    /// Returns the statement that reads every row; a condition may follow.
    pub fn select(&self) -> String {
        format!("SELECT {} FROM {}", names(self.read()), self.name)
    }

    /// Returns the statement that reads every row by key, with the derived columns behind the others.
    pub fn select_whole(&self) -> String {
        let derived = self.all().filter(|column| column.role == Role::Derived);
        let (columns, key) = (names(self.read().chain(derived)), names(self.key.iter().copied()));
        format!("SELECT {columns} FROM {} ORDER BY {key}", self.name)
    }

    /// Returns the condition that a row has the key that is bound.
    pub fn has_key(&self) -> String {
        let mut number = 0;
        list(self.key.iter().copied(), " AND ", |column| {
            number += 1;
            format!("{} = ${number}", column.name)
        })
    }

    /// Returns the end of a statement that adds rows, by which it replaces those whose keys are there.
    pub fn or_replace(&self) -> String {
        let others = self.all().filter(|column| !self.key.contains(column));
        let set = list(others, ", ", |Column { name, .. }| format!("{name} = excluded.{name}"));
        format!("ON CONFLICT ({}) DO UPDATE SET {set}", names(self.key.iter().copied()))
    }
}
