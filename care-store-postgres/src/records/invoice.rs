//! Invoices.

use care_core::model::{Address, Email, Invoice, InvoiceState, Name, ShortText};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

const STATES: [(&str, InvoiceState); 2] =
    [(InvoiceState::Unpaid.as_str(), InvoiceState::Unpaid), (InvoiceState::Paid.as_str(), InvoiceState::Paid)];

impl Stored for Invoice {
    const TABLE: Table = table!(
        "invoice",
        ["invoice_id" int8],
        [
            "prescription_id" int8,
            "patient_id" int8,
            "medicine" text,
            "name" text,
            "age" int4,
            "invoice_date" int4,
            "gender" text,
            "phone" int8,
            "email" text,
            "companyaddress" text,
            "dosage" text,
            "price" int8,
            "currency" text,
            "state" text,
            "quantity" int4
        ]
    );

    const IS_ORDERED: bool = true;

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            invoice_id: cells.number()?,
            prescription_id: cells.number()?,
            patient_id: cells.number()?,
            medicine: cells.text()?,
            name: cells.maybe_text()?,
            age: cells.maybe_number()?,
            invoice_date: cells.date()?,
            gender: cells.maybe_text()?,
            phone: cells.maybe_number()?,
            email: cells.maybe_text()?,
            companyaddress: cells.maybe_text()?,
            dosage: cells.maybe_text()?,
            price: cells.maybe_number()?,
            currency: cells.maybe_text()?,
            state: cells.word(&STATES)?,
            quantity: cells.maybe_number()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self {
            invoice_id,
            prescription_id,
            patient_id,
            medicine,
            name,
            age,
            invoice_date,
            gender,
            phone,
            email,
            companyaddress,
            dosage,
            price,
            currency,
            state,
            quantity,
        } = self;
        values.put(invoice_id.value());
        values.put(prescription_id.value());
        values.put(patient_id.value());
        values.put(medicine.as_str());
        values.put(name.as_ref().map(Name::as_str));
        values.put(age.map(|age| age.value()));
        values.put(invoice_date.unix_days());
        values.put(gender.as_ref().map(ShortText::as_str));
        values.put(phone.map(|phone| phone.value()));
        values.put(email.as_ref().map(Email::as_str));
        values.put(companyaddress.as_ref().map(Address::as_str));
        values.put(dosage.as_ref().map(ShortText::as_str));
        values.put(price.map(|price| price.value()));
        values.put(currency.as_ref().map(|currency| currency.as_str()));
        values.put(state.as_str());
        values.put(quantity.map(|quantity| quantity.value()));
        Ok(())
    }
}
