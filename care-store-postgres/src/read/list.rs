//! Lists: the rows that each combination of filters selects.

use care_core::{
    model::{Date, LotText, MedicineKey},
    store::{
        Filling, InvoiceFilter, Limit, MovementFilter, Portion, PrescriptionFilter, Query, Record, RecordKey,
        Versioned, rows::RowKey,
    },
};

use super::{
    patients::patients,
    selection::{Found, Selection},
};
use crate::{
    base::{
        error::Fault,
        records::{Cell, KINDS, KindName, key_cells},
    },
    connect::{pool::Snapshot, session::Request},
};

/// Reads the first records of a query, in its order, as many as the limit allows.
pub(crate) async fn list(
    snapshot: &mut Snapshot<'_>,
    query: &Query,
    limit: Limit,
) -> Result<Portion<Versioned<Record>>, Fault> {
    let mut found = Filling::new(limit);
    let key = |after: &Option<MedicineKey>| match after {
        Some(key) => key.as_str().to_owned(),
        // No key is empty, so this sorts before every key.
        None => String::new(),
    };
    let (selection, order) = match query {
        Query::Patients { filter, after } => {
            patients(snapshot, filter, after.map_or(0, |id| id.value()), &mut found).await?;
            return Ok(found.finish());
        }
        Query::All { after } => {
            all(snapshot, after.as_ref(), &mut found).await?;
            return Ok(found.finish());
        }
        Query::Prescriptions { filter, after } => {
            (prescriptions(filter, after.map_or(0, |id| id.value())), "prescription_id")
        }
        Query::Invoices { filter, after } => (invoices(filter, after.map_or(0, |id| id.value())), "invoice_id"),
        Query::Items { after } => {
            (Selection::of(KindName::Item.kind()).and("medicine_key > ?", key(after)), "medicine_key")
        }
        Query::Demand { from, to, after } => (demand(*from, *to, after.as_ref()), "day, medicine_key"),
        Query::RegularDemands { after } => {
            let selection = Selection::of(KindName::RegularDemand.kind());
            let selection = match after {
                Some(after) => selection.above(after.values().map(Cell::from).collect()),
                None => selection,
            };
            (selection, "medicine_key, every_days")
        }
        Query::DemandOf { medicine, from, to } => {
            let selection = Selection::of(KindName::Demand.kind()).and("medicine_key = ?", medicine.as_str());
            (selection.and("day >= ?", from.unix_days()).and("day <= ?", to.unix_days()), "day")
        }
        Query::Stocks { filter, after } => {
            let selection = Selection::of(KindName::Stock.kind()).and("medicine_key > ?", key(after));
            let expires =
                "EXISTS (SELECT 1 FROM open_lot WHERE open_lot.medicine_key = stock.medicine_key AND expires <= ?)";
            (selection.maybe(expires, filter.expires_to.map(Date::unix_days)), "medicine_key")
        }
        Query::OpenLots { after } => {
            let selection = Selection::of(KindName::OpenLot.kind());
            let selection = match after {
                Some(after) => selection.above(after.values().map(Cell::from).collect()),
                None => selection,
            };
            (selection, "medicine_key, expires, lot")
        }
        Query::Movements { filter, after } => (movements(filter, after.map_or(0, |id| id.value())), "movement_id"),
        Query::StockDays { medicine, from, to, after } => {
            (stock_days(medicine.as_ref(), (*from, *to), after.as_ref()), "medicine_key, day")
        }
    };
    selection.fill(snapshot, order, &mut found).await?;
    Ok(found.finish())
}

fn prescriptions(filter: &PrescriptionFilter, after: i64) -> Selection {
    let PrescriptionFilter { patient_id, medicine, state } = filter;
    Selection::of(KindName::Prescription.kind())
        .and("prescription_id > ?", after)
        .maybe("patient_id = ?", patient_id.map(|id| id.value()))
        .maybe("medicine_key = ?", medicine.as_ref().map(MedicineKey::as_str))
        .maybe("state = ?", state.map(|state| state.as_str()))
}

fn invoices(filter: &InvoiceFilter, after: i64) -> Selection {
    let InvoiceFilter { patient_id, state } = filter;
    Selection::of(KindName::Invoice.kind())
        .and("invoice_id > ?", after)
        .maybe("patient_id = ?", patient_id.map(|id| id.value()))
        .maybe("state = ?", state.map(|state| state.as_str()))
}

fn demand(from: Date, to: Date, after: Option<&(Date, MedicineKey)>) -> Selection {
    let selection = Selection::of(KindName::Demand.kind());
    // A cursor before the period starts at the period's beginning.
    let selection = match after.filter(|(day, _)| *day >= from) {
        Some((day, key)) => selection.above(vec![day.unix_days().into(), key.as_str().into()]),
        None => selection.and("day >= ?", from.unix_days()),
    };
    selection.and("day <= ?", to.unix_days())
}

fn movements(filter: &MovementFilter, after: i64) -> Selection {
    let MovementFilter { medicine, lot, expires, kind, invoice_id, from, to } = filter;
    let selection = Selection::of(KindName::Movement.kind()).and("movement_id > ?", after);
    let selection = match lot {
        Some(None) => selection.only("lot IS NULL"),
        Some(Some(lot)) => selection.and("lot = ?", LotText::as_str(lot)),
        None => selection,
    };
    selection
        .maybe("medicine_key = ?", medicine.as_ref().map(MedicineKey::as_str))
        .maybe("expires = ?", expires.map(Date::unix_days))
        .maybe("kind = ?", kind.map(|kind| kind.as_str()))
        .maybe("invoice_id = ?", invoice_id.map(|id| id.value()))
        .maybe("day >= ?", from.map(Date::unix_days))
        .maybe("day <= ?", to.map(Date::unix_days))
}

/// Returns the days of a period and, for each medicine, its last day before the period. It steps from one medicine to
/// the next, so that it reads no earlier day but that one.
fn stock_days(
    medicine: Option<&MedicineKey>,
    (from, to): (Date, Date),
    after: Option<&(MedicineKey, Date)>,
) -> Selection {
    let with = "WITH RECURSIVE medicines (medicine) AS ( \
             SELECT pg_catalog.min(medicine_key) FROM stock_day WHERE medicine_key >= coalesce($1::text, $3::text, '') \
             UNION ALL \
             SELECT (SELECT pg_catalog.min(medicine_key) FROM stock_day WHERE medicine_key > medicines.medicine) FROM medicines \
             WHERE medicines.medicine IS NOT NULL AND $1::text IS NULL \
         ), spans (medicine_key, first) AS MATERIALIZED ( \
             SELECT medicine, coalesce( \
                 (SELECT pg_catalog.max(day) FROM stock_day WHERE medicine_key = medicines.medicine AND day < $2::int4), \
                 $2::int4) \
             FROM medicines WHERE medicine = coalesce($1::text, medicine) \
         )";
    let first = after.map(|(key, _)| key.as_str());
    let values = vec![medicine.map(MedicineKey::as_str).into(), from.unix_days().into(), first.into()];
    let selection = Selection::joined(KindName::StockDay.kind(), with, "JOIN spans USING (medicine_key)", values);
    let selection = selection.only("day >= first").and("day <= ?", to.unix_days());
    match after {
        Some((key, day)) => selection.above(vec![key.as_str().into(), day.unix_days().into()]),
        None => selection,
    }
}

/// Reads the first records after a key, until the portion is full.
pub(crate) async fn all(
    snapshot: &mut Snapshot<'_>,
    after: Option<&RecordKey>,
    found: &mut Found,
) -> Result<(), Fault> {
    let first = after.map_or(0, |key| KindName::of(key) as usize);
    for (number, kind) in KINDS.iter().enumerate().skip(first) {
        if found.wanted() == 0 {
            break;
        }
        let after = after.filter(|_| number == first);
        if kind.name == KindName::Counter {
            counters(snapshot, after, found).await?;
            continue;
        }
        let selection = Selection::of(kind);
        let selection = match after {
            Some(key) => selection.above(key_cells(key)),
            None => selection,
        };
        selection.fill(snapshot, &kind.sql.key, found).await?;
    }
    Ok(())
}

/// Lists the counters, one for each series, in the series' own order.
async fn counters(snapshot: &mut Snapshot<'_>, after: Option<&RecordKey>, found: &mut Found) -> Result<(), Fault> {
    let kind = KindName::Counter.kind();
    let rows = snapshot.query(Request::new(&*kind.sql.select, [])).await?;
    let mut counters = rows.iter().map(|row| kind.read(row)).collect::<Result<Vec<_>, _>>()?;
    counters.retain(|found| after.is_none_or(|after| found.record.key() > *after));
    counters.sort_by_key(|found| found.record.key());
    for counter in counters {
        if !found.takes(size_of::<i64>()) {
            break;
        }
        found.push(counter);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_sent_is_bound() {
        let filter = InvoiceFilter { patient_id: Some(care_core::model::PatientId::FIRST), state: None };
        let text = format!("{:?}", invoices(&filter, 7));
        assert!(text.contains("WHERE invoice_id > $1 AND patient_id = $2"), "{text}");
    }
}
