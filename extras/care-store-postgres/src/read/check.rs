//! Checking every row.

use care_core::store::{
    Damage, RecordKind,
    rows::{EntryRow, KeyRow},
    sql,
};

use super::terms;
use crate::{
    base::{cells::Cells, error::Fault},
    connect::{pool::Snapshot, schema, session::Request},
};

/// Returns the first damage found in this schema.
pub(crate) async fn check(snapshot: &mut Snapshot<'_>, home: &str) -> Result<Option<Damage>, Fault> {
    match whole(snapshot, home).await {
        Ok(()) => Ok(None),
        Err(Fault::Damage(damage)) => Ok(Some(damage)),
        Err(fault) => Err(fault),
    }
}

async fn whole(snapshot: &mut Snapshot<'_>, home: &str) -> Result<(), Fault> {
    if let Some(name) = schema::differences(snapshot, home).await?.into_iter().next() {
        return Err(Damage::of(&name, None, "is not in the schema, or should not be there").into());
    }
    let request = Request::new(sql::ENTRIES, [i64::MIN.into(), i64::MAX.into()]);
    let mut rows = snapshot.stream(&request).await?;
    while let Some(row) = rows.next().await? {
        EntryRow::check(|| Cells::new("journal", &row))?;
    }
    drop(rows);
    for kind in RecordKind::ALL {
        let table = kind.table();
        let request = Request::new(table.select_whole(), []);
        let mut rows = snapshot.stream(&request).await?;
        while let Some(row) = rows.next().await? {
            kind.check(|column| Cells::from(table.name, &row, column))?;
        }
    }
    terms::check(snapshot).await?;
    for row in &snapshot.query(Request::new(sql::KEYS, [])).await? {
        KeyRow::check(|| Cells::new("api_key", row))?;
    }
    Ok(())
}
