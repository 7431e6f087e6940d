//! Lists of patients, which are found by name and sorted by number.

use care_core::{
    model::{NamePrefix, Patient},
    store::{RecordKind, rows::Selection},
};
use rusqlite::{Connection, params, types::Value};

use super::index::index;
use crate::base::{
    error::Fault,
    records::{Listed, Stored, fill},
    selection::{Rows, most},
};

/// The number of names up to which they are sorted by number at once.
const FEW: i64 = 4_000;
/// The number of patients that are read in the order of their numbers before the names are used after all.
const WALK: i64 = 16_000;

/// Adds the first patients of a selection whose names have a prefix, as many as the portion takes.
pub(crate) fn named(
    conn: &Connection,
    selection: &Selection<'_>,
    prefix: &NamePrefix,
    after: i64,
    found: &mut Listed,
) -> Result<(), Fault> {
    let names = Names::with_prefix(prefix);
    match index(selection) {
        "" => names.patients(conn, after, found),
        index => names.restrict(Rows::of(selection, index)).fill::<Patient>(conn, selection.order, found),
    }
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
