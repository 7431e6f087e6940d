//! Lists of patients, which are filtered by name and sorted by number.

use care_core::{
    model::NamePrefix,
    store::{RecordKey, RecordKind, Rows, rows::RowReader, sql::Statement},
};

use super::selection::{Found, fill, request};
use crate::{
    base::{
        error::Fault,
        records::{Cells, kind},
    },
    connect::pool::Snapshot,
};

/// Up to this many matching names are sorted by number right away.
const FEW: i64 = 4_000;
/// This many patients are tried in the order of their numbers before falling back to the names.
const WALK: i64 = 16_000;

/// Reads the first patients of a selection whose names have a prefix, until the portion is full.
pub(crate) async fn named(
    snapshot: &mut Snapshot<'_>,
    rows: &Rows,
    prefix: &NamePrefix,
    found: &mut Found,
) -> Result<(), Fault> {
    let names = Names::with_prefix(prefix);
    // The patients that an index finds are few. Those with another term may be most of them.
    match rows.selection.index {
        Some(_) => patients(snapshot, names.within(of_any_name(rows), "folded_name"), found).await,
        None => names.patients(snapshot, rows, found).await,
    }
}

/// Selects the patients of a list, without a condition on their names.
fn of_any_name(rows: &Rows) -> Statement {
    Statement::new(&*kind(RecordKind::Patient).sql.select).of_rows(rows)
}

async fn patients(snapshot: &mut Snapshot<'_>, statement: Statement, found: &mut Found) -> Result<(), Fault> {
    fill(snapshot, kind(RecordKind::Patient), statement.ending(" ORDER BY patient_id"), found).await
}

/// The names that begin with a prefix, as a range of folded names.
struct Names {
    from: String,
    /// The first name after all names with the prefix, if there can be one.
    below: Option<String>,
}

impl Names {
    fn with_prefix(prefix: &NamePrefix) -> Self {
        Self { from: prefix.as_str().to_owned(), below: prefix.successor() }
    }

    /// Keeps only the rows in which this expression is one of the names.
    fn within(&self, rows: Statement, name: &str) -> Statement {
        let rows = rows.compared(name, ">=", [&*self.from]);
        match &self.below {
            Some(below) => rows.compared(name, "<", [&**below]),
            None => rows,
        }
    }

    /// Lists the patients with these names. If the prefix is rare, their names are found in the index and sorted by
    /// number; if it is common, walking the numbers soon meets enough of them. Where it does not (the patients were
    /// entered by name, say), the names are searched after all: that costs a step for each matching name, but never one
    /// for every patient.
    async fn patients(&self, snapshot: &mut Snapshot<'_>, rows: &Rows, found: &mut Found) -> Result<(), Fault> {
        let after = match rows.after {
            Some(RecordKey::Patient(id)) => id.value(),
            _ => 0,
        };
        if self.are_few(snapshot, after).await? {
            return patients(snapshot, self.by_name(rows, after), found).await;
        }
        let walked = after.saturating_add(WALK);
        patients(snapshot, self.walk(rows, walked), found).await?;
        match found.wanted() {
            0 => Ok(()),
            _ => patients(snapshot, self.by_name(rows, walked), found).await,
        }
    }

    /// Selects the rows up to a number, without the index on names.
    fn walk(&self, rows: &Rows, walked: i64) -> Statement {
        // Appending the empty text to the name keeps the planner from using the index on names.
        self.within(of_any_name(rows).compared("patient_id", "<=", [walked]), "(folded_name || ''::text)")
    }

    /// Selects these names of the patients above a number, after this beginning.
    fn above(&self, start: &str, after: i64) -> Statement {
        self.within(Statement::new(start), "folded_name").compared("patient_id", ">", [after])
    }

    async fn are_few(&self, snapshot: &mut Snapshot<'_>, after: i64) -> Result<bool, Fault> {
        let start = format!("SELECT pg_catalog.count(*) <= {FEW} FROM (SELECT FROM patient");
        let some = self.above(&start, after).ending(&format!(" LIMIT {FEW} + 1) AS named"));
        let rows = snapshot.query(request(some)).await?;
        Cells::new("patient", rows.first().ok_or(Fault::Unexpected)?).get::<bool>()
    }

    /// Selects the rows above a number by the index on names.
    fn by_name(&self, rows: &Rows, after: i64) -> Statement {
        // The page's numbers are chosen from the index alone, so that only the page's rows are read.
        let with = self.above("WITH named AS MATERIALIZED (SELECT patient_id FROM patient", after);
        let select = &kind(RecordKind::Patient).sql.select;
        let named = with.ending(&format!(") {select} JOIN named USING (patient_id)"));
        Statement::with_values(named.sql, named.values).of(&rows.selection)
    }
}

#[cfg(test)]
mod tests {
    use care_core::{
        model::{Patient, PatientId},
        store::{Comparison, Datum, PatientFilter, Query, Term},
    };

    use super::*;

    #[test]
    fn every_term_counts_whatever_the_patients_are_found_by() {
        let filter = PatientFilter { name_prefix: Some(NamePrefix::new("ada")), ..PatientFilter::default() };
        let Query::Named(rows, prefix) = Patient::list(&filter, Some(PatientId::FIRST)).into() else { panic!() };
        let age = Term::Compared("age", Comparison::Equal, Datum::from(30));
        let rows = Rows { selection: rows.selection.and(age).and(Term::Null("gender")), ..rows };
        let names = Names::with_prefix(&prefix);
        for statement in [names.walk(&rows, 7), names.by_name(&rows, 7)] {
            let sql = statement.sql;
            assert!(sql.contains("age = $") && sql.contains("gender IS NULL"), "{sql}");
        }
    }
}
