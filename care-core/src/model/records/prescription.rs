//! Prescriptions.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{
    ConsultationId, Currency, Date, EveryDays, Invalid, MedicineName, PatientId, PrescriptionId, Price, Quantity,
    ShortText, Supply, values::words::words,
};

/// A prescription as it is stored: the fields of the interface document (2.2) without `isAvailable`, which the
/// inventory answers for each read, and further fields that the flow needs.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "prescription", key(prescription_id), keyed(medicine))]
#[record(moving(is_regular, state), owner(patient = patient_id, on_void = remove))]
#[record(details = PrescriptionDetails)]
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
    #[field(personal, edit, example = "1-0-1")]
    pub dosage: Option<ShortText>,
    /// Whether it recurs; absent means that it does not.
    #[field(kept, edit, example = false)]
    pub is_regular: Option<bool>,
    /// Unit price or total price, in whole units.
    #[field(kept, edit)]
    pub price: Option<Price>,
    /// Currency of the price.
    #[field(kept, edit)]
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
}

words!(PrescriptionState, "must be active or completed", "active" => Active, "completed" => Completed);
