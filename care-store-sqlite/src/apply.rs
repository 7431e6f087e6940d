//! Writing the changes of a decision.

use care_core::{
    model::{Consultation, Demand, History, Invoice, Item, Patient, Prescription, Usage},
    store::{Change, Counter, Record, RecordKey, Reply, ReplyKey, Voided},
};
use rusqlite::{Connection, Params, params};

use crate::{
    error::Fault,
    records::{Stored, put},
};

/// Applies one change; `version` is the `seq` of the entry that it belongs to.
pub(crate) fn apply(conn: &Connection, version: i64, change: &Change) -> Result<(), Fault> {
    match change {
        Change::Put(record) => match record {
            Record::Patient(record) => put(conn, version, record),
            Record::Voided(record) => put(conn, version, record),
            Record::History(record) => put(conn, version, record),
            Record::Consultation(record) => put(conn, version, record),
            Record::Prescription(record) => put(conn, version, record),
            Record::Invoice(record) => put(conn, version, record),
            Record::Item(record) => put(conn, version, record),
            Record::Demand(record) => put(conn, version, record),
            Record::Usage(record) => put(conn, version, record),
            Record::Counter(record) => put(conn, version, record),
            Record::Reply(record) => put(conn, version, record),
        },
        Change::Remove(key) => match key {
            RecordKey::Patient(id) => remove::<Patient>(conn, [id.value()]),
            RecordKey::Voided(id) => remove::<Voided>(conn, [id.value()]),
            RecordKey::History(id) => remove::<History>(conn, [id.value()]),
            RecordKey::Consultation(id) => remove::<Consultation>(conn, [id.value()]),
            RecordKey::Prescription(id) => remove::<Prescription>(conn, [id.value()]),
            RecordKey::Invoice(id) => remove::<Invoice>(conn, [id.value()]),
            RecordKey::Item(key) => remove::<Item>(conn, [key.as_str()]),
            RecordKey::Demand(day, key) => remove::<Demand>(conn, params![day.unix_days(), key.as_str()]),
            RecordKey::Usage(key) => remove::<Usage>(conn, [key.as_str()]),
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
