//! Consultations and prescriptions.

use care_core::{
    model::{
        ConsultationId, MedicineName, PatientConsultation, PatientId, PrescriptionDetails, PrescriptionId, Supply,
        SupplyDetails,
    },
    service::{NewConsultation, NewPrescription},
    store::{ConsultationFilter, PrescriptionFilter},
};
use http::Method;

use crate::{
    Call, CareClient, Pages, Prescription,
    body::{ConsultationBody, PrescriptionBody},
};

impl CareClient {
    /// Records a consultation with its prescriptions: all of it, or nothing.
    pub fn add_consultation(&self, new: &NewConsultation) -> Call<PatientConsultation> {
        Call::new(self, "addConsultation", Method::POST, &["consultations"]).body(&ConsultationBody::from(new))
    }

    /// Reads a consultation.
    pub fn consultation(&self, id: ConsultationId) -> Call<PatientConsultation> {
        Call::new(self, "getConsultation", Method::GET, &["consultations", &id.to_string()])
    }

    /// Lists consultations, sorted by number.
    pub fn consultations(&self, filter: &ConsultationFilter) -> Pages<PatientConsultation> {
        let (client, filter) = (self.clone(), filter.clone());
        Pages::new(move || Call::new(&client, "listConsultations", Method::GET, &["consultations"]).filter(&filter))
    }

    /// Prescribes a medicine. [`Answer::number`](crate::Answer::number) is the prescription's number.
    pub fn add_prescription(&self, patient_id: PatientId, new: &NewPrescription) -> Call<Prescription> {
        let body = PrescriptionBody::new(Some(patient_id), new);
        Call::new(self, "addPrescription", Method::POST, &["prescriptions"]).body(&body)
    }

    /// Reads a prescription.
    pub fn prescription(&self, id: PrescriptionId) -> Call<Prescription> {
        Call::new(self, "getPrescription", Method::GET, &["prescriptions", &id.to_string()])
    }

    /// Changes the fields of the patient's prescription of this medicine that the details set; the others keep their
    /// values.
    pub fn update_prescription(
        &self,
        patient_id: PatientId,
        medicine: &MedicineName,
        details: &PrescriptionDetails,
    ) -> Call<Prescription> {
        let body = PrescriptionBody::update(patient_id, medicine, details);
        Call::new(self, "updatePrescription", Method::PUT, &["prescriptions"]).body(&body)
    }

    /// Withdraws a prescription.
    pub fn withdraw_prescription(&self, id: PrescriptionId) -> Call<()> {
        Call::new(self, "deletePrescription", Method::DELETE, &["prescriptions", &id.to_string()])
    }

    /// Lists prescriptions, sorted by number.
    pub fn prescriptions(&self, filter: &PrescriptionFilter) -> Pages<Prescription> {
        let (client, filter) = (self.clone(), filter.clone());
        Pages::new(move || Call::new(&client, "listPrescriptions", Method::GET, &["prescriptions"]).filter(&filter))
    }

    /// Reads the supply of a prescription: its units, and the days that they last.
    pub fn supply(&self, id: PrescriptionId) -> Call<Supply> {
        Call::new(self, "getSupply", Method::GET, &["prescriptions", &id.to_string(), "supply"])
    }

    /// Changes the supply of a prescription.
    pub fn update_supply(&self, id: PrescriptionId, details: &SupplyDetails) -> Call<Supply> {
        Call::new(self, "updateSupply", Method::PUT, &["prescriptions", &id.to_string(), "supply"]).body(details)
    }
}
