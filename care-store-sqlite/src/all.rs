//! Every record of every kind, in the order of their keys.

use care_core::{
    model::{
        Consultation, Demand, Diagnosis, Dispensing, History, Invoice, Item, Movement, Patient, Prescription, Stock,
        StockDay, Usage,
    },
    store::{Counter, RecordKey, Reply, ReplyKey, Voided},
};
use rusqlite::{Connection, params_from_iter, types::Value};

use crate::{
    error::Fault,
    list::Found,
    records::{Stored, fill, many},
    selection::rows,
};

type Fetch = fn(&Connection, Option<&RecordKey>, &mut Found) -> Result<(), Fault>;

/// How the first records of each kind above a key are found, in the order of [`kind`].
const KINDS: [Fetch; 16] = [
    table::<Patient>,
    table::<Voided>,
    table::<History>,
    table::<Consultation>,
    table::<Diagnosis>,
    table::<Prescription>,
    table::<Invoice>,
    table::<Item>,
    table::<Demand>,
    table::<Usage>,
    table::<Stock>,
    table::<Movement>,
    table::<StockDay>,
    table::<Dispensing>,
    counters,
    table::<Reply>,
];

/// The first records above a key, as far as the portion takes them.
pub(crate) fn all(conn: &Connection, after: Option<&RecordKey>, found: &mut Found) -> Result<(), Fault> {
    let first = after.map_or(0, |key| kind(key).0);
    for (number, fetch) in KINDS.iter().enumerate().skip(first) {
        if found.wanted() == 0 {
            break;
        }
        fetch(conn, after.filter(|_| number == first), found)?;
    }
    Ok(())
}

/// Which kind of record a key names, and the values of its table's key.
fn kind(key: &RecordKey) -> (usize, Vec<Value>) {
    let number = |kind, number: i64| (kind, vec![number.into()]);
    let text = |kind, text: &str| (kind, vec![text.to_owned().into()]);
    match key {
        RecordKey::Patient(id) => number(0, id.value()),
        RecordKey::Voided(id) => number(1, id.value()),
        RecordKey::History(id) => number(2, id.value()),
        RecordKey::Consultation(id) => number(3, id.value()),
        RecordKey::Diagnosis(id) => number(4, id.value()),
        RecordKey::Prescription(id) => number(5, id.value()),
        RecordKey::Invoice(id) => number(6, id.value()),
        RecordKey::Item(key) => text(7, key.as_str()),
        RecordKey::Demand(day, key) => (8, vec![day.unix_days().into(), key.as_str().to_owned().into()]),
        RecordKey::Usage(key) => text(9, key.as_str()),
        RecordKey::Stock(key) => text(10, key.as_str()),
        RecordKey::Movement(id) => number(11, id.value()),
        RecordKey::StockDay(key, day) => (12, vec![key.as_str().to_owned().into(), day.unix_days().into()]),
        RecordKey::Dispensing(id) => number(13, id.value()),
        RecordKey::Counter(series) => text(14, series.as_str()),
        RecordKey::Reply(ReplyKey { actor, key }) => (15, vec![actor.to_string().into(), key.to_string().into()]),
    }
}

fn table<E: Stored>(conn: &Connection, after: Option<&RecordKey>, found: &mut Found) -> Result<(), Fault> {
    let (select, key) = (E::TABLE.select, E::TABLE.key);
    let mut values = after.map_or_else(Vec::new, |key| kind(key).1);
    let above = match values.len() {
        0 => String::new(),
        1 => format!("WHERE {key} > ?"),
        _ => format!("WHERE ({key}) > (?, ?)"),
    };
    values.push(rows(found.wanted()).into());
    let sql = format!("{select} {above} ORDER BY {key} LIMIT ?");
    fill::<E>(conn, &sql, params_from_iter(values), found)
}

/// There is one for each series, and the series have an order of their own.
fn counters(conn: &Connection, after: Option<&RecordKey>, found: &mut Found) -> Result<(), Fault> {
    let mut counters = many::<Counter>(conn, Counter::TABLE.select, [])?;
    counters.retain(|found| after.is_none_or(|after| found.record.key() > *after));
    counters.sort_by_key(|found| found.record.key());
    for counter in counters {
        if !found.takes(size_of::<Counter>()) {
            break;
        }
        found.push(counter);
    }
    Ok(())
}
