//! Lists.

use care_core::{
    model::{Date, Demand, MedicineKey, Prescription, PrescriptionState, StockDay},
    store::{
        Filling, Limit, Portion, Query, Record, RecordKey, RecordKind, Versioned,
        find::find,
        kinds,
        rows::{QueryRows, RowWriter, Selection, Term},
    },
};
use rusqlite::{Connection, params};

use super::{
    index::index,
    patients::{named, patients},
    terms::Terms,
};
use crate::base::{
    error::Fault,
    records::{Listed, Statements, Stored, Values, fill, identify, take},
    selection::{Rows, fill_all, most},
};

/// Returns the first records of a query, in its order, as many as the limit allows.
pub(crate) fn list(conn: &Connection, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, Fault> {
    let mut found = Filling::new(limit);
    if let Query::DemandOf { medicine, from, to } = query {
        demand_of(conn, medicine, (*from, *to), &mut found)?;
        return Ok(found.finish());
    }
    match QueryRows::of(query) {
        QueryRows::Selected(selection) if selection.kind == RecordKind::Patient => {
            patients(conn, &selection, &mut found)?;
        }
        QueryRows::Selected(selection) if is_in_both_states(&selection) => {
            in_both_states(conn, &selection, &mut found)?;
        }
        QueryRows::Selected(selection) => selected(conn, &selection, &mut found)?,
        QueryRows::Named(selection, prefix, after) => named(conn, &selection, prefix, after, &mut found)?,
        QueryRows::Found(text) => return find(text, limit, &mut Terms::of(conn)),
        QueryRows::StockDays { medicine, period, after } => stock_days(conn, medicine, period, after, &mut found)?,
        QueryRows::All(after) => all(conn, after, &mut found)?,
    }
    Ok(found.finish())
}

/// Adds the first records of a selection.
fn selected(conn: &Connection, selection: &Selection<'_>, found: &mut Listed) -> Result<(), Fault> {
    let rows = Rows::of(selection, index(selection));
    macro_rules! by_kind {
        ($($kind:ident)*) => {
            match selection.kind {
                $(RecordKind::$kind => rows.fill::<kinds::$kind>(conn, selection.order, found),)*
            }
        };
    }
    care_core::record_kinds!(by_kind)
}

/// Returns whether the selection consists of all prescriptions of a medicine, of every patient and in every state.
fn is_in_both_states(selection: &Selection<'_>) -> bool {
    selection.kind == RecordKind::Prescription && selection.fixed().map(|(column, _)| column).eq(["medicine_key"])
}

/// Adds the first prescriptions of a medicine. Its index contains the states one after the other, each in the order of
/// the list.
fn in_both_states(conn: &Connection, selection: &Selection<'_>, found: &mut Listed) -> Result<(), Fault> {
    let states = [PrescriptionState::Active, PrescriptionState::Completed].map(|state| {
        let selection = selection.clone().and(Term::Word("state", state.as_str()));
        Rows::of(&selection, index(&selection))
    });
    fill_all::<Prescription>(conn, states, selection.order, found)
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
    // Whether the kind of the key was reached.
    let mut is_above = after.is_none();
    macro_rules! one_after_the_other {
        ($($kind:ident)*) => {$(
            let id = match after {
                Some(RecordKey::$kind(id)) => Some(id),
                _ => None,
            };
            is_above |= id.is_some();
            if is_above && found.wanted() > 0 {
                table::<kinds::$kind>(conn, id, found)?;
            }
        )*};
    }
    care_core::record_kinds!(one_after_the_other);
    Ok(())
}

fn table<E: Stored>(conn: &Connection, after: Option<&E::Id>, found: &mut Listed) -> Result<(), Fault> {
    let Statements { select, key, .. } = E::sql();
    let above = match after {
        None => String::new(),
        Some(_) => format!("WHERE ({key}) > ({})", vec!["?"; E::TABLE.key.len()].join(", ")),
    };
    let mut statement = conn.prepare_cached(&format!("{select} {above} ORDER BY {key} LIMIT ?"))?;
    let mut values = Values::new(&mut statement);
    if let Some(id) = after {
        identify(&mut values, id)?;
    }
    values.put(most(found.wanted()))?;
    take::<E>(statement.raw_query(), found)
}
