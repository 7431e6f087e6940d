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
    match selection.fixed().next() {
        // The patients with a phone number or an email address are few.
        Some(_) => names.within(Rows::of(selection), "folded_name").fill(snapshot, selection.order, found).await,
        None => names.patients(snapshot, after, found).await,
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
    async fn patients(&self, snapshot: &mut Snapshot<'_>, after: i64, found: &mut Found) -> Result<(), Fault> {
        if self.are_few(snapshot, after).await? {
            return self.by_name(snapshot, after, found).await;
        }
        let walked = after.saturating_add(WALK);
        // Appending the empty text to the name keeps the planner from using the index on names.
        let walk = Rows::whole(kind(RecordKind::Patient));
        let walk = walk.compared("patient_id", ">", [after]).compared("patient_id", "<=", [walked]);
        self.within(walk, "(folded_name || ''::text)").fill(snapshot, "patient_id", found).await?;
        match found.wanted() {
            0 => Ok(()),
            _ => self.by_name(snapshot, walked, found).await,
        }
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

    async fn by_name(&self, snapshot: &mut Snapshot<'_>, after: i64, found: &mut Found) -> Result<(), Fault> {
        // The page's numbers are chosen from the index alone, so that only the page's rows are read.
        let (condition, values) = self.condition(after);
        let with = format!("WITH named AS MATERIALIZED (SELECT patient_id FROM patient WHERE {condition})");
        let rows = Rows::joined(kind(RecordKind::Patient), &with, "JOIN named USING (patient_id)", values);
        rows.fill(snapshot, "patient_id", found).await
    }
}
