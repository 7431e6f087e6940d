//! Lists of patients, which are found by name, phone number or mail address and sorted by number.

use care_core::{
    model::{NamePrefix, Patient, email_term, phone_term},
    store::rows::{self, Comparison, Selection, Term},
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
        None => names.patients(conn, selection, after, found),
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

/// Returns whether a selection has terms beside the least number.
fn has_others(selection: &Selection<'_>) -> bool {
    selection.terms.iter().any(|term| !matches!(term, Term::Compared("patient_id", Comparison::Above, _)))
}

/// Adds the first of the patients that have a term. Its rows are in the order of the list.
fn with_term(conn: &Connection, rows: Rows, term: String, found: &mut Listed) -> Result<(), Fault> {
    let columns = &Patient::sql().columns;
    let start = format!("SELECT {columns} FROM patient_term CROSS JOIN patient USING (patient_id)");
    let (sql, mut values) = rows.and("term = ?", [term.into()]).between(&start, " ORDER BY patient_id LIMIT ?");
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
        let rows = rows.and("folded_name >= ?", [self.from.clone().into()]);
        rows.and("folded_name < ?", [self.below.clone()])
    }

    /// Adds the patients with these names. Those with a rare prefix are found among the names and sorted by number;
    /// those with a frequent one are soon found by reading in the order of the numbers. If they are not (the patients
    /// were entered by name, for example), the names are used after all: the cost is then a step for each of them, but
    /// never one for every patient.
    fn patients(
        &self,
        conn: &Connection,
        selection: &Selection<'_>,
        after: i64,
        found: &mut Listed,
    ) -> Result<(), Fault> {
        if self.are_few(conn, after)? {
            return self.by_name(conn, selection, after, found);
        }
        let walked = after.saturating_add(WALK);
        let walk = Rows::of(selection, "NOT INDEXED").and("patient_id <= ?", [walked.into()]);
        self.restrict(walk).fill::<Patient>(conn, selection.order, found)?;
        match found.wanted() {
            0 => Ok(()),
            _ => self.by_name(conn, selection, walked, found),
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

    fn by_name(
        &self,
        conn: &Connection,
        selection: &Selection<'_>,
        after: i64,
        found: &mut Listed,
    ) -> Result<(), Fault> {
        // The numbers are read from the index alone, so that only the rows of the page are read. Where each row is held
        // against other terms, any number of them may be passed.
        let numbers = if has_others(selection) { i64::MAX } else { most(found.wanted()) };
        let among = "patient_id IN (SELECT patient_id FROM patient INDEXED BY patient_by_name \
                     WHERE folded_name >= ? AND folded_name < ? AND patient_id > ? ORDER BY patient_id LIMIT ?)";
        let values = [self.from.clone().into(), self.below.clone(), after.into(), numbers.into()];
        Rows::of(selection, "").and(among, values).fill::<Patient>(conn, selection.order, found)
    }
}

#[cfg(test)]
mod tests {
    use care_core::store::{Filling, Limit, Record, RecordKind};

    use super::*;

    /// More names with a prefix than are sorted at once. Each third patient is 30, each second has a phone number.
    const PATIENTS: &str = "
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO patient (version, patient_id, name, folded_name, age, phone)
            SELECT 1, i, 'n', CASE WHEN i % 10 = 0 THEN 'bea' ELSE 'ada' END,
                   CASE WHEN i % 3 = 0 THEN 30 END, CASE WHEN i % 2 = 0 THEN 7 END FROM n;
        INSERT INTO patient_term SELECT '-7', patient_id FROM patient WHERE phone = 7;
    ";

    #[test]
    fn every_term_counts_whatever_the_patients_are_found_by() {
        let conn = Connection::open_in_memory().unwrap();
        crate::file::schema::migrate(&conn).unwrap();
        conn.execute_batch(PATIENTS).unwrap();
        let compared = |column, by, value| Term::Compared(column, by, vec![rows::Value::Integer(Some(value))]);
        type Holds = fn(i64) -> bool;
        let others: [(Term<'_>, Holds); 4] = [
            (compared("age", Comparison::Equal, 30), |id| id % 3 == 0),
            (compared("age", Comparison::Above, 30), |_| false),
            (Term::Null("age"), |id| id % 3 != 0),
            (compared("phone", Comparison::Equal, 7), |id| id % 2 == 0),
        ];
        for prefix in ["ada", "bea", "a"] {
            for after in [0, 2_400] {
                for (one, holds_one) in &others {
                    for (other, holds_other) in &others {
                        let all = Selection::of(RecordKind::Patient, "patient_id");
                        let above = compared("patient_id", Comparison::Above, after);
                        let selection = all.and(above).and(one.clone()).and(other.clone());
                        let mut found = Filling::new(Limit::items(700));
                        named(&conn, &selection, &NamePrefix::new(prefix), after, &mut found).unwrap();
                        let ids: Vec<_> = found
                            .finish()
                            .items
                            .iter()
                            .map(|found| match &found.record {
                                Record::Patient(patient) => patient.patient_id.value(),
                                other => panic!("{:?}", other.key()),
                            })
                            .collect();
                        let is_named = |id: i64| (id % 10 == 0) == (prefix == "bea");
                        let expected: Vec<_> = (after + 1..=5_000)
                            .filter(|id| is_named(*id) && holds_one(*id) && holds_other(*id))
                            .take(700)
                            .collect();
                        assert_eq!(ids, expected, "{prefix} after {after}: {one:?} and {other:?}");
                    }
                }
            }
        }
    }
}
