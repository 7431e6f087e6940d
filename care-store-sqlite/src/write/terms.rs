//! The rows of patients, each with the rows of its terms.

use care_core::{
    model::{Patient, PatientId, find_terms},
    store::{Entity, Record, Versioned},
};
use rusqlite::{Connection, params};

use crate::base::{
    error::Fault,
    records::{keyed, put, remove, update},
};

const ADD: &str = "INSERT INTO patient_term (term, patient_id) VALUES (?, ?)";
const REMOVE: &str = "DELETE FROM patient_term WHERE term = ? AND patient_id = ?";

/// Adds the row of a patient, or replaces it, and the rows of the terms that are new.
pub(crate) fn put_patient(conn: &Connection, version: i64, patient: &Patient, is_there: bool) -> Result<(), Fault> {
    // The terms follow from indexed columns, so a row whose indexed columns keep their values keeps its terms.
    if is_there && update(conn, version, patient)? {
        return Ok(());
    }
    let (old, new) = (stored(conn, patient.patient_id)?, find_terms(patient));
    put(conn, version, patient, false)?;
    write(conn, REMOVE, patient.patient_id, old.iter().filter(|term| !new.contains(term)))?;
    write(conn, ADD, patient.patient_id, new.iter().filter(|term| !old.contains(term)))
}

/// Removes the row of a patient and those of its terms, if they are there.
pub(crate) fn remove_patient(conn: &Connection, id: PatientId) -> Result<(), Fault> {
    let old = stored(conn, id)?;
    write(conn, REMOVE, id, &old)?;
    remove::<Patient>(conn, &id)
}

/// Returns the terms of the patient that is stored.
fn stored(conn: &Connection, id: PatientId) -> Result<Vec<String>, Fault> {
    let found = keyed::<Patient>(conn, &id)?;
    let patient = found.as_ref().and_then(|Versioned { record, .. }: &Versioned<Record>| Patient::from_record(record));
    Ok(patient.map(find_terms).unwrap_or_default())
}

fn write<'t>(
    conn: &Connection,
    sql: &str,
    id: PatientId,
    terms: impl IntoIterator<Item = &'t String>,
) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(sql)?;
    for term in terms {
        statement.execute(params![term, id.value()])?;
    }
    Ok(())
}
