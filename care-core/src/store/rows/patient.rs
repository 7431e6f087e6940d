//! Patients, the numbers of voided ones, and histories.

use super::row::row;
use crate::{
    model::{History, Name, Patient, folded_name},
    patient_fields,
    store::Voided,
};

patient_fields! { row
    Patient in "patient": declared;
    indexed phone, email;
    derived folded_name = |patient| patient.name.as_ref().map(Name::as_str).map(folded_name);
}

row! { Voided in "voided": patient_id; }

row! {
    History in "history":
    patient_id;
    medicine, dosage, diseases, visits, lastvisit
}
