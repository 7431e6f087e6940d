//! Checking every row.

use care_core::store::{Damage, rows::RowError};
use tokio_postgres::Row;

use super::{journal, keys, terms};
use crate::{
    base::{
        error::Fault,
        records::{Cell, KINDS, Kind},
    },
    connect::{pool::Snapshot, schema, session::Request},
};

/// Returns the first damage found in this schema.
pub(crate) async fn check(snapshot: &mut Snapshot<'_>, home: &str) -> Result<Option<Damage>, Fault> {
    if let Some(name) = schema::differences(snapshot, home).await?.into_iter().next() {
        return Ok(Some(Damage::of(&name, None, "is not in the schema, or should not be there")));
    }
    if let Some(damage) = entries(snapshot).await? {
        return Ok(Some(damage));
    }
    for kind in KINDS.iter() {
        if let Some(damage) = table(snapshot, kind).await? {
            return Ok(Some(damage));
        }
    }
    if let Some(damage) = terms::check(snapshot).await? {
        return Ok(Some(damage));
    }
    let changed = keys::changed(&snapshot.query(Request::new(keys::SELECT, [])).await?)?;
    Ok(changed.into_iter().next().map(|id| Damage::of("api_key", id, "was changed after it was written")))
}

async fn entries(snapshot: &mut Snapshot<'_>) -> Result<Option<Damage>, Fault> {
    let request = Request::new(journal::WHOLE, []);
    let mut rows = snapshot.stream(&request).await?;
    while let Some(row) = rows.next().await? {
        let wrong = |what: &str| Some(Damage::of("journal", key(&row, 0, 1), what));
        match journal::entry(&row) {
            Ok(entry) if journal::is_written_so(&row, &entry)? => {}
            Ok(_) => return Ok(wrong("is not as the service writes it")),
            Err(Fault::Row(RowError::Damaged { .. })) => return Ok(wrong("is no entry")),
            Err(fault) => return Err(fault),
        }
    }
    Ok(None)
}

/// Reads every row into the model, and compares it with what the model would write.
async fn table(snapshot: &mut Snapshot<'_>, kind: &Kind) -> Result<Option<Damage>, Fault> {
    let request = Request::new(kind.sql.whole.clone(), []);
    let mut rows = snapshot.stream(&request).await?;
    while let Some(row) = rows.next().await? {
        let wrong = |column: &str| {
            let what = format!("{column} is not as the service writes it");
            Ok(Some(Damage::of(kind.table.name, key(&row, 1, kind.table.key.len()), what)))
        };
        let found = match kind.read(&row) {
            Ok(found) => found,
            Err(Fault::Row(RowError::Damaged { column, .. })) => return wrong(row.columns()[column].name()),
            Err(fault) => return Err(fault),
        };
        let due = kind.cells(found.version, &found.record)?;
        for (column, due) in kind.table.all().zip(due) {
            if row.try_get::<_, Cell>(column.name)? != due {
                return wrong(column.name);
            }
        }
    }
    Ok(None)
}

/// Returns the key of a row, which occupies this number of columns starting at `first`.
fn key(row: &Row, first: usize, columns: usize) -> String {
    let texts: Vec<_> = (first..first + columns)
        .map(|column| match row.try_get::<_, Cell>(column) {
            Ok(Cell::Int(Some(number))) => number.to_string(),
            Ok(Cell::Text(Some(text))) => text,
            _ => "?".to_owned(),
        })
        .collect();
    texts.join(" ")
}
