//! Lists of patients, which are found by name and come by number.

use care_core::{
    model::NamePrefix,
    store::{PatientFilter, rows::RowReader},
};

use super::selection::{Found, Selection};
use crate::{
    base::{
        error::Fault,
        records::{Cell, Cells, KindName},
    },
    connect::{pool::Snapshot, session::Request},
};

/// This number of names is sorted by number at once rather than looking for another way.
const FEW: i64 = 4_000;
/// This number of patients is looked at in the order of their numbers before the names are gone through after all.
const WALK: i64 = 16_000;

/// Reads the first patients above `after` that the filter means, as far as the portion takes them.
pub(crate) async fn patients(
    snapshot: &mut Snapshot<'_>,
    filter: &PatientFilter,
    after: i64,
    found: &mut Found,
) -> Result<(), Fault> {
    let PatientFilter { name_prefix, phone, email } = filter;
    let names = name_prefix.as_ref().map(Names::with_prefix);
    let selection = Selection::of(KindName::Patient.kind())
        .and("patient_id > ?", after)
        .maybe("phone = ?", phone.map(|phone| phone.value()))
        .maybe("email = ?", email.as_ref().map(|email| email.as_str()));
    let selection = match names {
        Some(names) if phone.is_none() && email.is_none() => return names.patients(snapshot, after, found).await,
        Some(names) => names.restrict(selection),
        None => selection,
    };
    selection.fill(snapshot, "patient_id", found).await
}

/// The names that begin with a prefix, as a range of folded names.
struct Names {
    from: String,
    /// The first name that does not begin with it and comes after those that do, if there can be one.
    below: Option<String>,
}

impl Names {
    fn with_prefix(prefix: &NamePrefix) -> Self {
        Self { from: prefix.as_str().to_owned(), below: prefix.successor() }
    }

    fn restrict(&self, selection: Selection) -> Selection {
        selection.and("folded_name >= ?", &*self.from).maybe("folded_name < ?", self.below.as_deref())
    }

    /// Lists the patients of the names: a rare prefix is found among the names and sorted by number; a common one is
    /// met soon enough by going through the numbers. Where a common one is not met soon (the patients were entered by
    /// name, say), the names are gone through after all: that costs a step for each of them, but never one for every
    /// patient.
    async fn patients(&self, snapshot: &mut Snapshot<'_>, after: i64, found: &mut Found) -> Result<(), Fault> {
        if self.are_few(snapshot, after).await? {
            return self.by_name(snapshot, after, found).await;
        }
        let walked = after.saturating_add(WALK);
        // The empty text that is added to the name keeps the planner from looking for it in its index.
        let walk = Selection::of(KindName::Patient.kind()).and("patient_id > ?", after).and("patient_id <= ?", walked);
        let walk = walk.and("(folded_name || ''::text) >= ?", &*self.from);
        let walk = walk.maybe("(folded_name || ''::text) < ?", self.below.as_deref());
        walk.fill(snapshot, "patient_id", found).await?;
        match found.wanted() {
            0 => Ok(()),
            _ => self.by_name(snapshot, walked, found).await,
        }
    }

    /// Returns the condition on the names, and its values, of which `after` is the last.
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
        // The numbers are chosen from the index alone, so that only the rows of the page are read.
        let (condition, values) = self.condition(after);
        let with = format!("WITH named AS MATERIALIZED (SELECT patient_id FROM patient WHERE {condition})");
        let selection = Selection::joined(KindName::Patient.kind(), &with, "JOIN named USING (patient_id)", values);
        selection.fill(snapshot, "patient_id", found).await
    }
}
