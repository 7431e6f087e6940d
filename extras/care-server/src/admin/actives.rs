//! The active prescriptions after the entries of a journal. A patient has at most one of a medicine.

use std::collections::HashMap;

use care_core::{
    model::{MedicineKey, PatientId, PrescriptionId},
    store::{Change, Entry, Record, RecordKey},
};

/// The active prescriptions after the entries that were read.
#[derive(Debug, Default)]
pub(super) struct Actives {
    of: HashMap<(PatientId, MedicineKey), PrescriptionId>,
    places: HashMap<PrescriptionId, (PatientId, MedicineKey)>,
}

impl Actives {
    /// Reads the next entry, and returns whether each patient has at most one active prescription of a medicine then.
    pub(super) fn enter(&mut self, entry: &Entry) -> bool {
        let changes = || entry.revisions.iter().map(|revision| &revision.change);
        // One prescription may take the place of another in the same entry.
        for change in changes() {
            if let RecordKey::Prescription(id) = change.key()
                && let Some(place) = self.places.remove(&id)
            {
                self.of.remove(&place);
            }
        }
        let mut is_sound = true;
        for change in changes() {
            if let Change::Put(Record::Prescription(prescription)) = change
                && prescription.is_active()
            {
                let (id, place) =
                    (prescription.prescription_id, (prescription.patient_id, prescription.medicine.key().clone()));
                is_sound &= self.of.insert(place.clone(), id).is_none();
                self.places.insert(id, place);
            }
        }
        is_sound
    }
}
