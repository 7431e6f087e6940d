//! Queries that are built from the filters that are set.

use care_core::store::rows::{self, RowKey};
use rusqlite::{Connection, params_from_iter, types::Value};

use super::{
    error::Fault,
    records::{Listed, Stored, fill},
};

/// A selection of rows of one table. Its text consists of constants; values from clients are only bound.
pub(crate) struct Selection {
    sql: String,
    joint: &'static str,
    values: Vec<Value>,
}

impl Selection {
    /// Selects rows of the record's table by this index (`INDEXED BY` and its name, or empty for the table itself).
    ///
    /// The index is named because there are no statistics that would lead the planner to it, and because a query that
    /// cannot use it then fails at once instead of reading the whole table.
    pub(crate) fn of<E: Stored>(index: &'static str) -> Self {
        Self { sql: format!("{} {index}", E::sql().select), joint: " WHERE ", values: Vec::new() }
    }

    /// Adds a condition.
    pub(crate) fn only(mut self, condition: &str) -> Self {
        self.sql.push_str(self.joint);
        self.sql.push_str(condition);
        self.joint = " AND ";
        self
    }

    /// Adds a condition on a value.
    pub(crate) fn and(self, condition: &str, value: impl Into<Value>) -> Self {
        let mut with = self.only(condition);
        with.values.push(value.into());
        with
    }

    /// Adds the condition that the primary key, these columns, comes after this one.
    pub(crate) fn above(self, columns: &str, key: &impl RowKey) -> Self {
        let key: Vec<_> = key.values().map(bound).collect();
        let mut with = self.only(&format!("({columns}) > ({})", vec!["?"; key.len()].join(", ")));
        with.values.extend(key);
        with
    }

    /// Adds a condition on a value, if there is one.
    pub(crate) fn maybe(self, condition: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.and(condition, value),
            None => self,
        }
    }

    /// Adds the rows of another selection, which are found by its own index.
    pub(crate) fn or(mut self, other: Self) -> Self {
        self.sql.push_str(" UNION ALL ");
        self.sql.push_str(&other.sql);
        self.values.extend(other.values);
        self
    }

    /// Adds the first rows, as many as the portion takes.
    pub(crate) fn fill<E: Stored>(self, conn: &Connection, order: &str, portion: &mut Listed) -> Result<(), Fault> {
        let Self { mut sql, mut values, .. } = self;
        sql.push_str(" ORDER BY ");
        sql.push_str(order);
        sql.push_str(" LIMIT ?");
        values.push(rows(portion.wanted()).into());
        fill::<E>(conn, &sql, params_from_iter(values), portion)
    }
}

/// Returns a value of a primary key in SQLite's type.
fn bound(value: rows::Value<'_>) -> Value {
    match value {
        rows::Value::Integer(Some(number)) => number.into(),
        rows::Value::Boolean(Some(value)) => value.into(),
        rows::Value::Double(Some(number)) => number.into(),
        rows::Value::Text(Some(text)) => text.into_owned().into(),
        rows::Value::Bytes(Some(bytes)) => bytes.into_owned().into(),
        rows::Value::Integer(None)
        | rows::Value::Boolean(None)
        | rows::Value::Double(None)
        | rows::Value::Text(None)
        | rows::Value::Bytes(None) => Value::Null,
    }
}

/// Returns a number of rows in SQLite's type.
pub(crate) fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
