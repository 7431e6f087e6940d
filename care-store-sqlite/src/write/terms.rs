//! The rows of patients, each with the rows of its terms.

use care_core::{
    model::{Patient, PatientId, whole_terms},
    store::{Entity, Record, RecordKey, Seq},
};
use rusqlite::{Connection, params};

use crate::base::{
    error::Fault,
    records::{keyed, put, remove, update},
};

const ADD: &str = "INSERT INTO patient_term (term, patient_id) VALUES (?, ?)";
const REMOVE: &str = "DELETE FROM patient_term WHERE term = ? AND patient_id = ?";

/// Changes of terms that are still to be written. An import writes those of many patients in the order of the table, as
/// many as 32 MiB hold, so that each page is changed once.
#[derive(Debug, Default)]
pub(crate) struct TermChanges {
    changes: Vec<TermChange>,
    /// The bytes of memory that they take.
    bytes: usize,
}

/// A term of a patient, and whether its row is to be there.
type TermChange = (String, PatientId, bool);

impl TermChanges {
    /// Adds the row of a patient, or replaces it, and notes the terms that come and go.
    pub(crate) fn put_patient(
        &mut self,
        conn: &Connection,
        version: Seq,
        (record, patient): (&Record, &Patient),
        is_there: bool,
    ) -> Result<(), Fault> {
        // The terms follow from indexed columns, so a row whose indexed columns keep their values keeps its terms.
        if is_there && update(conn, version, record)? {
            return Ok(());
        }
        let (old, new) = (stored(conn, patient.patient_id)?, whole_terms(patient));
        put(conn, version, record, false)?;
        self.note(patient.patient_id, old.iter().filter(|term| !new.contains(term)).cloned(), false);
        self.note(patient.patient_id, new.into_iter().filter(|term| !old.contains(term)), true);
        Ok(())
    }

    /// Removes the row of a patient, if it is there, and notes that its terms go.
    pub(crate) fn remove_patient(&mut self, conn: &Connection, id: PatientId) -> Result<(), Fault> {
        self.note(id, stored(conn, id)?, false);
        remove(conn, &RecordKey::Patient(id))
    }

    fn note(&mut self, id: PatientId, terms: impl IntoIterator<Item = String>, is_there: bool) {
        for term in terms {
            self.bytes += size_of::<TermChange>() + term.len();
            self.changes.push((term, id, is_there));
        }
    }

    /// Returns whether they take all the memory that they may, and have to be written.
    pub(crate) const fn is_full(&self) -> bool {
        self.bytes >= 32 << 20
    }

    /// Writes the changes.
    pub(crate) fn write(&mut self, conn: &Connection) -> Result<(), Fault> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let (mut add, mut remove) = (conn.prepare_cached(ADD)?, conn.prepare_cached(REMOVE)?);
        // Changes of one row stay in their order.
        self.changes.sort_by(|(term, id, _), (other, other_id, _)| (term, id).cmp(&(other, other_id)));
        for (term, id, is_there) in self.changes.drain(..) {
            let statement = if is_there { &mut add } else { &mut remove };
            statement.execute(params![term, id.value()])?;
        }
        self.bytes = 0;
        Ok(())
    }
}

/// Returns the terms of the patient that is stored.
fn stored(conn: &Connection, id: PatientId) -> Result<Vec<String>, Fault> {
    let found = keyed(conn, &RecordKey::Patient(id))?;
    Ok(found.and_then(|found| Patient::from_record(&found.record).map(whole_terms)).unwrap_or_default())
}
