//! Records about a person, as an erasure leaves them.
//!
//! Each field of such a record is named here, so that a further one does not compile until it is decided whether it is
//! about the person.

use crate::{
    model::{Diagnosis, History, Invoice, Movement, Patient, Prescription, Receipt, ReceiptKind},
    store::Record,
};

impl Record {
    /// Returns what the erasure of a person leaves of a record about that person; `None` when it never changes the
    /// record.
    pub(crate) fn emptied(&self) -> Option<Self> {
        Some(match self {
            Self::Patient(patient) => Patient::new(patient.patient_id).into(),
            Self::History(history) => {
                let mut left = history.clone();
                let History { dosage, diseases, patient_id: _, medicine: _, visits: _, lastvisit: _ } = &mut left;
                (*dosage, *diseases) = (None, 0);
                left.into()
            }
            Self::Diagnosis(diagnosis) => {
                let mut left = diagnosis.clone();
                let Diagnosis { diseases, consultation_id: _, patient_id: _, visit: _ } = &mut left;
                diseases.clear();
                left.into()
            }
            Self::Prescription(prescription) => without_dosage(prescription).into(),
            Self::Invoice(invoice) => invoice.emptied().into(),
            Self::Movement(movement) => noteless_movement(movement).into(),
            Self::Receipt(Receipt { kind: ReceiptKind::Payment, .. }) => return None,
            Self::Receipt(receipt) => noteless_receipt(receipt).into(),
            Self::Reply(reply) => reply.emptied().into(),
            Self::Voided(_)
            | Self::Consultation(_)
            | Self::Item(_)
            | Self::Demand(_)
            | Self::RegularDemand(_)
            | Self::Stock(_)
            | Self::OpenLot(_)
            | Self::StockDay(_)
            | Self::Dispensing(_)
            | Self::Takings(_)
            | Self::Counter(_)
            | Self::Key(_) => return None,
        })
    }
}

impl Invoice {
    /// Returns the invoice reduced to the facility's books.
    #[must_use]
    pub(crate) fn emptied(&self) -> Self {
        let mut left = self.clone();
        let Self {
            name,
            age,
            gender,
            phone,
            email,
            dosage,
            invoice_id: _,
            prescription_id: _,
            patient_id: _,
            medicine: _,
            invoice_date: _,
            companyaddress: _,
            price: _,
            currency: _,
            state: _,
            quantity: _,
            receipt_id: _,
            credit_note_id: _,
        } = &mut left;
        (*name, *age, *gender, *phone, *email, *dosage) = (None, None, None, None, None, None);
        left
    }
}

fn without_dosage(prescription: &Prescription) -> Prescription {
    let mut left = prescription.clone();
    let Prescription {
        dosage,
        prescription_id: _,
        consultation_id: _,
        patient_id: _,
        medicine: _,
        is_regular: _,
        price: _,
        currency: _,
        prescribed: _,
        state: _,
        dispensed: _,
        quantity: _,
        every_days: _,
    } = &mut left;
    *dosage = None;
    left
}

fn noteless_movement(movement: &Movement) -> Movement {
    let mut left = movement.clone();
    let Movement {
        note,
        movement_id: _,
        medicine: _,
        kind: _,
        reason: _,
        units: _,
        balance: _,
        lot: _,
        expires: _,
        day: _,
        invoice_id: _,
        prescription_id: _,
        reverses: _,
        cost: _,
        currency: _,
        from_order: _,
    } = &mut left;
    *note = None;
    left
}

fn noteless_receipt(receipt: &Receipt) -> Receipt {
    let mut left = receipt.clone();
    let Receipt {
        note,
        receipt_id: _,
        kind: _,
        invoice_id: _,
        credit_note_id: _,
        corrects: _,
        method: _,
        from_method: _,
        amount: _,
        currency: _,
        day: _,
        holder: _,
        reason: _,
    } = &mut left;
    *note = None;
    left
}
