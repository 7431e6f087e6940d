//! What every key means, as a query.

use care_core::{
    model::{Consultation, Diagnosis, Invoice, Movement, PatientId, Prescription},
    store::{Counter, Found, Key, Record, RecordKey, Reply, Seq, Series, Versioned, kinds},
};
use rusqlite::{Connection, Params, params};

use crate::{
    error::Fault,
    records::{Stored, keyed, many, one},
};

/// Answers a key from the transaction that the connection is in.
pub(crate) fn load(conn: &Connection, key: &Key) -> Result<Found, Fault> {
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
        Key::ActivePrescriptions(patient) => Found::Count(count(
            conn,
            "SELECT count(*) FROM prescription INDEXED BY prescription_active \
             WHERE patient_id = ? AND state = 'active'",
            [patient.value()],
        )?),
        Key::PrescriptionsOf(patient) => all::<Prescription>(
            conn,
            "INDEXED BY prescription_by_patient WHERE patient_id = ? ORDER BY prescription_id",
            [patient.value()],
        )?,
        Key::ConsultationsOf(patient) => all::<Consultation>(
            conn,
            "INDEXED BY consultation_by_patient WHERE patient_id = ? ORDER BY consultation_id",
            [patient.value()],
        )?,
        Key::DiagnosesOf(patient) => all::<Diagnosis>(
            conn,
            "INDEXED BY diagnosis_by_patient WHERE patient_id = ? ORDER BY consultation_id",
            [patient.value()],
        )?,
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
        Key::ReversalOf(movement) => {
            selected::<Movement>(conn, "INDEXED BY movement_reversal WHERE reverses = ?", [movement.value()])?
        }
        Key::FreePatientNumber(after) => free_patient_number(conn, *after)?.into(),
        Key::RepliesBefore(instant) => all::<Reply>(
            conn,
            "INDEXED BY reply_by_age WHERE at < ? ORDER BY at, actor, key LIMIT 2",
            [instant.unix_millis()],
        )?,
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

/// The one record that a condition on a table means.
fn selected<E: Stored>(conn: &Connection, condition: &str, params: impl Params) -> Result<Found, Fault> {
    let sql = format!("{} {condition}", E::TABLE.select);
    Ok(one::<E>(conn, &sql, params)?.into())
}

/// All records that a condition on a table means.
fn all<E: Stored>(conn: &Connection, condition: &str, params: impl Params) -> Result<Found, Fault> {
    let sql = format!("{} {condition}", E::TABLE.select);
    Ok(many::<E>(conn, &sql, params)?.into())
}

/// The number that a query answers.
fn count(conn: &Connection, sql: &str, params: impl Params) -> Result<u64, Fault> {
    let count: i64 = conn.prepare_cached(sql)?.query_row(params, |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// Walks the numbers above `after` that are used, for as long as there is no gap: usually not one step.
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
