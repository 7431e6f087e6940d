//! Questions about patients and their visits.

use care_derive::Filter;

use super::{
    index::DIAGNOSIS_BY_PATIENT,
    key::{Ask, Key},
    query::{List, Query},
    selection::Selection,
    term::Comparison,
};
use crate::{
    model::{
        Consultation, ConsultationId, ConsultationState, Diagnosis, Email, FindText, NamePrefix, Patient, PatientId,
        PatientIds, Phone,
    },
    store::{Entity, RecordKind, Versioned},
};

/// A filter of patients. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
#[filter(rows(Patient))]
pub struct PatientFilter {
    /// Only patients with these numbers, at most 50, with commas between them.
    #[filter(name = "id", one_of(patient_id), example = "6,7")]
    pub ids: Option<PatientIds>,
    /// Only patients whose name begins with this, in any letter case and with any white space.
    #[filter(name = "name", prefix)]
    pub name_prefix: Option<NamePrefix>,
    /// Only patients with this number.
    #[filter(equal)]
    pub phone: Option<Phone>,
    /// Only patients with this address.
    #[filter(equal)]
    pub email: Option<Email>,
}

/// A filter of consultations. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
#[filter(rows(Consultation))]
pub struct ConsultationFilter {
    /// Only records of this patient.
    #[filter(equal)]
    pub patient_id: Option<PatientId>,
    /// Only consultations in this state.
    #[filter(word)]
    pub state: Option<ConsultationState>,
}

impl Patient {
    /// Lists the patients that match a text, the best first.
    pub const fn found(text: FindText) -> List<Self> {
        List::new(Query::Found(text))
    }

    /// Asks for the smallest number above this one that no patient has or had; `None` when there is none.
    pub const fn free_number(above: i64) -> Ask<Option<u64>> {
        Ask::new(Key::FreePatientNumber(above))
    }
}

impl Diagnosis {
    /// Asks for all diagnoses of a patient, by the number of the consultation.
    pub fn of_patient(id: PatientId) -> Ask<Vec<Versioned<Self>>> {
        DIAGNOSIS_BY_PATIENT.rows([id.value().into()]).all()
    }

    /// Lists the diagnoses of a patient by the number of the consultation, those above a number.
    pub fn list_of_patient(id: PatientId, after: Option<ConsultationId>) -> List<Self> {
        let all = Selection::of(RecordKind::Diagnosis);
        List::of(all.compared("patient_id", Comparison::Equal, Some(id.value())), after.map(Self::key))
    }
}
