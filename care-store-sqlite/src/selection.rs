//! A query that is put together from the filters that are set.

use care_core::store::{Record, Versioned};
use rusqlite::{Connection, params_from_iter, types::Value};

use crate::{
    error::Fault,
    records::{Stored, many},
};

/// Which rows of one table. It is made of constant texts; what a client sent is only ever bound.
pub(crate) struct Selection {
    sql: String,
    joint: &'static str,
    values: Vec<Value>,
}

impl Selection {
    /// Rows of the record's table, found by this index (`INDEXED BY` and its name, or nothing for the table itself).
    ///
    /// The index is named because no statistics are kept that could lead the planner to it, and because a query that
    /// cannot use it then fails at once instead of reading the whole table.
    pub(crate) fn of<E: Stored>(index: &'static str) -> Self {
        Self { sql: format!("{} {index}", E::TABLE.select), joint: " WHERE ", values: Vec::new() }
    }

    /// Only those that meet this condition.
    pub(crate) fn only(mut self, condition: &str) -> Self {
        self.sql.push_str(self.joint);
        self.sql.push_str(condition);
        self.joint = " AND ";
        self
    }

    /// Only those that meet this condition on a value.
    pub(crate) fn and(self, condition: &str, value: impl Into<Value>) -> Self {
        let mut with = self.only(condition);
        with.values.push(value.into());
        with
    }

    /// Only those that meet this condition, if there is a value.
    pub(crate) fn maybe(self, condition: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.and(condition, value),
            None => self,
        }
    }

    /// The first of them.
    pub(crate) fn fetch<E: Stored>(
        self,
        conn: &Connection,
        order: &str,
        limit: i64,
    ) -> Result<Vec<Versioned<Record>>, Fault> {
        let Self { mut sql, mut values, .. } = self;
        sql.push_str(" ORDER BY ");
        sql.push_str(order);
        sql.push_str(" LIMIT ?");
        values.push(limit.into());
        many::<E>(conn, &sql, params_from_iter(values))
    }
}
