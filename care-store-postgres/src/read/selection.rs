//! A query assembled from the filters that are set.

use care_core::store::{Filling, Record, Versioned};

use crate::{
    base::{
        error::Fault,
        records::{Cell, Kind},
    },
    connect::{pool::Snapshot, session::Request},
};

/// The portion that a list is read into.
pub(crate) type Found = Filling<Versioned<Record>>;

/// A selection of rows from one table. Its SQL consists of constants; clients' values are only ever bound.
#[derive(Debug)]
pub(crate) struct Selection {
    kind: &'static Kind,
    sql: String,
    joint: &'static str,
    values: Vec<Cell>,
}

impl Selection {
    /// Selects rows from this kind's table.
    pub(crate) fn of(kind: &'static Kind) -> Self {
        Self { kind, sql: kind.sql.select.clone(), joint: " WHERE ", values: Vec::new() }
    }

    /// Selects rows with a `WITH` clause before the `SELECT` and a join after it.
    pub(crate) fn joined(kind: &'static Kind, with: &str, join: &str, values: Vec<Cell>) -> Self {
        let sql = format!("{with} {} {join}", kind.sql.select);
        Self { kind, sql, joint: " WHERE ", values }
    }

    /// Keeps only the rows that meet this condition.
    pub(crate) fn only(mut self, condition: &str) -> Self {
        self.sql.push_str(self.joint);
        self.sql.push_str(condition);
        self.joint = " AND ";
        self
    }

    /// Keeps only the rows that meet this condition, in which `?` stands for the value.
    pub(crate) fn and(mut self, condition: &str, value: impl Into<Cell>) -> Self {
        self.values.push(value.into());
        let number = format!("${}", self.values.len());
        self.only(&condition.replace('?', &number))
    }

    /// Keeps only the rows that meet this condition, if there is a value.
    pub(crate) fn maybe(self, condition: &str, value: Option<impl Into<Cell>>) -> Self {
        match value {
            Some(value) => self.and(condition, value),
            None => self,
        }
    }

    /// Keeps only the rows whose key comes after this one.
    pub(crate) fn above(mut self, key: Vec<Cell>) -> Self {
        let numbers: Vec<_> = (1..=key.len()).map(|place| format!("${}", self.values.len() + place)).collect();
        self.values.extend(key);
        let condition = format!("({}) > ({})", self.kind.sql.key, numbers.join(", "));
        self.only(&condition)
    }

    /// Reads the first rows until the portion is full. A row that does not fit is not read.
    pub(crate) async fn fill(self, snapshot: &mut Snapshot<'_>, order: &str, portion: &mut Found) -> Result<(), Fault> {
        let Self { kind, mut sql, mut values, .. } = self;
        values.push(rows(portion.wanted()).into());
        sql.push_str(&format!(" ORDER BY {order} LIMIT ${}", values.len()));
        let request = Request::new(sql, values);
        let mut found = snapshot.stream(&request).await?;
        while let Some(row) = found.next().await? {
            if !portion.takes(row.raw_size_bytes()) {
                break;
            }
            portion.push(kind.read(&row)?);
        }
        Ok(())
    }
}

/// Converts a number of rows to PostgreSQL's type.
pub(crate) fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
