//! Lists of patients, which are found by name, phone number or mail address and sorted by number.

use care_core::{
    model::{NamePrefix, Patient, email_term, phone_term},
    store::{Datum, RecordKey, Rows, Selection, sql::Statement},
};
use rusqlite::{Connection, params_from_iter};

use crate::base::{
    error::Fault,
    records::{Listed, Stored},
    statement::{Bound, fill_rows, fill_statement},
};

/// The number of names up to which they are sorted by number at once.
const FEW: i64 = 4_000;
/// The number of patients that are read in the order of their numbers before the names are used after all.
const WALK: i64 = 16_000;

/// Adds the first patients of a selection, as many as the portion takes.
pub(crate) fn patients(conn: &Connection, rows: &Rows, found: &mut Listed) -> Result<(), Fault> {
    match term(&rows.selection) {
        Some(term) => fill_statement::<Patient>(conn, with_term(rows, &term).ending(BY_NUMBER), found),
        None => fill_rows::<Patient>(conn, rows, found),
    }
}

/// Adds the first patients of a selection whose names have a prefix, as many as the portion takes.
pub(crate) fn named(conn: &Connection, rows: &Rows, prefix: &NamePrefix, found: &mut Listed) -> Result<(), Fault> {
    let names = Names::with_prefix(prefix);
    match term(&rows.selection) {
        Some(term) => {
            let statement = names.restrict(with_term(rows, &term)).ending(BY_NUMBER);
            fill_statement::<Patient>(conn, statement, found)
        }
        None => names.patients(conn, rows, found),
    }
}

const BY_NUMBER: &str = " ORDER BY patient_id";

/// Returns a term that all patients of the selection have: that of their phone number or mail address.
fn term(selection: &Selection) -> Option<String> {
    let phone = match selection.value_of("phone") {
        Some(Datum::Number(phone)) => Some(phone_term(phone)),
        Some(Datum::Text(_)) | None => None,
    };
    phone.or_else(|| match selection.value_of("email") {
        Some(Datum::Text(email)) => Some(email_term(&email)),
        Some(Datum::Number(_)) | None => None,
    })
}

/// Selects the patients that have a term. Its rows are in the order of the list.
fn with_term(rows: &Rows, term: &str) -> Statement {
    let columns = &Patient::sql().columns;
    let start = format!("SELECT {columns} FROM patient_term CROSS JOIN patient USING (patient_id)");
    Statement::new(start).of_rows(rows).compared("term", "=", [term])
}

/// The names with a prefix, as a range of folded names.
struct Names {
    from: String,
    /// The first name after all names with the prefix, if there can be one.
    below: Option<String>,
}

impl Names {
    fn with_prefix(prefix: &NamePrefix) -> Self {
        Self { from: prefix.as_str().to_owned(), below: prefix.successor() }
    }

    fn restrict(&self, rows: Statement) -> Statement {
        let rows = rows.compared("folded_name", ">=", [&*self.from]);
        match &self.below {
            Some(below) => rows.compared("folded_name", "<", [&**below]),
            None => rows,
        }
    }

    /// Adds the patients with these names. Those with a rare prefix are found among the names and sorted by number;
    /// those with a frequent one are soon found by reading in the order of the numbers. If they are not (the patients
    /// were entered by name, for example), the names are used after all: the cost is then a step for each of them, but
    /// never one for every patient.
    fn patients(&self, conn: &Connection, rows: &Rows, found: &mut Listed) -> Result<(), Fault> {
        let after = match rows.after {
            Some(RecordKey::Patient(id)) => id.value(),
            _ => 0,
        };
        if self.are_few(conn, after)? {
            return self.by_name(conn, rows, after, found);
        }
        let walked = after.saturating_add(WALK);
        let walk = Statement::new(format!("{} NOT INDEXED", Patient::sql().select)).of_rows(rows);
        let walk = self.restrict(walk.compared("patient_id", "<=", [walked]));
        fill_statement::<Patient>(conn, walk.ending(BY_NUMBER), found)?;
        match found.wanted() {
            0 => Ok(()),
            _ => self.by_name(conn, rows, walked, found),
        }
    }

    fn are_few(&self, conn: &Connection, after: i64) -> Result<bool, Fault> {
        let names = Statement::new("SELECT 1 FROM patient INDEXED BY patient_by_name");
        let names = self.restrict(names).compared("patient_id", ">", [after]);
        let all = names.ending(&format!(" LIMIT {FEW} + 1"));
        let sql = format!("SELECT count(*) <= {FEW} FROM ({})", all.sql);
        let values = params_from_iter(all.values.iter().map(Bound));
        Ok(conn.prepare_cached(&sql)?.query_row(values, |row| row.get(0))?)
    }

    fn by_name(&self, conn: &Connection, rows: &Rows, after: i64, found: &mut Listed) -> Result<(), Fault> {
        // The numbers are read from the index alone, so that only the rows of the page are read. Where each row is held
        // against other terms, any number of them may be passed.
        let numbers = if rows.selection.terms.is_empty() { found.wanted() } else { usize::MAX };
        let among = format!(
            "{} WHERE patient_id IN (SELECT patient_id FROM patient INDEXED BY patient_by_name",
            Patient::sql().select
        );
        let names = self.restrict(Statement::new(among)).compared("patient_id", ">", [after]);
        let among = names.ending(BY_NUMBER).limited(numbers).ending(")");
        fill_statement::<Patient>(conn, among.of_rows(rows).ending(BY_NUMBER), found)
    }
}

#[cfg(test)]
mod tests {
    use care_core::{
        model::PatientId,
        store::{Comparison, Filling, Limit, PatientFilter, Query, Record, Term},
    };

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
        let compared = |column, by, value: i64| Term::Compared(column, by, value.into());
        type Holds = fn(i64) -> bool;
        let others: [(Term, Holds); 4] = [
            (compared("age", Comparison::Equal, 30), |id| id % 3 == 0),
            (compared("age", Comparison::Below, 30), |_| false),
            (Term::Null("age"), |id| id % 3 != 0),
            (compared("phone", Comparison::Equal, 7), |id| id % 2 == 0),
        ];
        for prefix in ["ada", "bea", "a"] {
            for after in [0, 2_400] {
                for (one, holds_one) in &others {
                    for (other, holds_other) in &others {
                        let name_prefix = Some(NamePrefix::new(prefix));
                        let filter = PatientFilter { name_prefix, ..PatientFilter::default() };
                        let list = Patient::list(&filter, PatientId::try_from(after).ok());
                        let Query::Named(rows, names) = list.into() else { panic!("{filter:?}") };
                        let rows = Rows { selection: rows.selection.and(one.clone()).and(other.clone()), ..rows };
                        let mut found = Filling::new(Limit::items(700));
                        named(&conn, &rows, &names, &mut found).unwrap();
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
