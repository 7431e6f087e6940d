//! Questions about patients and their visits.

use super::{
    index::{CONSULTATION_BY_PATIENT, DIAGNOSIS_BY_PATIENT},
    key::{Ask, Key},
    query::{ConsultationFilter, List, PatientFilter, Query, Rows},
    selection::Selection,
};
use crate::{
    model::{Consultation, ConsultationId, ConsultationState, Diagnosis, FindText, Patient, PatientId},
    store::{Entity, RecordKind},
};

impl Patient {
    /// Lists patients by number, those above a number.
    pub fn list(filter: &PatientFilter, after: Option<PatientId>) -> List<Self> {
        let PatientFilter { name_prefix, phone, email } = filter;
        let selection = Selection::of(RecordKind::Patient)
            .equal("phone", phone.map(|phone| phone.value()))
            .equal("email", email.as_ref().map(|email| email.as_str()));
        let rows = Rows::of(selection, after.map(Self::key));
        List::new(match name_prefix {
            Some(prefix) => Query::Named(rows, prefix.clone()),
            None => Query::Rows(rows),
        })
    }

    /// Lists the patients that match a text, the best first.
    pub const fn found(text: FindText) -> List<Self> {
        List::new(Query::Found(text))
    }

    /// Asks for the smallest number above this one that no patient has or had; `None` when there is none.
    pub const fn free_number(above: i64) -> Ask<Option<u64>> {
        Ask::new(Key::FreePatientNumber(above))
    }
}

impl Consultation {
    /// Lists consultations by number, those above a number.
    pub fn list(filter: &ConsultationFilter, after: Option<ConsultationId>) -> List<Self> {
        let ConsultationFilter { patient_id, state } = filter;
        let selection = Selection::of(RecordKind::Consultation)
            .equal("patient_id", patient_id.map(|id| id.value()))
            .word("state", state.map(ConsultationState::as_str));
        List::of(selection, after.map(Self::key))
    }

    /// Asks for all consultations of a patient, by number.
    pub fn of_patient(id: PatientId) -> Ask<Vec<Self>> {
        CONSULTATION_BY_PATIENT.rows([id.value().into()]).all()
    }
}

impl Diagnosis {
    /// Asks for all diagnoses of a patient, by the number of the consultation.
    pub fn of_patient(id: PatientId) -> Ask<Vec<Self>> {
        DIAGNOSIS_BY_PATIENT.rows([id.value().into()]).all()
    }
}
