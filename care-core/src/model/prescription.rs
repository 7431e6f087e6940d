//! Prescriptions.

use serde::{Deserialize, Serialize};

use super::{
    ConsultationId, Currency, Date, EveryDays, Invalid, MedicineName, Patch, PatientId, PrescriptionId, Price,
    Quantity, ShortText, Supply, words::words,
};

/// A prescription as it is stored: the fields of the interface document (2.2) except `isAvailable`, which is the
/// inventory's answer at the moment of asking, and what the flow needs to know besides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prescription {
    /// Its identifier, which no documented field carries.
    pub prescription_id: PrescriptionId,
    /// The consultation it was made in.
    pub consultation_id: ConsultationId,
    /// Whom it is for.
    pub patient_id: PatientId,
    /// The prescribed medicine.
    pub medicine: MedicineName,
    /// Prescribed dosage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dosage: Option<ShortText>,
    /// Whether it is a recurring subscription; absent means it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_regular: Option<bool>,
    /// Unit price or total price, in whole units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Currency of the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// The day it was prescribed, its consultation's.
    pub prescribed: Date,
    /// Where it stands.
    pub state: PrescriptionState,
    /// Whether an invoice of it was ever paid.
    pub dispensed: bool,
    /// The units of one supply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// How often it is supplied while it is regular, in days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_days: Option<EveryDays>,
}

/// Where a prescription stands. A withdrawn one is no record any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrescriptionState {
    /// It can be invoiced.
    Active,
    /// It was paid and does not recur.
    Completed,
}

/// What a prescription or an update of one says beyond whom and what it is for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PrescriptionDetails {
    /// Prescribed dosage.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub dosage: Patch<ShortText>,
    /// Whether it is a recurring subscription.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub is_regular: Patch<bool>,
    /// Unit price or total price, in whole units.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub price: Patch<Price>,
    /// Currency of the price.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    pub currency: Patch<Currency>,
}

impl Prescription {
    /// The most prescriptions of one patient that can be active at a time.
    pub const MAX_ACTIVE: u64 = 1000;

    /// Whether it recurs.
    pub fn is_regular(&self) -> bool {
        self.is_regular == Some(true)
    }

    /// How much it is for.
    pub const fn supply(&self) -> Supply {
        Supply { prescription_id: self.prescription_id, quantity: self.quantity, every_days: self.every_days }
    }

    /// Whether it can be invoiced.
    pub fn is_active(&self) -> bool {
        self.state == PrescriptionState::Active
    }

    /// The prescription after an update: what it names is changed, and nothing else.
    #[must_use]
    pub fn with(self, details: PrescriptionDetails) -> Self {
        Self {
            dosage: details.dosage.over(self.dosage),
            is_regular: details.is_regular.over(self.is_regular),
            price: details.price.over(self.price),
            currency: details.currency.over(self.currency),
            ..self
        }
    }
}

words!(PrescriptionState, "must be active or completed", "active" => Active, "completed" => Completed);
