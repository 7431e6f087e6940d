//! Prescriptions.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{
    ConsultationId, Currency, Date, EveryDays, Invalid, MedicineName, Patch, PatientId, PrescriptionId, Price,
    Quantity, ShortText, Supply, record::setters, values::words::words,
};

/// A prescription as it is stored: the fields of the interface document (2.2) without `isAvailable`, which the
/// inventory answers for each read, and further fields that the flow needs.
#[derive(Debug, Clone, PartialEq, Record)]
#[record(table = "prescription", key(prescription_id), keyed(medicine), second_key)]
#[record(indexed(consultation_id, patient_id, medicine_key), moving(is_regular, state))]
pub struct Prescription {
    /// The identifier, which no documented field carries.
    pub prescription_id: PrescriptionId,
    /// The consultation in which it was made.
    #[field(kept)]
    pub consultation_id: ConsultationId,
    /// The patient.
    #[field(kept)]
    pub patient_id: PatientId,
    /// The prescribed medicine.
    #[field(kept)]
    pub medicine: MedicineName,
    /// Prescribed dosage.
    #[field(personal)]
    pub dosage: Option<ShortText>,
    /// Whether it recurs; absent means that it does not.
    #[field(kept)]
    pub is_regular: Option<bool>,
    /// Unit price or total price, in whole units.
    #[field(kept)]
    pub price: Option<Price>,
    /// Currency of the price.
    #[field(kept)]
    pub currency: Option<Currency>,
    /// The day of its consultation.
    #[field(kept)]
    pub prescribed: Date,
    /// The state of the prescription.
    #[field(kept)]
    pub state: PrescriptionState,
    /// Whether an invoice of it was ever paid.
    #[field(kept)]
    pub dispensed: bool,
    /// The units of one supply.
    #[field(kept)]
    pub quantity: Option<Quantity>,
    /// The interval between supplies of a regular prescription, in days.
    #[field(kept)]
    pub every_days: Option<EveryDays>,
}

/// The state of a prescription. A withdrawn prescription is no longer a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrescriptionState {
    /// The prescription can be invoiced.
    Active,
    /// The prescription was paid and does not recur.
    Completed,
}

/// The fields of a prescription that a request names, without its patient and medicine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PrescriptionDetails {
    /// Prescribed dosage.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub dosage: Patch<ShortText>,
    /// Whether it recurs.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub is_regular: Patch<bool>,
    /// Unit price or total price, in whole units.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub price: Patch<Price>,
    /// Currency of the price.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub currency: Patch<Currency>,
}

impl PrescriptionDetails {
    setters! {
        /// Sets the prescribed dosage.
        dosage: ShortText;
        /// Sets whether it recurs.
        is_regular: bool;
        /// Sets the unit price or total price, in whole units.
        price: Price;
        /// Sets the currency of the price.
        currency: Currency;
    }
}

impl Prescription {
    /// The highest number of active prescriptions of one patient.
    pub const MAX_ACTIVE: u64 = 1000;

    /// Returns whether it recurs.
    pub fn is_regular(&self) -> bool {
        self.is_regular == Some(true)
    }

    /// Returns the quantity and the interval.
    pub const fn supply(&self) -> Supply {
        Supply { prescription_id: self.prescription_id, quantity: self.quantity, every_days: self.every_days }
    }

    /// Returns whether it can be invoiced.
    pub fn is_active(&self) -> bool {
        self.state == PrescriptionState::Active
    }

    /// Returns the prescription after an update, which changes only the fields that it names.
    #[must_use]
    pub fn with(self, details: PrescriptionDetails) -> Self {
        let PrescriptionDetails { dosage, is_regular, price, currency } = details;
        Self {
            dosage: dosage.over(self.dosage),
            is_regular: is_regular.over(self.is_regular),
            price: price.over(self.price),
            currency: currency.over(self.currency),
            ..self
        }
    }
}

words!(PrescriptionState, "must be active or completed", "active" => Active, "completed" => Completed);
