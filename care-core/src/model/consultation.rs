//! Consultations.

use serde::{Deserialize, Serialize};

use super::{ConsultationId, Date, Disease, Invalid, PatientId, PrescriptionId, words::words};

/// What the service keeps of a consultation beside the diseases, which stand in a [`Diagnosis`]: so what becomes of its
/// prescriptions writes none of them again. [`PatientConsultation`] is the answer made from both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Consultation {
    /// Its identifier.
    pub consultation_id: ConsultationId,
    /// Who was seen.
    pub patient_id: PatientId,
    /// The day of the visit.
    pub date: Date,
    /// What was prescribed and not withdrawn, in order.
    pub prescription_ids: Vec<PrescriptionId>,
    /// Where it stands.
    pub state: ConsultationState,
    /// Whether a single prescription made it for itself. Such a consultation goes with its prescription.
    pub implicit: bool,
}

/// What was diagnosed in a consultation. One in which nothing was has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// The consultation.
    pub consultation_id: ConsultationId,
    /// Who was seen.
    pub patient_id: PatientId,
    /// Which of the patient's visits it was counted as, from 1; absent until the consultation is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visit: Option<u64>,
    /// The diseases, in order; 1 to 30.
    pub diseases: Vec<Disease>,
}

/// A consultation as it is answered: what was diagnosed and what was prescribed on one visit.
///
/// ```json
/// {"consultationId":1,"patientId":7,"date":"31/01/2026","diseases":["migraine"],"prescriptionIds":[1,2],"state":"open"}
/// ```
/// ```xml
/// <Consultation><consultationId>1</consultationId><patientId>7</patientId><date>31/01/2026</date>
///   <diseases>migraine</diseases><prescriptionIds>1</prescriptionIds><prescriptionIds>2</prescriptionIds>
///   <state>open</state></Consultation>
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PatientConsultation {
    /// Its identifier.
    pub consultation_id: ConsultationId,
    /// Who was seen.
    pub patient_id: PatientId,
    /// The day of the visit.
    pub date: Date,
    /// What was diagnosed, in order.
    pub diseases: Vec<Disease>,
    /// What was prescribed and not withdrawn, in order.
    pub prescription_ids: Vec<PrescriptionId>,
    /// Where it stands.
    pub state: ConsultationState,
}

/// Where a consultation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsultationState {
    /// No invoice of it was paid yet.
    Open,
    /// It was counted as a visit.
    Completed,
}

impl Consultation {
    /// The most diseases that one consultation can hold.
    pub const MAX_DISEASES: usize = 30;
    /// The most prescriptions that can be made in one consultation.
    pub const MAX_PRESCRIPTIONS: usize = 30;

    /// The answer, with what was diagnosed.
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
