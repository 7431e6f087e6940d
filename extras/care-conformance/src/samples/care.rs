//! Consultations, prescriptions and invoices.

use care_core::model::{
    Address, Consultation, ConsultationState, Currency, Diagnosis, Disease, Invoice, InvoiceState, MedicineName,
    Prescription, PrescriptionState, Price, ShortText,
};

use super::{
    extremes::{Bare, Least, Most},
    people::patient,
    texts::every_plane,
    values::{consultation_id, date, first_day, invoice_id, last_day, legal, patient_id, prescription_id, receipt_id},
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
        dosage: Some(legal(ShortText::new("1-0-1"))),
        is_regular: Some(false),
        price: Some(legal(Price::try_from(12))),
        currency: Some(legal(Currency::new("EUR"))),
        ..prescribed(number, patient, medicine, Prescription::filled(&mut Bare))
    }
}

/// Returns a prescription without optional fields, an ordinary one, and two with every field at its upper or lower
/// limit.
pub fn prescription_forms(number: i64, patient: i64, medicine: &MedicineName) -> Vec<Prescription> {
    let of = |form| prescribed(number, patient, medicine, form);
    let most =
        Prescription { state: PrescriptionState::Completed, dispensed: true, ..of(Prescription::filled(&mut Most)) };
    let usual = prescription(number, patient, medicine);
    let regular = Prescription { is_regular: Some(true), ..usual.clone() };
    vec![of(Prescription::filled(&mut Bare)), usual, most, of(Prescription::filled(&mut Least)), regular]
}

/// Returns the prescription with this identity, which is active.
fn prescribed(number: i64, patient: i64, medicine: &MedicineName, form: Prescription) -> Prescription {
    Prescription {
        prescription_id: prescription_id(number),
        consultation_id: consultation_id(number),
        patient_id: patient_id(patient),
        medicine: medicine.clone(),
        prescribed: date("31/01/2026"),
        state: PrescriptionState::Active,
        dispensed: false,
        ..form
    }
}

/// Returns an ordinary unpaid invoice of this prescription.
pub fn invoice(number: i64, of: &Prescription) -> Invoice {
    let billed = patient(of.patient_id.value());
    Invoice {
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
        ..issued(number, of, Invoice::filled(&mut Bare))
    }
}

/// Returns an invoice without optional fields, an ordinary one, and two with every field at its upper or lower limit.
pub fn invoice_forms(number: i64, of: &Prescription) -> Vec<Invoice> {
    let least = Invoice {
        state: InvoiceState::Paid,
        receipt_id: Some(receipt_id(number)),
        credit_note_id: None,
        ..issued(number, of, Invoice::filled(&mut Least))
    };
    let most = Invoice { state: InvoiceState::Refunded, ..issued(number, of, Invoice::filled(&mut Most)) };
    vec![issued(number, of, Invoice::filled(&mut Bare)), invoice(number, of), most, least]
}

/// Returns the unpaid invoice with this identity.
fn issued(number: i64, of: &Prescription, form: Invoice) -> Invoice {
    Invoice {
        invoice_id: invoice_id(number),
        prescription_id: of.prescription_id,
        patient_id: of.patient_id,
        medicine: of.medicine.clone(),
        state: InvoiceState::Unpaid,
        ..form
    }
}
