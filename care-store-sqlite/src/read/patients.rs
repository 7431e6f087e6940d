//! Lists of patients, which are found by name, phone number or mail address and sorted by number.

use care_core::{
    model::{NamePrefix, email_term, phone_term},
    store::{
        Datum, RecordKind, Rows, Selection,
        sql::{FEW_NAMES, Statement, WALK},
    },
};
use rusqlite::Connection;

use crate::base::{
    error::Fault,
    records::{Listed, fill, number},
    statements::{listing, sql},
};

/// Adds the first patients of a selection, as many as the portion takes.
pub(crate) fn patients(conn: &Connection, rows: &Rows, found: &mut Listed) -> Result<(), Fault> {
    match term(&rows.selection) {
        Some(term) => by_number(conn, with_term(rows, &term), found),
        None => fill(conn, RecordKind::Patient, listing(rows), found),
    }
}

/// Adds the first patients of a selection whose names have a prefix, as many as the portion takes.
///
/// Those with a rare prefix are found among the names and sorted by number; those with a frequent one are soon found by
/// reading in the order of the numbers. If they are not (the patients were entered by name, for example), the names are
/// used after all: the cost is then a step for each of them, but never one for every patient.
pub(crate) fn named(conn: &Connection, rows: &Rows, prefix: &NamePrefix, found: &mut Listed) -> Result<(), Fault> {
    if let Some(term) = term(&rows.selection) {
        return by_number(conn, with_term(rows, &term).beginning("folded_name", prefix), found);
    }
    let after = rows.first_patient()?;
    let count = format!("SELECT count(*) <= {FEW_NAMES} FROM (SELECT 1 FROM patient INDEXED BY patient_by_name");
    let are_few = above(&count, prefix, after).ending(&format!(" LIMIT {FEW_NAMES} + 1)"));
    if number(conn, &are_few)? == 1 {
        return by_name(conn, rows, prefix, after, found);
    }
    let walked = after.saturating_add(WALK);
    let walk = Statement::new(format!("{} NOT INDEXED", select())).of_rows(rows);
    by_number(conn, walk.compared("patient_id", "<=", [walked]).beginning("folded_name", prefix), found)?;
    match found.wanted() {
        0 => Ok(()),
        _ => by_name(conn, rows, prefix, walked, found),
    }
}

fn select() -> &'static str {
    &sql(RecordKind::Patient).select
}

/// Adds the patients that a statement finds, by number.
fn by_number(conn: &Connection, statement: Statement, found: &mut Listed) -> Result<(), Fault> {
    fill(conn, RecordKind::Patient, statement.ending(BY_NUMBER), found)
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
    let columns = &sql(RecordKind::Patient).columns;
    let start = format!("SELECT {columns} FROM patient_term CROSS JOIN patient USING (patient_id)");
    Statement::new(start).of_rows(rows).compared("term", "=", [term])
}

/// Selects the names with a prefix of the patients above a number.
fn above(start: &str, prefix: &NamePrefix, after: i64) -> Statement {
    Statement::new(start).beginning("folded_name", prefix).compared("patient_id", ">", [after])
}

/// Adds the patients above a number whose names are found in the index.
fn by_name(conn: &Connection, rows: &Rows, prefix: &NamePrefix, after: i64, found: &mut Listed) -> Result<(), Fault> {
    // The numbers are read from the index alone, so that only the rows of the page are read. Where each row is held
    // against other terms, any number of them may be passed.
    let numbers = if rows.selection.terms.is_empty() { found.wanted() } else { usize::MAX };
    let among = "WHERE patient_id IN (SELECT patient_id FROM patient INDEXED BY patient_by_name";
    let names = above(&format!("{} {among}", select()), prefix, after);
    by_number(conn, names.ending(BY_NUMBER).limited(numbers).ending(")").of_rows(rows), found)
}

#[cfg(test)]
mod tests {
    use care_core::{
        error::StoreErrorKind,
        model::{Patient, PatientId},
        store::{Comparison, Filling, Limit, PatientFilter, Query, Record, RecordKey, Term},
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
    #[test]
    fn a_cursor_of_another_kind_is_refused() {
        let conn = Connection::open_in_memory().unwrap();
        crate::file::schema::migrate(&conn).unwrap();
        let filter = PatientFilter { name_prefix: Some(NamePrefix::new("a")), ..PatientFilter::default() };
        let Query::Named(rows, names) = Patient::list(&filter, None).into() else { panic!("{filter:?}") };
        let rows = Rows { after: Some(RecordKey::Voided(PatientId::FIRST)), ..rows };
        let refused = named(&conn, &rows, &names, &mut Filling::new(Limit::ALL)).unwrap_err();
        assert!(matches!(refused, Fault::Store(error) if error.kind() == StoreErrorKind::Unsupported));
    }
}
