//! Lists.

use care_core::{
    model::{Date, MedicineKey},
    store::{
        Filling, Limit, Portion, Query, Record, RecordKey, RecordKind, Versioned,
        find::{SearchBudget, find},
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
    records::{Listed, fill, fill_from},
    statements::{listing, sql},
};

/// Returns the first records of a query, in its order, as many as the limit allows.
pub(crate) fn list(conn: &Connection, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, Fault> {
    list_within(conn, query, limit, &SearchBudget::new())
}

/// Returns what [`list`] does, with a search that ends with its budget.
pub(crate) fn list_within(
    conn: &Connection,
    query: &Query,
    limit: Limit,
    budget: &SearchBudget<'_>,
) -> Result<Portion<Versioned<Record>>, Fault> {
    let mut found = Filling::new(limit);
    match query {
        Query::Rows(rows) if rows.selection.kind == RecordKind::Patient => patients(conn, rows, &mut found)?,
        Query::Rows(rows) => fill(conn, rows.selection.kind, listing(rows), &mut found)?,
        Query::Named(rows, prefix) => named(conn, rows, prefix, &mut found)?,
        Query::Found(text) => return find(text, limit, &mut Terms::of(conn), budget),
        Query::DemandOf { medicine, from, to } => demand_of(conn, medicine, (*from, *to), &mut found)?,
        Query::StockDays { medicine, from, to, after } => {
            stock_days(conn, medicine.as_ref(), (*from, *to), after.as_ref(), &mut found)?;
        }
        Query::All { after } => all(conn, after.as_ref(), &mut found)?,
    }
    Ok(found.finish())
}

/// Adds the days of one medicine. Each day is looked up separately, since the table is ordered by day first.
fn demand_of(
    conn: &Connection,
    medicine: &MedicineKey,
    (from, to): (Date, Date),
    found: &mut Listed,
) -> Result<(), Fault> {
    let start = format!(
        "WITH RECURSIVE days (found) AS ( \
             SELECT min(day) FROM demand WHERE day >= $1 \
             UNION ALL \
             SELECT (SELECT min(day) FROM demand WHERE day > days.found) FROM days WHERE days.found < $2 \
         ) {} JOIN days ON day = found WHERE medicine_key = $3 AND found <= $2 ORDER BY day",
        sql(RecordKind::Demand).select
    );
    let values = vec![from.unix_days().into(), to.unix_days().into(), medicine.as_str().into()];
    fill(conn, RecordKind::Demand, Statement::with_values(start, values), found)
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
    let days = format!(
        "{} WHERE medicine_key = ?1 AND day <= ?3 AND day >= max(?4, coalesce( \
             (SELECT max(day) FROM stock_day WHERE medicine_key = ?1 AND day < ?2), ?2)) ORDER BY day LIMIT ?5",
        sql(RecordKind::StockDay).select
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
        let values = params![key, from.unix_days(), to.unix_days(), least, most(found.wanted())];
        fill_from(conn, RecordKind::StockDay, &days, values, found)?;
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
fn all(conn: &Connection, after: Option<&RecordKey>, found: &mut Listed) -> Result<(), Fault> {
    let first = after.map_or(RecordKind::Patient, RecordKind::of);
    for kind in RecordKind::ALL.iter().copied().filter(|kind| *kind >= first) {
        if found.wanted() == 0 {
            break;
        }
        let rows = Statement::new(&*sql(kind).select);
        let rows = match after.filter(|_| kind == first) {
            Some(key) => rows.keyed(">", key),
            None => rows,
        };
        fill(conn, kind, rows.ending(&format!(" ORDER BY {}", sql(kind).key)), found)?;
    }
    Ok(())
}
