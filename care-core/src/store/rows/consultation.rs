//! Consultations, and the diseases of each.

use super::row::row;
use crate::model::{Consultation, Diagnosis};

row! {
    Consultation in "consultation":
    consultation_id;
    patient_id, date, prescription_ids json, state, implicit;
    indexed patient_id
}

row! {
    Diagnosis in "diagnosis":
    consultation_id;
    patient_id, visit, diseases json;
    indexed patient_id
}
