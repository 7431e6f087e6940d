//! Consultations.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{ConsultationId, Date, Disease, Invalid, PatientId, PrescriptionId, values::words::words};

/// A consultation as it is stored. Its diseases stand in a [`Diagnosis`], so that a change of its prescriptions does
/// not write them again. [`PatientConsultation`] is the answer made from both.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "consultation", key(consultation_id), moving(state))]
#[record(owner(patient = patient_id, on_void = remove))]
pub struct Consultation {
    /// Its identifier.
    pub consultation_id: ConsultationId,
    /// The patient.
    #[field(kept)]
    pub patient_id: PatientId,
    /// The day of the visit.
    #[field(kept)]
    pub date: Date,
    /// The prescriptions that were made in it and not withdrawn, in order.
    #[field(kept)]
    pub prescription_ids: Vec<PrescriptionId>,
    /// The state of the consultation.
    #[field(kept)]
    pub state: ConsultationState,
    /// Whether it was made for a single prescription. Such a consultation is removed with its prescription.
    #[field(kept)]
    pub implicit: bool,
}

/// The diseases diagnosed in a consultation. A consultation without diseases has no diagnosis.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "diagnosis", key(consultation_id), owner(patient = patient_id, on_void = remove))]
pub struct Diagnosis {
    /// The consultation.
    pub consultation_id: ConsultationId,
    /// The patient.
    #[field(kept)]
    pub patient_id: PatientId,
    /// The number of the visit among the patient's visits, from 1; `None` until the consultation is completed.
    #[field(kept)]
    pub visit: Option<u64>,
    /// The diseases, in order; 1 to 30.
    #[field(personal)]
    pub diseases: Vec<Disease>,
}

/// The diseases and prescriptions of one visit.
///
/// ```json
/// {"consultationId":1,"patientId":7,"date":"31/01/2026","diseases":["migraine"],"prescriptionIds":[1,2],"state":"open"}
/// ```
/// ```xml
/// <Consultation><consultationId>1</consultationId><patientId>7</patientId><date>31/01/2026</date>
///   <diseases>migraine</diseases><prescriptionIds>1</prescriptionIds><prescriptionIds>2</prescriptionIds>
///   <state>open</state></Consultation>
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Consultation", root = "Consultation", answered(consultations, consultation_id))]
pub struct PatientConsultation {
    /// Unique identifier of the consultation.
    pub consultation_id: ConsultationId,
    /// Unique identifier of the patient.
    pub patient_id: PatientId,
    /// The day of the visit.
    pub date: Date,
    /// The diagnosed diseases, in order.
    #[field(most = Consultation::MAX_DISEASES)]
    pub diseases: Vec<Disease>,
    /// The prescriptions that were made and not withdrawn, in order.
    pub prescription_ids: Vec<PrescriptionId>,
    /// The state; `completed` when it was counted as a visit.
    pub state: ConsultationState,
}

/// The state of a consultation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsultationState {
    /// None of its invoices is paid yet.
    Open,
    /// The consultation was counted as a visit.
    Completed,
}

impl Consultation {
    /// The highest number of diseases in one consultation.
    pub const MAX_DISEASES: usize = 30;
    /// The highest number of prescriptions in one consultation.
    pub const MAX_PRESCRIPTIONS: usize = 30;

    /// Returns the answer with these diseases.
    pub fn with(self, diseases: Vec<Disease>) -> PatientConsultation {
        PatientConsultation {
            consultation_id: self.consultation_id,
            patient_id: self.patient_id,
            date: self.date,
            diseases,
            prescription_ids: self.prescription_ids,
            state: self.state,
        }
    }
}

words!(ConsultationState, "must be open or completed", "open" => Open, "completed" => Completed);
