//! Selections as requests.

use care_core::store::{Filling, Record, Selection, Versioned, sql::Statement};

use crate::{
    base::{
        error::Fault,
        records::{Cell, Kind, kind},
    },
    connect::{pool::Snapshot, session::Request},
};

/// The portion that a list is read into.
pub(crate) type Found = Filling<Versioned<Record>>;

/// Returns the statement that selects the rows of a selection.
pub(crate) fn selecting(selection: &Selection) -> Statement {
    Statement::new(&*kind(selection.kind).sql.select).of(selection)
}

/// Returns a statement with its values as a request.
pub(crate) fn request(Statement { sql, values, .. }: Statement) -> Request {
    Request::new(sql, values.into_iter().map(Cell::from))
}

/// Reads the first rows of a kind until the portion is full. A row that does not fit is not read.
pub(crate) async fn fill(
    snapshot: &mut Snapshot<'_>,
    kind: &Kind,
    statement: Statement,
    portion: &mut Found,
) -> Result<(), Fault> {
    let request = request(statement.limited(portion.wanted()));
    let mut found = snapshot.stream(&request).await?;
    while let Some(row) = found.next().await? {
        if !portion.takes(row.raw_size_bytes()) {
            break;
        }
        portion.push(kind.read(&row)?);
    }
    Ok(())
}
