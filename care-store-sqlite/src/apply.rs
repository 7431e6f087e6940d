//! Writing the changes of a decision, and its entry.

use std::iter;

use care_core::{
    model::{
        Consultation, Demand, Diagnosis, Dispensing, History, Invoice, Item, Movement, Patient, Prescription, Stock,
        StockDay, Timestamp, Usage,
    },
    store::{Change, Counter, Record, RecordKey, Reply, ReplyKey, Seq, Voided},
};
use rusqlite::{Connection, Params, params};

use crate::{
    error::Fault,
    journal,
    records::{Stored, put},
};

/// Applies the changes of an entry in their order, and appends it to the journal.
pub(crate) fn apply(
    conn: &Connection,
    seq: i64,
    at: Timestamp,
    who: (&str, &str),
    (changes, replaced): (&[Change], &[Seq]),
) -> Result<(), Fault> {
    // What is replaced only makes it faster. Entries of files from before it was noted have none of it.
    let noted = replaced.iter().chain(iter::repeat(&Seq::ZERO));
    changes
        .iter()
        .zip(noted)
        .try_for_each(|(change, replaced)| apply_one(conn, seq, change, *replaced != Seq::ZERO))?;
    journal::append(conn, seq, at, who, (changes, replaced))
}

/// Applies one change. That its record is there only makes it faster.
pub(crate) fn apply_one(conn: &Connection, version: i64, change: &Change, is_there: bool) -> Result<(), Fault> {
    match change {
        Change::Put(record) => match record {
            Record::Patient(record) => put(conn, version, record, is_there),
            Record::Voided(record) => put(conn, version, record, is_there),
            Record::History(record) => put(conn, version, record, is_there),
            Record::Consultation(record) => put(conn, version, record, is_there),
            Record::Diagnosis(record) => put(conn, version, record, is_there),
            Record::Prescription(record) => put(conn, version, record, is_there),
            Record::Invoice(record) => put(conn, version, record, is_there),
            Record::Item(record) => put(conn, version, record, is_there),
            Record::Demand(record) => put(conn, version, record, is_there),
            Record::Usage(record) => put(conn, version, record, is_there),
            Record::Stock(record) => put(conn, version, record, is_there),
            Record::Movement(record) => put(conn, version, record, is_there),
            Record::StockDay(record) => put(conn, version, record, is_there),
            Record::Dispensing(record) => put(conn, version, record, is_there),
            Record::Counter(record) => put(conn, version, record, is_there),
            Record::Reply(record) => put(conn, version, record, is_there),
        },
        Change::Remove(key) => match key {
            RecordKey::Patient(id) => remove::<Patient>(conn, [id.value()]),
            RecordKey::Voided(id) => remove::<Voided>(conn, [id.value()]),
            RecordKey::History(id) => remove::<History>(conn, [id.value()]),
            RecordKey::Consultation(id) => remove::<Consultation>(conn, [id.value()]),
            RecordKey::Diagnosis(id) => remove::<Diagnosis>(conn, [id.value()]),
            RecordKey::Prescription(id) => remove::<Prescription>(conn, [id.value()]),
            RecordKey::Invoice(id) => remove::<Invoice>(conn, [id.value()]),
            RecordKey::Item(key) => remove::<Item>(conn, [key.as_str()]),
            RecordKey::Demand(day, key) => remove::<Demand>(conn, params![day.unix_days(), key.as_str()]),
            RecordKey::Usage(key) => remove::<Usage>(conn, [key.as_str()]),
            RecordKey::Stock(key) => remove::<Stock>(conn, [key.as_str()]),
            RecordKey::Movement(id) => remove::<Movement>(conn, [id.value()]),
            RecordKey::StockDay(key, day) => remove::<StockDay>(conn, params![key.as_str(), day.unix_days()]),
            RecordKey::Dispensing(id) => remove::<Dispensing>(conn, [id.value()]),
            RecordKey::Counter(series) => remove::<Counter>(conn, [series.as_str()]),
            RecordKey::Reply(ReplyKey { actor, key }) => remove::<Reply>(conn, params![actor, key]),
        },
        Change::Read(_) => Ok(()),
    }
}

fn remove<E: Stored>(conn: &Connection, key: impl Params) -> Result<(), Fault> {
    conn.prepare_cached(E::TABLE.remove)?.execute(key)?;
    Ok(())
}
