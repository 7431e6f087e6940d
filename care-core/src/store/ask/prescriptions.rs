//! Questions about prescriptions.

use care_derive::Filter;

use super::{
    index::{PRESCRIPTION_ACTIVE, PRESCRIPTION_BY_MEDICINE, PRESCRIPTION_BY_PATIENT},
    key::Ask,
    query::List,
    selection::Selection,
    term::Term,
};
use crate::{
    model::{MedicineKey, PatientId, Prescription, PrescriptionId, PrescriptionState},
    store::{Entity, RecordKind, Versioned},
};

/// A filter of prescriptions. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
#[filter(rows(Prescription))]
pub struct PrescriptionFilter {
    /// Only records of this patient.
    #[filter(equal)]
    pub patient_id: Option<PatientId>,
    /// Only records of this medicine, in any spelling.
    #[filter(equal(medicine_key))]
    pub medicine: Option<MedicineKey>,
    /// Only prescriptions in this state.
    #[filter(word)]
    pub state: Option<PrescriptionState>,
}

impl Prescription {
    /// Lists the active prescriptions that do not recur by number, those above a number.
    pub fn single(after: Option<PrescriptionId>) -> List<Self> {
        let active = Selection::of(RecordKind::Prescription).word("state", Some(PrescriptionState::Active.as_str()));
        List::of(active.and(Term::NotTrue("is_regular")), after.map(Self::key))
    }

    /// Asks for the patient's active prescription for the medicine. There is at most one.
    pub fn active(patient: PatientId, medicine: &MedicineKey) -> Ask<Option<Versioned<Self>>> {
        PRESCRIPTION_ACTIVE.rows([patient.value().into(), medicine.as_str().into()]).one()
    }

    /// Asks for the patient's prescription for the medicine with the highest number.
    pub fn newest(patient: PatientId, medicine: &MedicineKey) -> Ask<Option<Versioned<Self>>> {
        PRESCRIPTION_BY_PATIENT.rows([patient.value().into(), medicine.as_str().into()]).descending().one()
    }

    /// Asks for the active prescription for the medicine with the lowest number, of any patient.
    pub fn active_for(medicine: &MedicineKey) -> Ask<Option<Versioned<Self>>> {
        let all = PRESCRIPTION_BY_MEDICINE.rows([medicine.as_str().into()]);
        all.word("state", Some(PrescriptionState::Active.as_str())).one()
    }

    /// Asks for the number of the patient's active prescriptions.
    pub fn count_active(patient: PatientId) -> Ask<u64> {
        PRESCRIPTION_ACTIVE.rows([patient.value().into()]).count()
    }
}
