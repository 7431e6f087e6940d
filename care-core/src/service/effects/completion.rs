//! The end of a consultation, which is counted as a visit.

use super::history;
use crate::{
    model::{Consultation, ConsultationId, ConsultationState, Patient, Prescription},
    service::base::draft::Draft,
    store::{Key, RecordKey, Stop},
};

/// Removes a withdrawn prescription from its consultation. An open one completes when its last prescription goes, and
/// one that was made for the prescription is removed with it.
pub(crate) fn without(draft: &mut Draft<'_>, prescription: &Prescription) -> Result<(), Stop> {
    let id = prescription.consultation_id;
    let mut consultation = draft.required::<Consultation>(id)?;
    consultation.prescription_ids.retain(|id| *id != prescription.prescription_id);
    let last_open = consultation.prescription_ids.is_empty() && consultation.state == ConsultationState::Open;
    match (last_open, consultation.implicit) {
        (true, true) => draft.remove(RecordKey::Consultation(id)),
        (true, false) => complete(draft, &mut consultation)?,
        (false, _) => draft.put(consultation),
    }
    Ok(())
}

/// Completes the consultation of a paid prescription, unless it is completed already.
pub(crate) fn paid(draft: &mut Draft<'_>, id: ConsultationId) -> Result<(), Stop> {
    complete(draft, &mut draft.required(id)?)
}

/// Completes a consultation, unless it is completed already: one visit more, `lastvisit` moved forward, its diseases
/// added.
pub(crate) fn complete(draft: &mut Draft<'_>, consultation: &mut Consultation) -> Result<(), Stop> {
    if consultation.state == ConsultationState::Completed {
        return Ok(());
    }
    let (id, patient_id) = (consultation.consultation_id, consultation.patient_id);
    let records = [RecordKey::Patient(patient_id), RecordKey::History(patient_id), RecordKey::Diagnosis(id)];
    draft.need(records.map(Key::Record))?;
    let mut patient = draft.required::<Patient>(patient_id)?;
    history::count_visit(draft, id, patient_id, consultation.date)?;
    patient.lastvisit = patient.lastvisit.max(Some(consultation.date));
    consultation.state = ConsultationState::Completed;
    draft.put(consultation.clone());
    draft.put(patient);
    Ok(())
}
