//! Lists: the statement of each query. Patients are filtered by name and sorted by number.

use care_core::{
    model::{Date, MedicineKey, NamePrefix},
    store::{
        Datum, Filling, Limit, Portion, Query, Record, RecordKey, RecordKind, Rows, Selection, Versioned,
        rows::RowReader,
        sql::{FEW_NAMES, Statement, WALK},
    },
};

use super::terms::find;
use crate::{
    base::{
        cells::{Cell, Cells},
        error::Fault,
        statements::{read, sql},
    },
    connect::{pool::Snapshot, session::Request},
};

/// The portion that a list is read into.
type Listed = Filling<Versioned<Record>>;

/// Returns the statement that selects the rows of a selection.
pub(crate) fn selecting(selection: &Selection) -> Statement {
    Statement::new(&*sql(selection.kind).select).of(selection)
}

/// Returns a statement with its values as a request.
pub(crate) fn request(Statement { sql, values, .. }: Statement) -> Request {
    Request::new(sql, values.into_iter().map(Cell::from))
}

/// Reads the first rows of a kind until the portion is full. A row that does not fit is not read.
async fn fill(
    snapshot: &mut Snapshot<'_>,
    kind: RecordKind,
    statement: Statement,
    portion: &mut Listed,
) -> Result<(), Fault> {
    let request = request(statement.limited(portion.wanted()));
    let mut found = snapshot.stream(&request).await?;
    while let Some(row) = found.next().await? {
        if !portion.takes(row.raw_size_bytes()) {
            break;
        }
        portion.push(read(kind, &row)?);
    }
    Ok(())
}

/// Reads the first records of a query, in its order, as many as the limit allows.
pub(crate) async fn list(
    snapshot: &mut Snapshot<'_>,
    query: &Query,
    limit: Limit,
) -> Result<Portion<Versioned<Record>>, Fault> {
    let mut found = Filling::new(limit);
    match query {
        Query::Rows(rows) => {
            let kind = rows.selection.kind;
            let statement = Statement::new(&*sql(kind).select).of_rows(rows).ordered(&rows.selection);
            fill(snapshot, kind, statement, &mut found).await?;
        }
        Query::Named(rows, prefix) => named(snapshot, rows, prefix, &mut found).await?,
        Query::Found(text) => return find(snapshot, text, limit).await,
        Query::DemandOf { medicine, from, to } => {
            let kind = RecordKind::Demand;
            let of_it = Statement::new(&*sql(kind).select).compared("medicine_key", "=", [medicine.as_str()]);
            let days = of_it.compared("day", ">=", [from.unix_days()]).compared("day", "<=", [to.unix_days()]);
            fill(snapshot, kind, days.ending(" ORDER BY day"), &mut found).await?;
        }
        Query::StockDays { medicine, from, to, after } => {
            let days = stock_days(medicine.as_ref(), (*from, *to), after.as_ref());
            let sorted = days.ending(" ORDER BY medicine_key, day");
            fill(snapshot, RecordKind::StockDay, sorted, &mut found).await?;
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
    let start = format!("{with} {} JOIN spans USING (medicine_key)", sql(RecordKind::StockDay).select);
    let rows = Statement::with_values(start, vec![only, from.unix_days().into(), first]);
    let rows = rows.only("day >= first").compared("day", "<=", [to.unix_days()]);
    match after {
        Some(after) => rows.keyed(">", &RecordKey::StockDay(after.clone())),
        None => rows,
    }
}

/// Reads the first records after a key, until the portion is full.
async fn all(snapshot: &mut Snapshot<'_>, after: Option<&RecordKey>, found: &mut Listed) -> Result<(), Fault> {
    let first = after.map_or(RecordKind::Patient, RecordKind::of);
    for kind in RecordKind::ALL.iter().copied().filter(|kind| *kind >= first) {
        if found.wanted() == 0 {
            break;
        }
        let after = after.filter(|_| kind == first);
        if kind == RecordKind::Counter {
            counters(snapshot, after, found).await?;
            continue;
        }
        let rows = Statement::new(&*sql(kind).select);
        let rows = match after {
            Some(key) => rows.keyed(">", key),
            None => rows,
        };
        fill(snapshot, kind, rows.ending(&format!(" ORDER BY {}", sql(kind).key)), found).await?;
    }
    Ok(())
}

/// Lists the counters, one for each series, in the series' own order.
async fn counters(snapshot: &mut Snapshot<'_>, after: Option<&RecordKey>, found: &mut Listed) -> Result<(), Fault> {
    let kind = RecordKind::Counter;
    let rows = snapshot.query(Request::new(&*sql(kind).select, [])).await?;
    let mut counters = rows.iter().map(|row| read(kind, row)).collect::<Result<Vec<_>, _>>()?;
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

/// Reads the first patients of a selection whose names have a prefix, until the portion is full.
///
/// If the prefix is rare, their names are found in the index and sorted by number; if it is common, walking the numbers
/// soon meets enough of them. Where it does not (the patients were entered by name, say), the names are searched after
/// all: that costs a step for each matching name, but never one for every patient.
async fn named(snapshot: &mut Snapshot<'_>, rows: &Rows, prefix: &NamePrefix, found: &mut Listed) -> Result<(), Fault> {
    // The patients that an index finds are few. Those with another term may be most of them.
    if rows.selection.index.is_some() {
        return by_number(snapshot, of_any_name(rows).beginning("folded_name", prefix), found).await;
    }
    let after = rows.first_patient()?;
    let count = format!("SELECT pg_catalog.count(*) <= {FEW_NAMES} FROM (SELECT FROM patient");
    let are_few = above(&count, prefix, after).ending(&format!(" LIMIT {FEW_NAMES} + 1) AS named"));
    let answer = snapshot.query(request(are_few)).await?;
    if Cells::first("patient", &answer)?.get::<bool>()? {
        return by_number(snapshot, by_name(rows, prefix, after), found).await;
    }
    let walked = after.saturating_add(WALK);
    by_number(snapshot, walk(rows, prefix, walked), found).await?;
    match found.wanted() {
        0 => Ok(()),
        _ => by_number(snapshot, by_name(rows, prefix, walked), found).await,
    }
}

/// Selects the patients of a list, without a condition on their names.
fn of_any_name(rows: &Rows) -> Statement {
    Statement::new(&*sql(RecordKind::Patient).select).of_rows(rows)
}

/// Reads the patients that a statement finds, by number.
async fn by_number(snapshot: &mut Snapshot<'_>, statement: Statement, found: &mut Listed) -> Result<(), Fault> {
    fill(snapshot, RecordKind::Patient, statement.ending(" ORDER BY patient_id"), found).await
}

/// Selects the rows up to a number, without the index on names.
fn walk(rows: &Rows, prefix: &NamePrefix, walked: i64) -> Statement {
    // Appending the empty text to the name keeps the planner from using the index on names.
    of_any_name(rows).compared("patient_id", "<=", [walked]).beginning("(folded_name || ''::text)", prefix)
}

/// Selects the names with a prefix of the patients above a number, after this beginning.
fn above(start: &str, prefix: &NamePrefix, after: i64) -> Statement {
    Statement::new(start).beginning("folded_name", prefix).compared("patient_id", ">", [after])
}

/// Selects the rows above a number by the index on names.
fn by_name(rows: &Rows, prefix: &NamePrefix, after: i64) -> Statement {
    // The page's numbers are chosen from the index alone, so that only the page's rows are read.
    let with = above("WITH named AS MATERIALIZED (SELECT patient_id FROM patient", prefix, after);
    let select = &sql(RecordKind::Patient).select;
    let named = with.ending(&format!(") {select} JOIN named USING (patient_id)"));
    Statement::with_values(named.sql, named.values).of(&rows.selection)
}

#[cfg(test)]
mod tests {
    use care_core::{
        model::{Invoice, InvoiceId, InvoiceState, Patient, PatientId},
        store::{Comparison, InvoiceFilter, PatientFilter, Term},
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

    #[test]
    fn every_term_counts_whatever_the_patients_are_found_by() {
        let filter = PatientFilter { name_prefix: Some(NamePrefix::new("ada")), ..PatientFilter::default() };
        let Query::Named(rows, prefix) = Patient::list(&filter, Some(PatientId::FIRST)).into() else { panic!() };
        let age = Term::Compared("age", Comparison::Equal, Datum::from(30));
        let rows = Rows { selection: rows.selection.and(age).and(Term::Null("gender")), ..rows };
        for statement in [walk(&rows, &prefix, 7), by_name(&rows, &prefix, 7)] {
            let sql = statement.sql;
            assert!(sql.contains("age = $") && sql.contains("gender IS NULL"), "{sql}");
        }
    }
}
