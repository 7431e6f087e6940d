//! Checking every row.

use std::collections::BTreeSet;

use care_core::{
    model::{Patient, whole_terms},
    store::{
        Damage, Entity, RecordKind, Seq,
        rows::{EntryRow, KeyRow},
        sql,
    },
};
use rusqlite::{Connection, params};

use crate::{
    base::{cells::Cells, error::Fault, journal, skip_pointers},
    file::schema::{self, Differences},
};

/// Returns the first damage that is found; `None` when there is none.
pub(crate) fn check(conn: &Connection) -> Result<Option<Damage>, Fault> {
    match whole(conn) {
        Ok(()) => Ok(None),
        Err(Fault::Damage(damage)) => Ok(Some(damage)),
        Err(fault) => Err(fault),
    }
}

fn whole(conn: &Connection) -> Result<(), Fault> {
    let Differences { foreign, ours } = schema::differences(conn)?;
    if let Some(name) = foreign.first().map(|(_, name)| name).or(ours.first()) {
        return Err(Damage::of(name, None, "is not in the schema, or not as it should be").into());
    }
    journal(conn)?;
    let mut terms = 0;
    for kind in RecordKind::ALL {
        table(conn, *kind, &mut terms)?;
    }
    let mut keys = conn.prepare(sql::KEYS)?;
    let mut rows = keys.query([])?;
    while let Some(row) = rows.next()? {
        KeyRow::check(|| Cells::new("api_key", row))?;
    }
    if journal::epoch(conn).is_err() {
        return Err(Damage::of("epoch", None, "does not hold the one epoch").into());
    }
    foreign_keys(conn)?;
    has_rows(conn, "patient_term", terms, "holds a term that no patient has")?;
    let verdict: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    match verdict.as_str() {
        "ok" => Ok(()),
        _ => Err(Damage { table: None, row: None, what: schema::in_one_line(&verdict) }.into()),
    }
}

fn journal(conn: &Connection) -> Result<(), Fault> {
    let mut statement = conn.prepare(sql::ENTRIES)?;
    let mut noted = conn.prepare("SELECT count(*) FROM skip_pointer WHERE kind = ? AND id = ? AND seq = ?")?;
    // An entry may change a record twice.
    let (mut skip_pointers, mut due, mut next) = (BTreeSet::new(), 0, Seq::ZERO.next());
    let mut rows = statement.query([i64::MIN, i64::MAX])?;
    while let Some(row) = rows.next()? {
        let entry = EntryRow::check(|| Cells::new("journal", row))?;
        if entry.seq != next {
            // The audit names the hole, which says more than the skip pointers that miss their entries.
            return Ok(());
        }
        next = next.next();
        skip_pointers.clear();
        skip_pointers.extend(skip_pointers::of(&entry));
        for (kind, id, seq) in &skip_pointers {
            if noted.query_row(params![kind, id, seq], |row| row.get::<_, i64>(0))? == 0 {
                return Err(Damage::of("skip_pointer", format!("{kind} {id} {seq}"), "is missing").into());
            }
        }
        due += skip_pointers.len();
    }
    has_rows(conn, "skip_pointer", due, "holds what no entry has made")
}

/// Checks every row of a kind of record, and that each patient has its terms, whose number is added.
fn table(conn: &Connection, kind: RecordKind, terms: &mut usize) -> Result<(), Fault> {
    let table = kind.table();
    let mut statement = conn.prepare(&table.select_whole())?;
    let mut noted = conn.prepare("SELECT EXISTS (SELECT 1 FROM patient_term WHERE term = ? AND patient_id = ?)")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let found = kind.check(|column| Cells::from(table.name, row, column))?;
        let Some(patient) = Patient::from_record(&found.record) else {
            continue;
        };
        let (id, due) = (patient.patient_id.value(), whole_terms(patient));
        for term in &due {
            if !noted.query_row(params![term, id], |row| row.get::<_, bool>(0))? {
                return Err(Damage::of("patient_term", id.to_string(), "lacks a term of this patient").into());
            }
        }
        *terms += due.len();
    }
    Ok(())
}

/// Checks that a table has no more rows than are due, all of which were found.
fn has_rows(conn: &Connection, table: &str, due: usize, what: &str) -> Result<(), Fault> {
    let there: i64 = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    match u64::try_from(there).is_ok_and(|there| there == due as u64) {
        true => Ok(()),
        false => Err(Damage::of(table, None, what).into()),
    }
}

fn foreign_keys(conn: &Connection) -> Result<(), Fault> {
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else {
        return Ok(());
    };
    let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
    let id = row.get::<_, Option<i64>>(1)?.map_or_else(|| "?".to_owned(), |id| id.to_string());
    Err(Damage::of(&table, id, format!("refers to a {parent} that does not exist")).into())
}
