//! The findings of a store that checks its own data.

use std::fmt;

use crate::error::StoreError;

/// The reason why a check ended early.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// Something that the store keeps is not as it writes it.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A place where what a store keeps is not as the store writes it. It holds no value but the row's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The table, when it is known.
    pub table: Option<String>,
    /// The row's key, when it is known.
    pub row: Option<String>,
    /// The fault.
    pub what: String,
}

impl Damage {
    /// Returns damage in this table, and in this row when it is known.
    pub fn of(table: &str, row: impl Into<Option<String>>, what: impl Into<String>) -> Self {
        Self { table: Some(table.to_owned()), row: row.into(), what: what.into() }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.table, &self.row) {
            (Some(table), Some(row)) => write!(f, "table {table}, row {row}: {}", self.what),
            (Some(table), None) => write!(f, "table {table}: {}", self.what),
            _ => self.what.fmt(f),
        }
    }
}

impl std::error::Error for Damage {}
