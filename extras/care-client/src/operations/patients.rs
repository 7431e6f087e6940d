//! Patients and their histories.

use care_core::{
    model::{FindText, Patient, PatientDetails, PatientHistory, PatientId},
    store::PatientFilter,
};
use http::Method;

use crate::{Call, CareClient, Pages, body::PatientBody};

impl CareClient {
    /// Registers a patient, under this number or, without one, under a number that the service assigns.
    pub fn add_patient(&self, patient_id: Option<PatientId>, details: &PatientDetails) -> Call<Patient> {
        Call::new(self, "addPatient", Method::POST, &["patient"]).body(&PatientBody { patient_id, details })
    }

    /// Reads a patient.
    pub fn patient(&self, id: PatientId) -> Call<Patient> {
        Call::new(self, "getPatient", Method::GET, &["patient", &id.to_string()])
    }

    /// Changes the fields that the details set; the others keep their values.
    pub fn update_patient(&self, id: PatientId, details: &PatientDetails) -> Call<Patient> {
        let body = PatientBody { patient_id: Some(id), details };
        Call::new(self, "updatePatient", Method::PUT, &["patient"]).body(&body)
    }

    /// Voids a patient.
    pub fn void_patient(&self, id: PatientId) -> Call<()> {
        Call::new(self, "deletePatient", Method::DELETE, &["patient", &id.to_string()])
    }

    /// Lists patients, sorted by number.
    pub fn patients(&self, filter: &PatientFilter) -> Pages<Patient> {
        let (client, filter) = (self.clone(), filter.clone());
        Pages::new(move || Call::new(&client, "listPatients", Method::GET, &["patient"]).filter(&filter))
    }

    /// Finds the patients that match a text, the best first, in one page of 1 to 50.
    pub fn find_patients(&self, text: &FindText) -> Pages<Patient> {
        let (client, text) = (self.clone(), text.clone());
        Pages::new(move || {
            Call::new(&client, "listPatients", Method::GET, &["patient"]).query("find", Some(text.as_str()))
        })
    }

    /// Reads a patient's history.
    pub fn history(&self, id: PatientId) -> Call<PatientHistory> {
        Call::new(self, "getHistory", Method::GET, &["history", &id.to_string()])
    }
}
