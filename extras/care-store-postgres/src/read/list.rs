//! Lists: the statement of each query.

use care_core::{
    model::{Date, MedicineKey},
    store::{Datum, Filling, Limit, Portion, Query, Record, RecordKey, RecordKind, Versioned, sql::Statement},
};

use super::{
    patients::named,
    selection::{Found, fill},
    terms::find,
};
use crate::{
    base::{
        error::Fault,
        records::{KINDS, kind},
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
    match query {
        Query::Rows(rows) => {
            let kind = kind(rows.selection.kind);
            let statement = Statement::new(&*kind.sql.select).of_rows(rows).ordered(&rows.selection);
            fill(snapshot, kind, statement, &mut found).await?;
        }
        Query::Named(rows, prefix) => named(snapshot, rows, prefix, &mut found).await?,
        Query::Found(text) => return find(snapshot, text, limit).await,
        Query::DemandOf { medicine, from, to } => {
            let kind = kind(RecordKind::Demand);
            let of_it = Statement::new(&*kind.sql.select).compared("medicine_key", "=", [medicine.as_str()]);
            let days = of_it.compared("day", ">=", [from.unix_days()]).compared("day", "<=", [to.unix_days()]);
            fill(snapshot, kind, days.ending(" ORDER BY day"), &mut found).await?;
        }
        Query::StockDays { medicine, from, to, after } => {
            let days = stock_days(medicine.as_ref(), (*from, *to), after.as_ref());
            let sorted = days.ending(" ORDER BY medicine_key, day");
            fill(snapshot, kind(RecordKind::StockDay), sorted, &mut found).await?;
        }
        Query::All { after } => all(snapshot, after.as_ref(), &mut found).await?,
    }
    Ok(found.finish())
}

/// Selects the days of a period and, for each medicine, its last day before the period. It steps from one medicine to
/// the next, so that it reads no earlier day but that one. The empty text, which no medicine has, means none.
fn stock_days(
    medicine: Option<&MedicineKey>,
    (from, to): (Date, Date),
    after: Option<&(MedicineKey, Date)>,
) -> Statement {
    let with = "WITH RECURSIVE medicines (medicine) AS ( \
             SELECT pg_catalog.min(medicine_key) FROM stock_day \
             WHERE medicine_key >= coalesce(nullif($1::text, ''), $3::text) \
             UNION ALL \
             SELECT (SELECT pg_catalog.min(medicine_key) FROM stock_day WHERE medicine_key > medicines.medicine) FROM \
             medicines WHERE medicines.medicine IS NOT NULL AND $1::text = '' \
         ), spans (medicine_key, first) AS MATERIALIZED ( \
             SELECT medicine, coalesce( \
                 (SELECT pg_catalog.max(day) FROM stock_day WHERE medicine_key = medicines.medicine AND day < \
                 $2::int4), $2::int4) \
             FROM medicines WHERE medicine = coalesce(nullif($1::text, ''), medicine) \
         )";
    let [only, first] =
        [medicine, after.map(|(key, _)| key)].map(|key| Datum::from(key.map_or("", MedicineKey::as_str)));
    let start = format!("{with} {} JOIN spans USING (medicine_key)", kind(RecordKind::StockDay).sql.select);
    let rows = Statement::with_values(start, vec![only, from.unix_days().into(), first]);
    let rows = rows.only("day >= first").compared("day", "<=", [to.unix_days()]);
    match after {
        Some(after) => rows.keyed(">", &RecordKey::StockDay(after.clone())),
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
        let rows = Statement::new(&*kind.sql.select);
        let rows = match after {
            Some(key) => rows.keyed(">", key),
            None => rows,
        };
        fill(snapshot, kind, rows.ending(&format!(" ORDER BY {}", kind.sql.key)), found).await?;
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
        model::{Invoice, InvoiceId, InvoiceState, PatientId},
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
        let Query::Rows(rows) = Invoice::list(&filter, Some(InvoiceId::FIRST)).into() else { panic!() };
        let sql = Statement::new("SELECT").of_rows(&rows).ordered(&rows.selection).sql;
        assert_eq!(sql, "SELECT WHERE patient_id = $1 AND state = 'unpaid' AND invoice_id > $2 ORDER BY invoice_id");
    }
}
