//! Consultations.

use serde::{Deserialize, Serialize};

use super::{ConsultationId, Date, Disease, PatientId, PrescriptionId};

/// A consultation: what was diagnosed and what was prescribed on one visit.
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
pub struct Consultation {
    /// Its identifier.
    pub consultation_id: ConsultationId,
    /// Who was seen.
    pub patient_id: PatientId,
    /// The day of the visit.
    pub date: Date,
    /// What was diagnosed, in order; at most 30.
    pub diseases: Vec<Disease>,
    /// What was prescribed and not withdrawn, in order.
    pub prescription_ids: Vec<PrescriptionId>,
    /// Where it stands.
    pub state: ConsultationState,
    /// Whether a single prescription made it for itself. Such a consultation goes with its prescription.
    pub implicit: bool,
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
}

impl ConsultationState {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Completed => "completed",
        }
    }
}
