//! Lists of patients, which are filtered by name and sorted by number.

use care_core::{
    model::NamePrefix,
    store::{
        RecordKind,
        rows::{RowReader, Selection},
    },
};

use super::selection::{Found, Rows};
use crate::{
    base::{
        error::Fault,
        records::{Cell, Cells, kind},
    },
    connect::{pool::Snapshot, session::Request},
};

/// Up to this many matching names are sorted by number right away.
const FEW: i64 = 4_000;
/// This many patients are tried in the order of their numbers before falling back to the names.
const WALK: i64 = 16_000;

/// Reads the first patients of a selection whose names have a prefix, until the portion is full.
pub(crate) async fn named(
    snapshot: &mut Snapshot<'_>,
    selection: &Selection<'_>,
    prefix: &NamePrefix,
    after: i64,
    found: &mut Found,
) -> Result<(), Fault> {
    let names = Names::with_prefix(prefix);
    // The patients with a phone number or an email address are few. Those with another term may be most of them.
    match selection.fixed().any(|(column, _)| matches!(column, "phone" | "email")) {
        true => names.within(Rows::of(selection), "folded_name").fill(snapshot, selection.order, found).await,
        false => names.patients(snapshot, selection, after, found).await,
    }
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
    fn within(&self, rows: Rows, name: &str) -> Rows {
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
    async fn patients(
        &self,
        snapshot: &mut Snapshot<'_>,
        selection: &Selection<'_>,
        after: i64,
        found: &mut Found,
    ) -> Result<(), Fault> {
        if self.are_few(snapshot, after).await? {
            return self.by_name(selection, after).fill(snapshot, selection.order, found).await;
        }
        let walked = after.saturating_add(WALK);
        self.walk(selection, walked).fill(snapshot, selection.order, found).await?;
        match found.wanted() {
            0 => Ok(()),
            _ => self.by_name(selection, walked).fill(snapshot, selection.order, found).await,
        }
    }

    /// Selects the rows up to a number, without the index on names.
    fn walk(&self, selection: &Selection<'_>, walked: i64) -> Rows {
        // Appending the empty text to the name keeps the planner from using the index on names.
        self.within(Rows::of(selection).compared("patient_id", "<=", [walked]), "(folded_name || ''::text)")
    }

    /// Returns the condition on the names, and its values; `after` is the last of them.
    fn condition(&self, after: i64) -> (&'static str, Vec<Cell>) {
        match &self.below {
            Some(below) => (
                "folded_name >= $1 AND folded_name < $2 AND patient_id > $3",
                vec![(&*self.from).into(), below.as_str().into(), after.into()],
            ),
            None => ("folded_name >= $1 AND patient_id > $2", vec![(&*self.from).into(), after.into()]),
        }
    }

    async fn are_few(&self, snapshot: &mut Snapshot<'_>, after: i64) -> Result<bool, Fault> {
        let (condition, values) = self.condition(after);
        let some = format!("SELECT FROM patient WHERE {condition} LIMIT {FEW} + 1");
        let sql = format!("SELECT pg_catalog.count(*) <= {FEW} FROM ({some}) AS named");
        let rows = snapshot.query(Request::new(sql, values)).await?;
        Cells::new("patient", rows.first().ok_or(Fault::Unexpected)?).get::<bool>()
    }

    /// Selects the rows above a number by the index on names.
    fn by_name(&self, selection: &Selection<'_>, after: i64) -> Rows {
        // The page's numbers are chosen from the index alone, so that only the page's rows are read.
        let (condition, values) = self.condition(after);
        let with = format!("WITH named AS MATERIALIZED (SELECT patient_id FROM patient WHERE {condition})");
        Rows::joined(kind(RecordKind::Patient), &with, "JOIN named USING (patient_id)", values)
            .meeting(&selection.terms)
    }
}

#[cfg(test)]
mod tests {
    use care_core::store::rows::{Comparison, Term, Value};

    use super::*;

    #[test]
    fn every_term_counts_whatever_the_patients_are_found_by() {
        let age = Term::Compared("age", Comparison::Equal, vec![Value::Integer(Some(30))]);
        let selection = Selection::of(RecordKind::Patient, "patient_id").and(age).and(Term::Null("gender"));
        let names = Names::with_prefix(&NamePrefix::new("ada"));
        for rows in [names.walk(&selection, 7), names.by_name(&selection, 7)] {
            let sql = format!("{rows:?}");
            assert!(sql.contains("age = $") && sql.contains("gender IS NULL"), "{sql}");
        }
    }
}
