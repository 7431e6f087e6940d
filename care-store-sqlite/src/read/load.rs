//! The query of each key.

use care_core::{
    model::{Consultation, Diagnosis, Invoice, Item, Movement, OpenLot, PatientId, Prescription, Stock},
    store::{Counter, Key, Lookup, Record, RecordKey, Reply, RequestKey, Seq, Series, Versioned, kinds},
};
use rusqlite::{Connection, Params, params};

use crate::base::{
    error::Fault,
    records::{Stored, keyed, many, one},
    selection::rows,
};

/// Answers a key from the transaction that the connection is in, of several records no more than there is room for.
pub(crate) fn load(conn: &Connection, key: &Key, room: usize) -> Result<Lookup, Fault> {
    Ok(match key {
        Key::Record(key) => record(conn, key)?.into(),
        Key::ActivePrescription(patient, medicine) => selected::<Prescription>(
            conn,
            "INDEXED BY prescription_active WHERE patient_id = ? AND medicine_key = ? AND state = 'active'",
            params![patient.value(), medicine.as_str()],
        )?,
        Key::NewestPrescription(patient, medicine) => selected::<Prescription>(
            conn,
            "INDEXED BY prescription_by_patient WHERE patient_id = ? AND medicine_key = ? \
             ORDER BY prescription_id DESC LIMIT 1",
            params![patient.value(), medicine.as_str()],
        )?,
        Key::ActivePrescriptions(patient) => Lookup::Count(count(
            conn,
            "SELECT count(*) FROM prescription INDEXED BY prescription_active \
             WHERE patient_id = ? AND state = 'active'",
            [patient.value()],
        )?),
        Key::PrescriptionsOf(patient) => {
            all_of::<Prescription>(conn, ("prescription_of_patient", "prescription_id"), *patient, room)?
        }
        Key::ConsultationsOf(patient) => {
            all_of::<Consultation>(conn, ("consultation_by_patient", "consultation_id"), *patient, room)?
        }
        Key::DiagnosesOf(patient) => {
            all_of::<Diagnosis>(conn, ("diagnosis_by_patient", "consultation_id"), *patient, room)?
        }
        Key::UnpaidInvoice(prescription) => selected::<Invoice>(
            conn,
            "INDEXED BY invoice_unpaid WHERE prescription_id = ? AND state = 'unpaid'",
            [prescription.value()],
        )?,
        Key::UnpaidInvoiceOf(patient) => selected::<Invoice>(
            conn,
            "INDEXED BY invoice_unpaid_by_patient WHERE patient_id = ? AND state = 'unpaid' \
             ORDER BY invoice_id LIMIT 1",
            [patient.value()],
        )?,
        Key::StockOrItem(medicine) => match keyed::<Stock>(conn, medicine)? {
            None => keyed::<Item>(conn, medicine)?.into(),
            stock => stock.into(),
        },
        Key::OpenLots(medicine) => {
            let sql = format!("{} WHERE medicine_key = ? ORDER BY expires, lot LIMIT ?", OpenLot::sql().select);
            let lots = many::<OpenLot>(conn, &sql, params![medicine.as_str(), rows(room.saturating_add(1))])?;
            if lots.len() > room { Lookup::TooMany } else { lots.into() }
        }
        Key::ReversalOf(movement) => {
            selected::<Movement>(conn, "INDEXED BY movement_reversal WHERE reverses = ?", [movement.value()])?
        }
        Key::FreePatientNumber(after) => free_patient_number(conn, *after)?.into(),
        Key::ReplyTo(RequestKey { actor, key }) => {
            selected::<Reply>(conn, "INDEXED BY reply_to WHERE actor = ? AND key = ?", [actor, key])?
        }
        Key::RepliesBefore(instant) => {
            let condition = "INDEXED BY reply_by_age WHERE at < ? ORDER BY at, reply_id LIMIT 2";
            let sql = format!("{} {condition}", Reply::sql().select);
            many::<Reply>(conn, &sql, [instant.unix_millis()])?.into()
        }
    })
}

fn record(conn: &Connection, key: &RecordKey) -> Result<Option<Versioned<Record>>, Fault> {
    macro_rules! by_kind {
        ($($kind:ident)*) => {
            match key {
                $(RecordKey::$kind(id) => keyed::<kinds::$kind>(conn, id),)*
            }
        };
    }
    care_core::record_kinds!(by_kind)
}

/// Returns the only record that meets a condition.
fn selected<E: Stored>(conn: &Connection, condition: &str, params: impl Params) -> Result<Lookup, Fault> {
    let sql = format!("{} {condition}", E::sql().select);
    Ok(one::<E>(conn, &sql, params)?.into())
}

/// Returns all records of a patient, which this index has together, in the order of this column. It counts records that
/// are more than there is room for, and does not read them.
fn all_of<E: Stored>(
    conn: &Connection,
    (index, order): (&str, &str),
    patient: PatientId,
    room: usize,
) -> Result<Lookup, Fault> {
    let (name, select) = (E::TABLE.name, &E::sql().select);
    let counted =
        format!("SELECT count(*) FROM (SELECT 1 FROM {name} INDEXED BY {index} WHERE patient_id = ?1 LIMIT ?2)");
    let most = rows(room.saturating_add(1));
    if count(conn, &counted, params![patient.value(), most])? > room as u64 {
        return Ok(Lookup::TooMany);
    }
    let sql = format!("{select} INDEXED BY {index} WHERE patient_id = ? ORDER BY {order}");
    Ok(many::<E>(conn, &sql, [patient.value()])?.into())
}

/// Returns the number that a query yields.
fn count(conn: &Connection, sql: &str, params: impl Params) -> Result<u64, Fault> {
    let count: i64 = conn.prepare_cached(sql)?.query_row(params, |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// Walks the used numbers above `after` up to the first gap, which usually takes no step.
fn free_patient_number(conn: &Connection, after: i64) -> Result<Option<Versioned<Record>>, Fault> {
    let mut statement = conn.prepare_cached(
        "SELECT patient_id FROM patient WHERE patient_id > ?1 \
         UNION ALL SELECT patient_id FROM voided WHERE patient_id > ?1 ORDER BY 1",
    )?;
    let mut used = statement.query([after])?;
    let mut free = after.checked_add(1);
    while let (Some(row), Some(number)) = (used.next()?, free) {
        match row.get::<_, i64>(0)? {
            id if id < number => {}
            id if id == number => free = number.checked_add(1),
            _ => break,
        }
    }
    Ok(free
        .filter(|number| PatientId::try_from(*number).is_ok())
        .map(|last| Versioned { version: Seq::ZERO, record: Counter { series: Series::Patient, last }.into() }))
}
