//! Prescriptions.

use super::row::row;
use crate::model::Prescription;

// A patient has one active prescription for a medicine at most.
row! {
    Prescription in "prescription":
    prescription_id;
    consultation_id, patient_id, medicine keyed, dosage, is_regular, price, currency, prescribed, state, dispensed,
    quantity, every_days;
    indexed consultation_id, patient_id, medicine_key, state;
    second_key true
}
