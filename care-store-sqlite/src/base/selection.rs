//! Selections as SQL.

use std::fmt::Write;

use care_core::store::rows::{self, Selection, Term};
use rusqlite::{Connection, params_from_iter, types::Value};

use super::{
    error::Fault,
    records::{Listed, Stored, fill},
};

/// The part of a statement after the name of the table: the index, and the conditions on the rows. Its text consists of
/// constants; values from clients are only bound.
pub(crate) struct Rows {
    sql: String,
    joint: &'static str,
    values: Vec<Value>,
}

impl Rows {
    /// Returns the rows of a selection, found by this index (`INDEXED BY` and its name, or empty for the table itself).
    ///
    /// The index is named because there are no statistics that would lead the planner to it, and because a query that
    /// cannot use it then fails at once instead of reading the whole table.
    pub(crate) fn of(selection: &Selection<'_>, index: &'static str) -> Self {
        let all = Self { sql: format!(" {index}"), joint: " WHERE ", values: Vec::new() };
        selection.terms.iter().fold(all, Self::meeting)
    }

    fn meeting(self, term: &Term<'_>) -> Self {
        match term {
            Term::Word(column, word) => self.only(&format!("{column} = '{word}'")),
            Term::Null(column) => self.only(&format!("{column} IS NULL")),
            Term::NotTrue(column) => self.only(&format!("{column} IS NOT TRUE")),
            Term::Compared(columns, by, values) => {
                let by = by.as_str();
                let mut with = match values.len() {
                    1 => self.only(&format!("{columns} {by} ?")),
                    several => self.only(&format!("({columns}) {by} ({})", vec!["?"; several].join(", "))),
                };
                with.values.extend(values.iter().cloned().map(bound));
                with
            }
        }
    }

    fn only(mut self, condition: &str) -> Self {
        self.sql.push_str(self.joint);
        self.sql.push_str(condition);
        self.joint = " AND ";
        self
    }

    /// Adds a condition on these values.
    pub(crate) fn and<const N: usize>(self, condition: &str, values: [Value; N]) -> Self {
        let mut with = self.only(condition);
        with.values.extend(values);
        with
    }

    /// Returns the statement that begins and ends so, with its values.
    pub(crate) fn between(self, start: &str, end: &str) -> (String, Vec<Value>) {
        (format!("{start}{}{end}", self.sql), self.values)
    }

    /// Adds the first of these rows in an order, as many as the portion takes.
    pub(crate) fn fill<E: Stored>(self, conn: &Connection, order: &str, portion: &mut Listed) -> Result<(), Fault> {
        fill_all::<E>(conn, [self], order, portion)
    }
}

/// Adds the first rows of several selections together, as many as the portion takes. SQLite merges those that an index
/// has in the order.
pub(crate) fn fill_all<E: Stored>(
    conn: &Connection,
    several: impl IntoIterator<Item = Rows>,
    order: &str,
    portion: &mut Listed,
) -> Result<(), Fault> {
    let (mut sql, mut values) = (String::new(), Vec::new());
    for rows in several {
        let joint = if sql.is_empty() { "" } else { " UNION ALL " };
        // Writing to a `String` cannot fail.
        let _ = write!(sql, "{joint}{}{}", E::sql().select, rows.sql);
        values.extend(rows.values);
    }
    let _ = write!(sql, " ORDER BY {order} LIMIT ?");
    values.push(most(portion.wanted()).into());
    fill::<E>(conn, &sql, params_from_iter(values), portion)
}

/// Returns a value in SQLite's type.
fn bound(value: rows::Value<'_>) -> Value {
    let bound = match value {
        rows::Value::Integer(number) => number.map(Value::from),
        rows::Value::Boolean(value) => value.map(Value::from),
        rows::Value::Double(number) => number.map(Value::from),
        rows::Value::Text(text) => text.map(|text| text.into_owned().into()),
        rows::Value::Bytes(bytes) => bytes.map(|bytes| bytes.into_owned().into()),
    };
    bound.unwrap_or(Value::Null)
}

/// Returns a number of rows in SQLite's type.
pub(crate) fn most(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
