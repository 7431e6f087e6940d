//! Lists: the statement of each query.

use care_core::{
    model::{Date, MedicineKey},
    store::{
        Filling, Limit, Portion, Query, Record, RecordKey, RecordKind, Versioned,
        rows::{QueryRows, RowKey},
    },
};

use super::{
    patients::named,
    selection::{Found, Rows},
    terms::find,
};
use crate::{
    base::{
        error::Fault,
        records::{KINDS, key_cells, kind},
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
    match QueryRows::of(query) {
        QueryRows::Selected(selection) => {
            Rows::of(&selection).fill(snapshot, selection.order, &mut found).await?;
        }
        QueryRows::Named(selection, prefix, after) => {
            named(snapshot, &selection, prefix, after, &mut found).await?;
        }
        QueryRows::Found(text) => return find(snapshot, text, limit).await,
        QueryRows::StockDays { medicine, period, after } => {
            stock_days(medicine, period, after).fill(snapshot, "medicine_key, day", &mut found).await?;
        }
        QueryRows::All(after) => all(snapshot, after, &mut found).await?,
    }
    Ok(found.finish())
}

/// Returns the days of a period and, for each medicine, its last day before the period. It steps from one medicine to
/// the next, so that it reads no earlier day but that one.
fn stock_days(medicine: Option<&MedicineKey>, (from, to): (Date, Date), after: Option<&(MedicineKey, Date)>) -> Rows {
    let with = "WITH RECURSIVE medicines (medicine) AS ( \
             SELECT pg_catalog.min(medicine_key) FROM stock_day WHERE medicine_key >= coalesce($1::text, $3::text, '') \
             UNION ALL \
             SELECT (SELECT pg_catalog.min(medicine_key) FROM stock_day WHERE medicine_key > medicines.medicine) FROM \
             medicines WHERE medicines.medicine IS NOT NULL AND $1::text IS NULL \
         ), spans (medicine_key, first) AS MATERIALIZED ( \
             SELECT medicine, coalesce( \
                 (SELECT pg_catalog.max(day) FROM stock_day WHERE medicine_key = medicines.medicine AND day < \
                 $2::int4), $2::int4) \
             FROM medicines WHERE medicine = coalesce($1::text, medicine) \
         )";
    let first = after.map(|(key, _)| key.as_str());
    let values = vec![medicine.map(MedicineKey::as_str).into(), from.unix_days().into(), first.into()];
    let rows = Rows::joined(kind(RecordKind::StockDay), with, "JOIN spans USING (medicine_key)", values);
    let rows = rows.only("day >= first").compared("day", "<=", [to.unix_days()]);
    match after {
        Some(after) => rows.compared("medicine_key, day", ">", after.values()),
        None => rows,
    }
}

/// Reads the first records after a key, until the portion is full.
pub(crate) async fn all(
    snapshot: &mut Snapshot<'_>,
    after: Option<&RecordKey>,
    found: &mut Found,
) -> Result<(), Fault> {
    let first = after.map_or(0, |key| RecordKind::of(key) as usize);
    for (number, kind) in KINDS.iter().enumerate().skip(first) {
        if found.wanted() == 0 {
            break;
        }
        let after = after.filter(|_| number == first);
        if kind.name == RecordKind::Counter {
            counters(snapshot, after, found).await?;
            continue;
        }
        let rows = Rows::whole(kind);
        let rows = match after {
            Some(key) => rows.compared(&kind.sql.key, ">", key_cells(key)),
            None => rows,
        };
        rows.fill(snapshot, &kind.sql.key, found).await?;
    }
    Ok(())
}

/// Lists the counters, one for each series, in the series' own order.
async fn counters(snapshot: &mut Snapshot<'_>, after: Option<&RecordKey>, found: &mut Found) -> Result<(), Fault> {
    let kind = kind(RecordKind::Counter);
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
    use care_core::{
        model::{InvoiceId, InvoiceState, PatientId},
        store::InvoiceFilter,
    };

    use super::*;

    #[test]
    fn what_a_client_sent_is_bound() {
        let filter = InvoiceFilter {
            patient_id: Some(PatientId::FIRST),
            state: Some(InvoiceState::Unpaid),
            ..InvoiceFilter::default()
        };
        let query = Query::Invoices { filter, after: Some(InvoiceId::FIRST) };
        let QueryRows::Selected(selection) = QueryRows::of(&query) else { panic!("{query:?}") };
        let text = format!("{:?}", Rows::of(&selection));
        assert!(text.contains("WHERE invoice_id > $1 AND patient_id = $2 AND state = 'unpaid'"), "{text}");
    }
}
