//! The query of each key.

use care_core::{
    model::{Item, PatientId, Stock},
    store::{Key, Lookup, Record, RecordKey, RecordKind, Selection, Versioned, Wanted, kinds, sql::Statement},
};
use rusqlite::{Connection, params_from_iter};

use crate::base::{
    error::Fault,
    records::{Stored, keyed, many, one},
    statement::{Bound, selecting},
};

/// Answers a key from the transaction that the connection is in, of several records no more than there is room for.
pub(crate) fn load(conn: &Connection, key: &Key, room: usize) -> Result<Lookup, Fault> {
    Ok(match key {
        Key::Rows(selection, wanted) => selected(conn, selection, *wanted, room)?,
        Key::Record(key) => record(conn, key)?.into(),
        Key::StockOrItem(medicine) => match keyed::<Stock>(conn, medicine)? {
            None => keyed::<Item>(conn, medicine)?.into(),
            stock => stock.into(),
        },
        Key::FreePatientNumber(above) => free_patient_number(conn, *above)?.map_or(Lookup::None, Lookup::Number),
    })
}

fn record(conn: &Connection, key: &RecordKey) -> Result<Option<Versioned<Record>>, Fault> {
    macro_rules! by_kind {
        ($($kind:ident)*) => {
            match key {
                $(RecordKey::$kind(id) => keyed::<kinds::$kind>(conn, id),)*
            }
        };
    }
    care_core::record_kinds!(by_kind)
}

/// Answers a key with the rows of its selection.
fn selected(conn: &Connection, selection: &Selection, wanted: Wanted, room: usize) -> Result<Lookup, Fault> {
    macro_rules! by_kind {
        ($($kind:ident)*) => {
            match selection.kind {
                $(RecordKind::$kind => found::<kinds::$kind>(conn, selection, wanted, room),)*
            }
        };
    }
    care_core::record_kinds!(by_kind)
}

fn found<E: Stored>(conn: &Connection, rows: &Selection, wanted: Wanted, room: usize) -> Result<Lookup, Fault> {
    let counted = |bound: usize| {
        let start = format!("SELECT count(*) FROM (SELECT 1 FROM {}", E::TABLE.name);
        count(conn, selecting(&start, rows).limited(bound).ending(")"))
    };
    let ordered = || selecting(&E::sql().select, rows).ordered(rows);
    let several = |Statement { sql, values, .. }| many::<E>(conn, &sql, params_from_iter(values.iter().map(Bound)));
    Ok(match wanted {
        Wanted::Count => Lookup::Number(counted(usize::MAX)?),
        // Records that are more than there is room for are counted and not read.
        Wanted::All if room < usize::MAX && counted(room + 1)? > room as u64 => Lookup::TooMany,
        Wanted::All => several(ordered())?.into(),
        Wanted::First(1) => {
            let Statement { sql, values, .. } = ordered().limited(1);
            one::<E>(conn, &sql, params_from_iter(values.iter().map(Bound)))?.into()
        }
        Wanted::First(first) => several(ordered().limited(first))?.into(),
    })
}

/// Returns the number that a statement yields.
fn count(conn: &Connection, Statement { sql, values, .. }: Statement) -> Result<u64, Fault> {
    let values = params_from_iter(values.iter().map(Bound));
    let count: i64 = conn.prepare_cached(&sql)?.query_row(values, |row| row.get(0))?;
    Ok(count.cast_unsigned())
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
