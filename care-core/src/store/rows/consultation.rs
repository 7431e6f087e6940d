//! Consultations, and the diseases of each.

use super::row::row;
use crate::model::{Consultation, Diagnosis};

row! {
    Consultation in "consultation":
    consultation_id;
    patient_id indexed, date, prescription_ids json, state, implicit
}

row! {
    Diagnosis in "diagnosis":
    consultation_id;
    patient_id indexed, visit, diseases json
}
