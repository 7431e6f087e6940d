//! Statements about selections: the indexes that they name, and the values that they bind.

use care_core::store::{Datum, Index, RecordKind, Rows, Selection, sql::Statement};
use rusqlite::{
    Connection, ToSql, params_from_iter,
    types::{ToSqlOutput, ValueRef},
};

use super::{
    error::Fault,
    records::{Listed, Stored, fill},
};

/// Returns the beginning of a statement up to the name of the selection's table, with `INDEXED BY` and the name of its
/// index, or without where the table itself has its rows.
///
/// The index is named because there are no statistics that would lead the planner to it, and because a query that
/// cannot use it then fails at once instead of reading the whole table. Patients are found by their terms.
fn indexed(start: &str, selection: &Selection) -> Statement {
    let mut sql = String::with_capacity(2 * start.len());
    sql.push_str(start);
    let named = |index: &&Index| !index.is_primary && index.kind != RecordKind::Patient;
    if let Some(index) = selection.index.filter(named) {
        sql.push_str(" INDEXED BY ");
        sql.push_str(index.name);
    }
    Statement::new(sql)
}

/// Returns the statement that begins with the name of the selection's table, and keeps the selected rows.
pub(crate) fn selecting(start: &str, selection: &Selection) -> Statement {
    indexed(start, selection).of(selection)
}

/// Adds the first of these rows, as many as the portion takes.
pub(crate) fn fill_rows<E: Stored>(conn: &Connection, rows: &Rows, found: &mut Listed) -> Result<(), Fault> {
    let mut statement = indexed(&E::sql().select, &rows.selection).of_rows(rows);
    // The index has the rows of one word after those of another, each in the order of the list; SQLite merges them.
    if let Some((column, words)) = rows.selection.open_words() {
        let each = words.iter().map(|word| format!("{} AND {column} = '{word}'", statement.sql));
        statement.sql = each.collect::<Vec<_>>().join(" UNION ALL ");
    }
    fill_statement::<E>(conn, statement.ordered(&rows.selection), found)
}

/// Adds the first records that a statement finds, as many as the portion takes.
pub(crate) fn fill_statement<E: Stored>(
    conn: &Connection,
    statement: Statement,
    found: &mut Listed,
) -> Result<(), Fault> {
    let Statement { sql, values, .. } = statement.limited(found.wanted());
    fill::<E>(conn, &sql, params_from_iter(values.iter().map(Bound)), found)
}

/// A value that is bound.
pub(crate) struct Bound<'a>(pub(crate) &'a Datum);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Datum::Number(number) => ValueRef::Integer(*number),
            Datum::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
