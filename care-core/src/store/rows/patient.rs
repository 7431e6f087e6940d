//! Patients, the numbers of voided ones, and histories.

use super::row::row;
use crate::{
    model::{History, Name, Patient, folded_name},
    store::Voided,
};

row! {
    Patient in "patient":
    patient_id;
    name, phone indexed, insurance, age, address, gender, weight, email indexed, location, lastvisit;
    derived folded_name = |patient| patient.name.as_ref().map(Name::as_str).map(folded_name)
}

row! { Voided in "voided": patient_id; }

row! {
    History in "history":
    patient_id;
    medicine, dosage, diseases, visits, lastvisit
}
