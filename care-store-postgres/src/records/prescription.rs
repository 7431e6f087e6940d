//! Prescriptions.

use care_core::model::{Prescription, PrescriptionState, ShortText};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

const STATES: [(&str, PrescriptionState); 2] = [
    (PrescriptionState::Active.as_str(), PrescriptionState::Active),
    (PrescriptionState::Completed.as_str(), PrescriptionState::Completed),
];

impl Stored for Prescription {
    const TABLE: Table = table!(
        "prescription",
        ["prescription_id" int8],
        [
            "consultation_id" int8,
            "patient_id" int8,
            "medicine_key" text,
            "medicine" text,
            "dosage" text,
            "is_regular" bool,
            "price" int8,
            "currency" text,
            "prescribed" int4,
            "state" text,
            "dispensed" bool,
            "quantity" int4,
            "every_days" int4
        ]
    );

    const IS_ORDERED: bool = true;

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            prescription_id: cells.number()?,
            consultation_id: cells.number()?,
            patient_id: cells.number()?,
            medicine: cells.medicine()?,
            dosage: cells.maybe_text()?,
            is_regular: cells.raw()?,
            price: cells.maybe_number()?,
            currency: cells.maybe_text()?,
            prescribed: cells.date()?,
            state: cells.word(&STATES)?,
            dispensed: cells.raw()?,
            quantity: cells.maybe_number()?,
            every_days: cells.maybe_number()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self {
            prescription_id,
            consultation_id,
            patient_id,
            medicine,
            dosage,
            is_regular,
            price,
            currency,
            prescribed,
            state,
            dispensed,
            quantity,
            every_days,
        } = self;
        values.put(prescription_id.value());
        values.put(consultation_id.value());
        values.put(patient_id.value());
        values.medicine(medicine);
        values.put(dosage.as_ref().map(ShortText::as_str));
        values.put(is_regular);
        values.put(price.map(|price| price.value()));
        values.put(currency.as_ref().map(|currency| currency.as_str()));
        values.put(prescribed.unix_days());
        values.put(state.as_str());
        values.put(dispensed);
        values.put(quantity.map(|quantity| quantity.value()));
        values.put(every_days.map(|days| days.value()));
        Ok(())
    }
}
