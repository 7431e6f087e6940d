//! Prescriptions.

use super::row::row;
use crate::model::Prescription;

// A patient has one active prescription for a medicine at most.
row! {
    Prescription in "prescription":
    prescription_id;
    consultation_id indexed, patient_id indexed, medicine found, dosage, is_regular, price, currency, prescribed,
    state indexed, dispensed, quantity, every_days;
    second_key true
}
