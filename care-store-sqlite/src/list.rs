//! Lists: which index each combination of filters walks.

use care_core::{
    model::{Demand, Invoice, InvoiceState, Item, MedicineKey, Prescription, PrescriptionState, Usage},
    store::{InvoiceFilter, PrescriptionFilter, Query, Record, Versioned},
};
use rusqlite::Connection;

use crate::{all::all, error::Fault, patients::patients, selection::Selection};

/// The first `limit` records of a query, in its order.
pub(crate) fn list(conn: &Connection, query: &Query, limit: i64) -> Result<Vec<Versioned<Record>>, Fault> {
    let key = |after: &Option<MedicineKey>| match after {
        Some(key) => key.as_str().to_owned(),
        // Below every key: none is empty.
        None => String::new(),
    };
    match query {
        Query::Patients { filter, after } => patients(conn, filter, after.map_or(0, |id| id.value()), limit),
        Query::Prescriptions { filter, after } => prescriptions(conn, filter, after.map_or(0, |id| id.value()), limit),
        Query::Invoices { filter, after } => invoices(conn, filter, after.map_or(0, |id| id.value()), limit),
        Query::Items { after } => {
            Selection::of::<Item>("").and("medicine_key > ?", key(after)).fetch::<Item>(conn, "medicine_key", limit)
        }
        Query::Demand { from, to } => Selection::of::<Demand>("")
            .and("day >= ?", from.unix_days())
            .and("day <= ?", to.unix_days())
            .fetch::<Demand>(conn, "medicine_key, day", limit),
        Query::Usages => Selection::of::<Usage>("").and("medicine_key > ?", String::new()).fetch::<Usage>(
            conn,
            "medicine_key",
            limit,
        ),
        Query::All { after } => all(conn, after.as_ref(), limit),
    }
}

fn prescriptions(
    conn: &Connection,
    filter: &PrescriptionFilter,
    after: i64,
    limit: i64,
) -> Result<Vec<Versioned<Record>>, Fault> {
    let PrescriptionFilter { patient_id, medicine, state } = filter;
    let select = |index, state: Option<PrescriptionState>| {
        Selection::of::<Prescription>(index)
            .and("prescription_id > ?", after)
            .maybe("patient_id = ?", patient_id.map(|id| id.value()))
            .maybe("medicine_key = ?", medicine.as_ref().map(|key| key.as_str().to_owned()))
            .maybe("state = ?", state.map(|state| state.as_str().to_owned()))
            .fetch::<Prescription>(conn, "prescription_id", limit)
    };
    match (patient_id, medicine, state) {
        (Some(_), _, _) => select("INDEXED BY prescription_by_patient", *state),
        (None, Some(_), Some(_)) => select("INDEXED BY prescription_by_medicine", *state),
        (None, Some(_), None) => {
            // The index has the states apart, each in order; the first of both are the first of all.
            let mut found = Vec::new();
            for state in [PrescriptionState::Active, PrescriptionState::Completed] {
                found.extend(select("INDEXED BY prescription_by_medicine", Some(state))?);
            }
            found.sort_by_key(|found| found.record.key());
            found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(found)
        }
        (None, None, Some(_)) => select("INDEXED BY prescription_by_state", *state),
        (None, None, None) => select("", None),
    }
}

fn invoices(
    conn: &Connection,
    filter: &InvoiceFilter,
    after: i64,
    limit: i64,
) -> Result<Vec<Versioned<Record>>, Fault> {
    let InvoiceFilter { patient_id, state } = filter;
    match (patient_id, state) {
        (Some(_), Some(InvoiceState::Unpaid)) => {
            Selection::of::<Invoice>("INDEXED BY invoice_unpaid_by_patient").only("state = 'unpaid'")
        }
        (Some(_), _) => Selection::of::<Invoice>("INDEXED BY invoice_by_patient"),
        (None, Some(_)) => Selection::of::<Invoice>("INDEXED BY invoice_by_state"),
        (None, None) => Selection::of::<Invoice>(""),
    }
    .and("invoice_id > ?", after)
    .maybe("patient_id = ?", patient_id.map(|id| id.value()))
    .maybe("state = ?", state.map(|state| state.as_str().to_owned()))
    .fetch::<Invoice>(conn, "invoice_id", limit)
}
