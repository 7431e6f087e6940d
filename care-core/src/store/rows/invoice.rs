//! Invoices.

use super::row::row;
use crate::model::Invoice;

// A prescription has one unpaid invoice at most.
row! {
    Invoice in "invoice":
    invoice_id;
    prescription_id indexed, patient_id indexed, medicine, name, age, invoice_date, gender, phone, email,
    companyaddress, dosage, price, currency, state indexed, quantity;
    second_key true
}
