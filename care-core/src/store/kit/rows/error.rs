//! The errors of rows that every store with tables has.

/// The reason why a row cannot be read into the model, or written from it.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// The model refuses a stored value. The value is not named: it may be a patient's.
    #[error("column {column} of a row of table {table} is damaged")]
    Damaged {
        /// The table.
        table: &'static str,
        /// The place of the cell in the row, from 0.
        column: usize,
    },
    /// A count does not fit into the column's 63 bits.
    #[error("a count is beyond 2^63-1")]
    TooMany,
    /// A compound value has no JSON.
    #[error("a record could not be written as JSON")]
    Encode(#[source] serde_json::Error),
}
