//! Checking every row.

use std::collections::BTreeSet;

use care_core::{
    model::{Patient, whole_terms},
    store::{
        Damage, Entity, Seq, kinds,
        rows::{EntryRow, RowError},
    },
};
use rusqlite::{Connection, Row, params, types::ValueRef};

use crate::{
    base::{
        error::Fault,
        journal, keys,
        records::{Cells, Stored, bind, read},
        skip_pointers,
    },
    file::schema::{self, Differences},
};

/// Returns the first damage that is found; `None` when there is none.
pub(crate) fn check(conn: &Connection) -> Result<Option<Damage>, Fault> {
    match whole(conn) {
        Ok(()) => Ok(None),
        Err(Finding::Damage(damage)) => Ok(Some(damage)),
        Err(Finding::Fault(fault)) => Err(fault),
    }
}

enum Finding {
    Damage(Damage),
    Fault(Fault),
}

fn whole(conn: &Connection) -> Result<(), Finding> {
    let Differences { foreign, ours } = schema::differences(conn)?;
    if let Some(name) = foreign.first().map(|(_, name)| name).or(ours.first()) {
        let what = "is not in the schema, or not as it should be";
        return Err(Damage::of(name, None, what).into());
    }
    journal(conn)?;
    macro_rules! tables {
        ($($kind:ident)*) => {
            $(table::<kinds::$kind>(conn)?;)*
        };
    }
    care_core::record_kinds!(tables);
    if let Some(id) = keys::changed(conn)?.into_iter().next() {
        return Err(Damage::of("api_key", id, "was changed after it was written").into());
    }
    if journal::epoch(conn).is_err() {
        return Err(Damage::of("epoch", None, "does not hold the one epoch").into());
    }
    foreign_keys(conn)?;
    terms(conn)?;
    let verdict: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        let what = schema::in_one_line(&verdict);
        return Err(Finding::Damage(Damage { table: None, row: None, what }));
    }
    Ok(())
}

fn journal(conn: &Connection) -> Result<(), Finding> {
    let mut statement =
        conn.prepare("SELECT seq, at, actor, operation, changes, reads, erased, link FROM journal ORDER BY seq")?;
    let mut noted = conn.prepare("SELECT count(*) FROM skip_pointer WHERE kind = ? AND id = ? AND seq = ?")?;
    // An entry may change a record twice.
    let (mut skip_pointers, mut due, mut next) = (BTreeSet::new(), 0, Seq::ZERO.next());
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let wrong = |what: &str| Damage::of("journal", key(row, 0..1), what);
        let entry = match journal::entry(row) {
            Ok(entry) => entry,
            Err(Fault::Row(RowError::Damaged { .. })) => return Err(wrong("is no entry").into()),
            Err(fault) => return Err(fault.into()),
        };
        if entry.seq != next {
            // The audit names the hole, which says more than the skip pointers that miss their entries.
            return Ok(());
        }
        next = next.next();
        if !EntryRow::of(&entry).map_err(Fault::from)?.is_written_so(&mut Cells::new("journal", row))? {
            return Err(wrong("is not as the service writes it").into());
        }
        skip_pointers.clear();
        skip_pointers.extend(skip_pointers::of(&entry));
        for (kind, id, seq) in &skip_pointers {
            if noted.query_row(params![kind, id, seq], |row| row.get::<_, i64>(0))? == 0 {
                return Err(Damage::of("skip_pointer", format!("{kind} {id} {seq}"), "is missing").into());
            }
        }
        due += skip_pointers.len();
    }
    let there: i64 = conn.query_row("SELECT count(*) FROM skip_pointer", [], |row| row.get(0))?;
    match u64::try_from(there).is_ok_and(|there| there == due as u64) {
        true => Ok(()),
        false => Err(Damage::of("skip_pointer", None, "holds what no entry has made").into()),
    }
}

/// Reads every row into the model, and compares it with the row that the model would write.
fn table<E: Stored>(conn: &Connection) -> Result<(), Finding> {
    let (table, sql) = (E::TABLE, E::sql());
    let mut statement = conn.prepare(&format!("{} ORDER BY {}", sql.select, sql.key))?;
    let names: Vec<&str> = table.read().map(|column| column.name).collect();
    let keys = 1..1 + table.key.len();
    let mut same = conn.prepare_cached(&sql.same)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let wrong = |column: &str| {
            let what = format!("{column} is not as the service writes it");
            Finding::from(Damage::of(table.name, key(row, keys.clone()), what))
        };
        let found = match read::<E>(row) {
            Ok(found) => found,
            Err(Fault::Row(RowError::Damaged { column, .. })) => return Err(wrong(names[column])),
            Err(fault) => return Err(fault.into()),
        };
        let Some(record) = E::from_record(&found.record) else {
            continue;
        };
        bind(&mut same, found.version.value().cast_signed(), record)?;
        let mut compared = same.raw_query();
        // Only a medicine's record can have another key than its row.
        let Some(is_same) = compared.next()? else {
            return Err(wrong(names[keys.start]));
        };
        for (place, column) in table.all().enumerate() {
            if !is_same.get::<_, bool>(place)? {
                return Err(wrong(column.name));
            }
        }
    }
    Ok(())
}

/// Holds the rows of terms against those of the patients.
fn terms(conn: &Connection) -> Result<(), Finding> {
    let mut statement = conn.prepare(&Patient::sql().select)?;
    let mut noted = conn.prepare("SELECT EXISTS (SELECT 1 FROM patient_term WHERE term = ? AND patient_id = ?)")?;
    let mut due = 0;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let found = read::<Patient>(row)?;
        let Some(patient) = Patient::from_record(&found.record) else {
            continue;
        };
        let (id, terms) = (patient.patient_id.value(), whole_terms(patient));
        for term in &terms {
            if !noted.query_row(params![term, id], |row| row.get::<_, bool>(0))? {
                return Err(Damage::of("patient_term", id.to_string(), "lacks a term of this patient").into());
            }
        }
        due += terms.len();
    }
    let there: i64 = conn.query_row("SELECT count(*) FROM patient_term", [], |row| row.get(0))?;
    match u64::try_from(there).is_ok_and(|there| there == due as u64) {
        true => Ok(()),
        false => Err(Damage::of("patient_term", None, "holds a term that no patient has").into()),
    }
}

/// Returns the key of a row, which stands in these columns.
fn key(row: &Row<'_>, columns: std::ops::Range<usize>) -> String {
    let texts: Vec<_> = columns
        .map(|column| match row.get_ref(column) {
            Ok(ValueRef::Integer(number)) => number.to_string(),
            Ok(ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
            _ => "?".to_owned(),
        })
        .collect();
    texts.join(" ")
}

fn foreign_keys(conn: &Connection) -> Result<(), Finding> {
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else {
        return Ok(());
    };
    let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
    let what = format!("refers to a {parent} that does not exist");
    Err(Damage::of(&table, key(row, 1..2), what).into())
}

impl From<Damage> for Finding {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

impl From<Fault> for Finding {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<rusqlite::Error> for Finding {
    fn from(error: rusqlite::Error) -> Self {
        Self::Fault(error.into())
    }
}
