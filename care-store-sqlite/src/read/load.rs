//! The query of each key.

use care_core::{
    model::{Item, PatientId, Stock},
    store::{
        Counter, Key, Lookup, Record, RecordKey, RecordKind, Seq, Series, Versioned, kinds,
        rows::{KeyRows, Selection, Wanted},
    },
};
use rusqlite::{Connection, Params, params_from_iter};

use super::index::index;
use crate::base::{
    error::Fault,
    records::{Stored, keyed, many, one},
    selection::{Rows, most},
};

/// Answers a key from the transaction that the connection is in, of several records no more than there is room for.
pub(crate) fn load(conn: &Connection, key: &Key, room: usize) -> Result<Lookup, Fault> {
    Ok(match KeyRows::of(key) {
        KeyRows::Selected(selection) => selected(conn, &selection, room)?,
        KeyRows::Record(key) => record(conn, key)?.into(),
        KeyRows::StockOrItem(medicine) => match keyed::<Stock>(conn, medicine)? {
            None => keyed::<Item>(conn, medicine)?.into(),
            stock => stock.into(),
        },
        KeyRows::FreePatientNumber(after) => free_patient_number(conn, after)?.into(),
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
fn selected(conn: &Connection, selection: &Selection<'_>, room: usize) -> Result<Lookup, Fault> {
    macro_rules! by_kind {
        ($($kind:ident)*) => {
            match selection.kind {
                $(RecordKind::$kind => found::<kinds::$kind>(conn, selection, room),)*
            }
        };
    }
    care_core::record_kinds!(by_kind)
}

fn found<E: Stored>(conn: &Connection, selection: &Selection<'_>, room: usize) -> Result<Lookup, Fault> {
    let rows = || Rows::of(selection, index(selection));
    let counted = |bound: usize| {
        let start = format!("SELECT count(*) FROM (SELECT 1 FROM {}", E::TABLE.name);
        let (sql, values) = rows().between(&start, &format!(" LIMIT {})", most(bound)));
        count(conn, &sql, params_from_iter(values))
    };
    let (select, order) = (&E::sql().select, selection.order);
    Ok(match selection.wanted {
        Wanted::Count => Lookup::Count(counted(usize::MAX)?),
        // Records that are more than there is room for are counted and not read.
        Wanted::All if room < usize::MAX && counted(room + 1)? > room as u64 => Lookup::TooMany,
        Wanted::All => {
            let (sql, values) = rows().between(select, &format!(" ORDER BY {order}"));
            many::<E>(conn, &sql, params_from_iter(values))?.into()
        }
        Wanted::First(first) => {
            let (sql, values) = rows().between(select, &format!(" ORDER BY {order} LIMIT {first}"));
            match first {
                1 => one::<E>(conn, &sql, params_from_iter(values))?.into(),
                _ => many::<E>(conn, &sql, params_from_iter(values))?.into(),
            }
        }
    })
}

/// Returns the number that a query yields.
fn count(conn: &Connection, sql: &str, params: impl Params) -> Result<u64, Fault> {
    let count: i64 = conn.prepare_cached(sql)?.query_row(params, |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// Walks the used numbers above `after` up to the first gap, which usually takes no step.
fn free_patient_number(conn: &Connection, after: i64) -> Result<Option<Versioned<Record>>, Fault> {
    let mut statement = conn.prepare_cached(
        "SELECT patient_id FROM patient WHERE patient_id > ?1 \
         UNION ALL SELECT patient_id FROM voided WHERE patient_id > ?1 ORDER BY 1",
    )?;
    let mut used = statement.query([after])?;
    let mut free = after.checked_add(1);
    while let (Some(row), Some(number)) = (used.next()?, free) {
        match row.get::<_, i64>(0)? {
            id if id < number => {}
            id if id == number => free = number.checked_add(1),
            _ => break,
        }
    }
    Ok(free
        .filter(|number| PatientId::try_from(*number).is_ok())
        .map(|last| Versioned { version: Seq::ZERO, record: Counter { series: Series::Patient, last }.into() }))
}
