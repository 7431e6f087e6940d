//! Lists of patients, which are found by name, phone number or mail address and sorted by number.

use care_core::{
    model::{NamePrefix, Patient, email_term, phone_term},
    store::{
        RecordKind,
        rows::{self, Comparison, Selection, Term},
    },
};
use rusqlite::{Connection, params, params_from_iter, types::Value};

use crate::base::{
    error::Fault,
    records::{Listed, Stored, fill},
    selection::{Rows, most},
};

/// The number of names up to which they are sorted by number at once.
const FEW: i64 = 4_000;
/// The number of patients that are read in the order of their numbers before the names are used after all.
const WALK: i64 = 16_000;

/// Adds the first patients of a selection, as many as the portion takes.
pub(crate) fn patients(conn: &Connection, selection: &Selection<'_>, found: &mut Listed) -> Result<(), Fault> {
    let rows = Rows::of(selection, "");
    match term(selection) {
        Some(term) => with_term(conn, rows, term, found),
        None => rows.fill::<Patient>(conn, selection.order, found),
    }
}

/// Adds the first patients of a selection whose names have a prefix, as many as the portion takes.
pub(crate) fn named(
    conn: &Connection,
    selection: &Selection<'_>,
    prefix: &NamePrefix,
    after: i64,
    found: &mut Listed,
) -> Result<(), Fault> {
    let names = Names::with_prefix(prefix);
    match term(selection) {
        Some(term) => with_term(conn, names.restrict(Rows::of(selection, "")), term, found),
        None => names.patients(conn, after, found),
    }
}

/// Returns a term that all patients of the selection have: that of their phone number or mail address.
fn term(selection: &Selection<'_>) -> Option<String> {
    selection.terms.iter().find_map(|term| match term {
        Term::Compared(column, Comparison::Equal, values) => match (*column, values.first()?) {
            ("phone", rows::Value::Integer(Some(phone))) => Some(phone_term(*phone)),
            ("email", rows::Value::Text(Some(email))) => Some(email_term(email)),
            _ => None,
        },
        _ => None,
    })
}

/// Adds the first of the patients that have a term. Its rows are in the order of the list.
fn with_term(conn: &Connection, rows: Rows, term: String, found: &mut Listed) -> Result<(), Fault> {
    let columns = &Patient::sql().columns;
    let start = format!("SELECT {columns} FROM patient_term CROSS JOIN patient USING (patient_id)");
    let (sql, mut values) = rows.and("term = ?", term).between(&start, " ORDER BY patient_id LIMIT ?");
    values.push(most(found.wanted()).into());
    fill::<Patient>(conn, &sql, params_from_iter(values), found)
}

/// The names with a prefix, as a range of folded names.
struct Names {
    from: String,
    below: Value,
}

impl Names {
    fn with_prefix(prefix: &NamePrefix) -> Self {
        Self {
            from: prefix.as_str().to_owned(),
            // In SQLite a blob sorts after every text.
            below: prefix.successor().map_or(Value::Blob(Vec::new()), Value::Text),
        }
    }

    fn restrict(&self, rows: Rows) -> Rows {
        rows.and("folded_name >= ?", self.from.clone()).and("folded_name < ?", self.below.clone())
    }

    /// Adds the patients with these names. Those with a rare prefix are found among the names and sorted by number;
    /// those with a frequent one are soon found by reading in the order of the numbers. If they are not (the patients
    /// were entered by name, for example), the names are used after all: the cost is then a step for each of them, but
    /// never one for every patient.
    fn patients(&self, conn: &Connection, after: i64, found: &mut Listed) -> Result<(), Fault> {
        if self.are_few(conn, after)? {
            return self.by_name(conn, after, found);
        }
        let walked = after.saturating_add(WALK);
        let all = Selection::of(RecordKind::Patient, "patient_id");
        let walk = Rows::of(&all, "NOT INDEXED").and("patient_id > ?", after).and("patient_id <= ?", walked);
        self.restrict(walk).fill::<Patient>(conn, "patient_id", found)?;
        match found.wanted() {
            0 => Ok(()),
            _ => self.by_name(conn, walked, found),
        }
    }

    fn are_few(&self, conn: &Connection, after: i64) -> Result<bool, Fault> {
        let mut statement = conn.prepare_cached(
            "SELECT count(*) <= ?4 FROM (SELECT 1 FROM patient INDEXED BY patient_by_name \
             WHERE folded_name >= ?1 AND folded_name < ?2 AND patient_id > ?3 LIMIT ?4 + 1)",
        )?;
        let few = statement.query_row(params![self.from, self.below, after, FEW], |row| row.get(0))?;
        Ok(few)
    }

    fn by_name(&self, conn: &Connection, after: i64, found: &mut Listed) -> Result<(), Fault> {
        // The numbers are read from the index alone, so that only the rows of the page are read.
        let sql = format!(
            "{} WHERE patient_id IN (SELECT patient_id FROM patient INDEXED BY patient_by_name \
             WHERE folded_name >= ?1 AND folded_name < ?2 AND patient_id > ?3 ORDER BY patient_id LIMIT ?4) \
             ORDER BY patient_id",
            Patient::sql().select
        );
        let limit = most(found.wanted());
        fill::<Patient>(conn, &sql, params![self.from, self.below, after, limit], found)
    }
}
