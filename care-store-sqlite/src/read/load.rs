//! The query of each key.

use care_core::{
    model::PatientId,
    store::{Key, Lookup, RecordKind, Selection, Wanted, rows::RowWriter, sql::Statement},
};
use rusqlite::Connection;

use crate::base::{
    error::Fault,
    records::{first, identified, keyed, many, number},
    statements::{selecting, sql},
};

/// Answers a key from the transaction that the connection is in, of several records no more than there is room for.
pub(crate) fn load(conn: &Connection, key: &Key, room: usize) -> Result<Lookup, Fault> {
    Ok(match key {
        Key::Rows(selection, wanted) => selected(conn, selection, *wanted, room)?,
        Key::Record(key) => keyed(conn, key)?.into(),
        Key::StockOrItem(medicine) => {
            let of = |kind| identified(conn, kind, |values| values.put(medicine.as_str()));
            match of(RecordKind::Stock)? {
                None => of(RecordKind::Item)?.into(),
                stock => stock.into(),
            }
        }
        Key::FreePatientNumber(above) => free_patient_number(conn, *above)?.map_or(Lookup::None, Lookup::Number),
    })
}

/// Answers a key with the rows of its selection.
fn selected(conn: &Connection, rows: &Selection, wanted: Wanted, room: usize) -> Result<Lookup, Fault> {
    let kind = rows.kind;
    let counted = |bound: usize| {
        let start = format!("SELECT count(*) FROM (SELECT 1 FROM {}", kind.table().name);
        number(conn, &selecting(&start, rows).limited(bound).ending(")")).map(i64::cast_unsigned)
    };
    let ordered = || selecting(&sql(kind).select, rows).ordered(rows);
    let several = |statement: Statement| many(conn, kind, &statement);
    Ok(match wanted {
        Wanted::Count => Lookup::Number(counted(usize::MAX)?),
        // Records that are more than there is room for are counted and not read.
        Wanted::All if room < usize::MAX && counted(room + 1)? > room as u64 => Lookup::TooMany,
        Wanted::All => several(ordered())?.into(),
        Wanted::First(1) => first(conn, kind, &ordered().limited(1))?.into(),
        Wanted::First(count) => several(ordered().limited(count))?.into(),
    })
}

/// Walks the used numbers above this one up to the first gap, which usually takes no step.
fn free_patient_number(conn: &Connection, above: i64) -> Result<Option<u64>, Fault> {
    let mut statement = conn.prepare_cached(
        "SELECT patient_id FROM patient WHERE patient_id > ?1 \
         UNION ALL SELECT patient_id FROM voided WHERE patient_id > ?1 ORDER BY 1",
    )?;
    let mut used = statement.query([above])?;
    let mut free = above.checked_add(1);
    while let (Some(row), Some(number)) = (used.next()?, free) {
        match row.get::<_, i64>(0)? {
            id if id < number => {}
            id if id == number => free = number.checked_add(1),
            _ => break,
        }
    }
    Ok(free.and_then(|number| PatientId::try_from(number).ok()).map(|id| id.value().cast_unsigned()))
}
