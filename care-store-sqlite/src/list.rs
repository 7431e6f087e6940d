//! Lists: which index each combination of filters walks.

use care_core::{
    model::{Date, Demand, Invoice, InvoiceState, Item, MedicineKey, Prescription, PrescriptionState, Usage},
    store::{Filling, InvoiceFilter, Limit, Portion, PrescriptionFilter, Query, Record, Versioned},
};
use rusqlite::Connection;

use crate::{all::all, error::Fault, patients::patients, selection::Selection};

/// What a list is read into.
pub(crate) type Found = Filling<Versioned<Record>>;

/// The first records of a query, in its order, as many as the limit allows.
pub(crate) fn list(conn: &Connection, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, Fault> {
    let mut found = Filling::new(limit);
    let key = |after: &Option<MedicineKey>| match after {
        Some(key) => key.as_str().to_owned(),
        // Below every key: none is empty.
        None => String::new(),
    };
    match query {
        Query::Patients { filter, after } => {
            patients(conn, filter, after.map_or(0, |id| id.value()), &mut found)?;
        }
        Query::Prescriptions { filter, after } => {
            prescriptions(filter, after.map_or(0, |id| id.value())).fill::<Prescription>(
                conn,
                "prescription_id",
                &mut found,
            )?;
        }
        Query::Invoices { filter, after } => {
            invoices(filter, after.map_or(0, |id| id.value())).fill::<Invoice>(conn, "invoice_id", &mut found)?;
        }
        Query::Items { after } => Selection::of::<Item>("").and("medicine_key > ?", key(after)).fill::<Item>(
            conn,
            "medicine_key",
            &mut found,
        )?,
        Query::Demand { from, to, after } => {
            demand(*from, *to, after.as_ref()).fill::<Demand>(conn, "day, medicine_key", &mut found)?;
        }
        Query::Usages { after } => Selection::of::<Usage>("").and("medicine_key > ?", key(after)).fill::<Usage>(
            conn,
            "medicine_key",
            &mut found,
        )?,
        Query::All { after } => all(conn, after.as_ref(), &mut found)?,
    }
    Ok(found.finish())
}

fn prescriptions(filter: &PrescriptionFilter, after: i64) -> Selection {
    let PrescriptionFilter { patient_id, medicine, state } = filter;
    let select = |index, state: Option<PrescriptionState>| {
        Selection::of::<Prescription>(index)
            .and("prescription_id > ?", after)
            .maybe("patient_id = ?", patient_id.map(|id| id.value()))
            .maybe("medicine_key = ?", medicine.as_ref().map(|key| key.as_str().to_owned()))
            .maybe("state = ?", state.map(|state| state.as_str().to_owned()))
    };
    match (patient_id, medicine, state) {
        (Some(_), _, _) => select("INDEXED BY prescription_by_patient", *state),
        (None, Some(_), Some(_)) => select("INDEXED BY prescription_by_medicine", *state),
        (None, Some(_), None) => {
            // The index has the states apart, each in order; SQLite merges the two as it goes.
            let [active, completed] = [PrescriptionState::Active, PrescriptionState::Completed]
                .map(|state| select("INDEXED BY prescription_by_medicine", Some(state)));
            active.or(completed)
        }
        (None, None, Some(_)) => select("INDEXED BY prescription_by_state", *state),
        (None, None, None) => select("", None),
    }
}

fn invoices(filter: &InvoiceFilter, after: i64) -> Selection {
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
}

fn demand(from: Date, to: Date, after: Option<&(Date, MedicineKey)>) -> Selection {
    // A cursor before the period means its beginning.
    let after = after.filter(|(day, _)| *day >= from);
    let selection = match after {
        Some((day, key)) => {
            Selection::of::<Demand>("").and("(day, medicine_key) > (?, ", day.unix_days()).bound("?)", key.as_str())
        }
        None => Selection::of::<Demand>("").and("day >= ?", from.unix_days()),
    };
    selection.and("day <= ?", to.unix_days())
}
