//! The members that a record shares with the requests about it.

use crate::{
    model::Consultation,
    rest::openapi::values::{
        record::Field,
        value::{
            Value, address, age, boolean, currency, date, disease, email, identifier, medicine, person_name, phone,
            price, short_text,
        },
    },
};

pub(super) const OF_PATIENT: &str = "Unique identifier of the patient.";

pub(super) fn prescribed(is_available: &'static str) -> Vec<Field> {
    vec![
        Field::new("patientId", identifier(7), OF_PATIENT),
        Field::new("medicine", medicine(), "Name of the prescribed medicine."),
        Field::new("isAvailable", boolean(true), is_available),
        Field::new("dosage", short_text("1-0-1"), "Prescribed dosage."),
        Field::new("isRegular", boolean(false), "Whether it is a recurring subscription."),
        Field::new("price", price(), "Unit price or total price of the medicine, in whole units."),
        Field::new("currency", currency(), "Currency code of the price."),
    ]
}

pub(super) fn stocked(of_medicine: &'static str) -> Vec<Field> {
    vec![
        Field::new("medicine", medicine(), of_medicine),
        Field::new("isAvailable", boolean(true), "Whether the medicine is currently in stock."),
        Field::new("dosage", short_text("1-0-1"), "Dosage formulation."),
        Field::new("isRegular", boolean(false), "Whether it is available for recurring subscriptions."),
        Field::new("price", price(), "Unit price in the inventory, in whole units."),
        Field::new("currency", currency(), "Currency code of the price."),
    ]
}

pub(super) fn billed() -> Vec<Field> {
    vec![
        Field::new("patientId", identifier(7), "Identifier of the patient being invoiced."),
        Field::new("medicine", medicine(), "Name of the billed medicine."),
        Field::new("name", person_name(), "Registered name of the patient."),
        Field::new("age", age(), "Age of the patient in years."),
        Field::new("invoiceDate", date("15/03/2026"), "Date the invoice was generated."),
        Field::new("gender", short_text("female"), "Gender of the patient."),
        Field::new("phone", phone(), "Contact phone number of the patient."),
        Field::new("email", email(), "Email address of the patient."),
        Field::new("companyaddress", address(), "Registered address of the issuing healthcare facility."),
        Field::new("dosage", short_text("1-0-1"), "Billed dosage."),
        Field::new("price", price(), "Total billed amount for the medicine, in whole units."),
        Field::new("currency", currency(), "Currency code of the billed amount."),
    ]
}

/// Adds the identifier and the state that lists show.
pub(super) fn tracked(id: &'static str, fields: Vec<Field>, state: Value) -> Vec<Field> {
    let id = Field::new(id, identifier(1), "Its unique identifier.");
    let state = Field::new("state", state, "The state.");
    std::iter::once(id).chain(fields).chain([state]).collect()
}

pub(super) fn diseases() -> Value {
    disease().list().with("maxItems", Consultation::MAX_DISEASES)
}
