//! Consultations, prescriptions and invoices.

use care_core::model::{
    Address, Age, Consultation, ConsultationState, Currency, Diagnosis, Disease, Email, EveryDays, Invoice,
    InvoiceState, MedicineName, Name, Phone, Prescription, PrescriptionState, Price, Quantity, ShortText,
};

use super::{
    people::patient,
    texts::every_plane,
    values::{
        consultation_id, credit_note_id, date, first_day, invoice_id, last_day, legal, patient_id, prescription_id,
        receipt_id,
    },
};

/// Returns the consultation that a prescription made for itself.
pub fn consultation(of: &Prescription) -> Consultation {
    Consultation {
        consultation_id: of.consultation_id,
        patient_id: of.patient_id,
        date: of.prescribed,
        prescription_ids: vec![of.prescription_id],
        state: ConsultationState::Open,
        implicit: true,
    }
}

/// Returns consultations without a prescription, open and completed, on the first and on the last day.
pub fn consultation_forms(number: i64, patient: i64) -> Vec<Consultation> {
    let nothing = Consultation {
        consultation_id: consultation_id(number),
        patient_id: patient_id(patient),
        date: first_day(),
        prescription_ids: Vec::new(),
        state: ConsultationState::Open,
        implicit: false,
    };
    let usual = Consultation { date: date("31/01/2026"), state: ConsultationState::Completed, ..nothing.clone() };
    let most = Consultation { date: last_day(), state: ConsultationState::Completed, ..nothing.clone() };
    vec![nothing, usual, most]
}

/// Returns diagnoses of the consultation with this number: one disease, the most there can be, and none, as after the
/// erasure of the patient.
pub fn diagnosis_forms(number: i64, patient: i64) -> Vec<Diagnosis> {
    let least = Diagnosis {
        consultation_id: consultation_id(number),
        patient_id: patient_id(patient),
        visit: None,
        diseases: vec![legal(Disease::new("a"))],
    };
    let usual = Diagnosis {
        visit: Some(1),
        diseases: ["migraine", "asthma", "migraine"].map(|disease| legal(Disease::new(disease))).into(),
        ..least.clone()
    };
    let most = Diagnosis {
        // Not every store has integers above the signed 64-bit range.
        visit: Some(i64::MAX as u64),
        diseases: (0..Consultation::MAX_DISEASES).map(|n| legal(Disease::new(every_plane(Disease::MAX - n)))).collect(),
        ..least.clone()
    };
    let nothing = Diagnosis { diseases: Vec::new(), ..usual.clone() };
    vec![least, usual, most, nothing]
}

/// Returns an ordinary active prescription, made in the consultation of the same number.
pub fn prescription(number: i64, patient: i64, medicine: &MedicineName) -> Prescription {
    Prescription {
        prescription_id: prescription_id(number),
        consultation_id: consultation_id(number),
        patient_id: patient_id(patient),
        medicine: medicine.clone(),
        dosage: Some(legal(ShortText::new("1-0-1"))),
        is_regular: Some(false),
        price: Some(legal(Price::try_from(12))),
        currency: Some(legal(Currency::new("EUR"))),
        prescribed: date("31/01/2026"),
        state: PrescriptionState::Active,
        dispensed: false,
        quantity: None,
        every_days: None,
    }
}

/// Returns a prescription without optional fields, an ordinary one, and two with every field at its upper or lower
/// limit.
pub fn prescription_forms(number: i64, patient: i64, medicine: &MedicineName) -> Vec<Prescription> {
    let usual = prescription(number, patient, medicine);
    let nothing = Prescription { dosage: None, is_regular: None, price: None, currency: None, ..usual.clone() };
    let most = Prescription {
        dosage: Some(legal(ShortText::new(every_plane(ShortText::MAX)))),
        is_regular: Some(true),
        price: Some(legal(Price::try_from(Price::MAX))),
        currency: Some(legal(Currency::new("XXX"))),
        state: PrescriptionState::Completed,
        dispensed: true,
        quantity: Some(legal(Quantity::try_from(Quantity::MAX))),
        every_days: Some(legal(EveryDays::try_from(EveryDays::MAX))),
        ..usual.clone()
    };
    let least = Prescription {
        dosage: Some(legal(ShortText::new(""))),
        is_regular: Some(false),
        price: Some(legal(Price::try_from(Price::MIN))),
        currency: Some(legal(Currency::new("AED"))),
        quantity: Some(legal(Quantity::try_from(Quantity::MIN))),
        every_days: Some(legal(EveryDays::try_from(EveryDays::MIN))),
        ..usual.clone()
    };
    vec![nothing, usual, most, least]
}

/// Returns an ordinary unpaid invoice of this prescription.
pub fn invoice(number: i64, of: &Prescription) -> Invoice {
    let billed = patient(of.patient_id.value());
    Invoice {
        invoice_id: invoice_id(number),
        prescription_id: of.prescription_id,
        patient_id: of.patient_id,
        medicine: of.medicine.clone(),
        name: billed.name,
        age: billed.age,
        invoice_date: date("31/01/2026"),
        gender: billed.gender,
        phone: billed.phone,
        email: billed.email,
        companyaddress: Some(legal(Address::new("2 Clinic Road\nSampleton"))),
        dosage: of.dosage.clone(),
        price: of.price,
        currency: of.currency,
        state: InvoiceState::Unpaid,
        quantity: None,
        receipt_id: None,
        credit_note_id: None,
    }
}

/// Returns an invoice without optional fields, an ordinary one, and two with every field at its upper or lower limit.
pub fn invoice_forms(number: i64, of: &Prescription) -> Vec<Invoice> {
    let usual = invoice(number, of);
    let nothing = Invoice {
        name: None,
        age: None,
        invoice_date: first_day(),
        gender: None,
        phone: None,
        email: None,
        companyaddress: None,
        dosage: None,
        price: None,
        currency: None,
        ..usual.clone()
    };
    let most = Invoice {
        name: Some(legal(Name::new(every_plane(Name::MAX)))),
        age: Some(legal(Age::try_from(Age::MAX))),
        invoice_date: last_day(),
        gender: Some(legal(ShortText::new(every_plane(ShortText::MAX)))),
        phone: Some(legal(Phone::try_from(Phone::MAX))),
        email: Some(legal(Email::new(format!("{}@b", every_plane(252))))),
        companyaddress: Some(legal(Address::new(every_plane(Address::MAX)))),
        dosage: Some(legal(ShortText::new(every_plane(ShortText::MAX)))),
        price: Some(legal(Price::try_from(Price::MAX))),
        currency: Some(legal(Currency::new("ZWG"))),
        state: InvoiceState::Refunded,
        quantity: Some(legal(Quantity::try_from(Quantity::MAX))),
        receipt_id: Some(receipt_id(i64::MAX)),
        credit_note_id: Some(credit_note_id(i64::MAX)),
        ..usual.clone()
    };
    let least = Invoice {
        name: Some(legal(Name::new("a"))),
        age: Some(legal(Age::try_from(Age::MIN))),
        gender: Some(legal(ShortText::new(""))),
        phone: Some(legal(Phone::try_from(Phone::MIN))),
        email: Some(legal(Email::new("a@b"))),
        companyaddress: Some(legal(Address::new(""))),
        dosage: Some(legal(ShortText::new(""))),
        price: Some(legal(Price::try_from(Price::MIN))),
        currency: Some(legal(Currency::new("AED"))),
        state: InvoiceState::Paid,
        receipt_id: Some(receipt_id(number)),
        ..usual.clone()
    };
    vec![nothing, usual, most, least]
}
