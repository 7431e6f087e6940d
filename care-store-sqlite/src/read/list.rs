//! Lists.

use care_core::{
    model::{Date, Demand, MedicineKey, StockDay},
    store::{
        Filling, Limit, Portion, Query, Record, RecordKey, RecordKind, Rows, Versioned,
        find::find,
        kinds,
        sql::{Statement, most},
    },
};
use rusqlite::{Connection, params};

use super::{
    patients::{named, patients},
    terms::Terms,
};
use crate::base::{
    error::Fault,
    records::{Listed, Stored, fill},
    statement::{fill_rows, fill_statement},
};

/// Returns the first records of a query, in its order, as many as the limit allows.
pub(crate) fn list(conn: &Connection, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, Fault> {
    let mut found = Filling::new(limit);
    match query {
        Query::Rows(rows) if rows.selection.kind == RecordKind::Patient => patients(conn, rows, &mut found)?,
        Query::Rows(rows) => selected(conn, rows, &mut found)?,
        Query::Named(rows, prefix) => named(conn, rows, prefix, &mut found)?,
        Query::Found(text) => return find(text, limit, &mut Terms::of(conn)),
        Query::DemandOf { medicine, from, to } => demand_of(conn, medicine, (*from, *to), &mut found)?,
        Query::StockDays { medicine, from, to, after } => {
            stock_days(conn, medicine.as_ref(), (*from, *to), after.as_ref(), &mut found)?;
        }
        Query::All { after } => all(conn, after.as_ref(), &mut found)?,
    }
    Ok(found.finish())
}

/// Adds the first rows of a selection.
fn selected(conn: &Connection, rows: &Rows, found: &mut Listed) -> Result<(), Fault> {
    macro_rules! by_kind {
        ($($kind:ident)*) => {
            match rows.selection.kind {
                $(RecordKind::$kind => fill_rows::<kinds::$kind>(conn, rows, found),)*
            }
        };
    }
    care_core::record_kinds!(by_kind)
}

/// Adds the days of one medicine. Each day is looked up separately, since the table is ordered by day first.
fn demand_of(
    conn: &Connection,
    medicine: &MedicineKey,
    (from, to): (Date, Date),
    found: &mut Listed,
) -> Result<(), Fault> {
    let sql = format!(
        "WITH RECURSIVE days (found) AS ( \
             SELECT min(day) FROM demand WHERE day >= ?2 \
             UNION ALL \
             SELECT (SELECT min(day) FROM demand WHERE day > days.found) FROM days WHERE days.found < ?3 \
         ) {} JOIN days ON day = found WHERE medicine_key = ?1 AND found <= ?3 ORDER BY day LIMIT ?4",
        Demand::sql().select
    );
    let limit = most(found.wanted());
    fill::<Demand>(conn, &sql, params![medicine.as_str(), from.unix_days(), to.unix_days(), limit], found)
}

/// Adds the days of a period, and for each medicine the last day before. The medicines are found one from the other,
/// and the days of each by the key, so that neither other days are read nor any are sorted.
fn stock_days(
    conn: &Connection,
    medicine: Option<&MedicineKey>,
    (from, to): (Date, Date),
    after: Option<&(MedicineKey, Date)>,
    found: &mut Listed,
) -> Result<(), Fault> {
    let sql = format!(
        "{} WHERE medicine_key = ?1 AND day <= ?3 AND day >= max(?4, coalesce( \
             (SELECT max(day) FROM stock_day WHERE medicine_key = ?1 AND day < ?2), ?2)) ORDER BY day LIMIT ?5",
        StockDay::sql().select
    );
    let mut next = match (medicine, after) {
        (Some(medicine), Some((key, _))) if medicine < key => None,
        (Some(medicine), _) => Some(medicine.as_str().to_owned()),
        (None, Some((key, _))) => Some(key.as_str().to_owned()),
        // The empty text is below every key.
        (None, None) => next_medicine(conn, "")?,
    };
    while let Some(key) = next
        && found.wanted() > 0
    {
        let last = after.filter(|(last, _)| last.as_str() == key).map(|(_, day)| day.unix_days());
        let least = last.map_or(i64::MIN, |day| day + 1);
        let limit = most(found.wanted());
        fill::<StockDay>(conn, &sql, params![key, from.unix_days(), to.unix_days(), least, limit], found)?;
        next = if medicine.is_none() { next_medicine(conn, &key)? } else { None };
    }
    Ok(())
}

/// Returns the first medicine with days whose key is above this one.
fn next_medicine(conn: &Connection, key: &str) -> Result<Option<String>, Fault> {
    let mut statement = conn.prepare_cached("SELECT min(medicine_key) FROM stock_day WHERE medicine_key > ?")?;
    Ok(statement.query_row([key], |row| row.get(0))?)
}

/// Adds the first records above a key, as many as the portion takes.
pub(crate) fn all(conn: &Connection, after: Option<&RecordKey>, found: &mut Listed) -> Result<(), Fault> {
    macro_rules! one_after_the_other {
        ($($kind:ident)*) => {
            $(table::<kinds::$kind>(conn, RecordKind::$kind, after, found)?;)*
        };
    }
    care_core::record_kinds!(one_after_the_other);
    Ok(())
}

fn table<E: Stored>(
    conn: &Connection,
    kind: RecordKind,
    after: Option<&RecordKey>,
    found: &mut Listed,
) -> Result<(), Fault> {
    let first = after.map(RecordKind::of);
    if first.is_some_and(|first| kind < first) || found.wanted() == 0 {
        return Ok(());
    }
    let rows = Statement::new(&*E::sql().select);
    let rows = match after.filter(|_| first == Some(kind)) {
        Some(key) => rows.keyed(">", key),
        None => rows,
    };
    fill_statement::<E>(conn, rows.ending(&format!(" ORDER BY {}", E::sql().key)), found)
}
