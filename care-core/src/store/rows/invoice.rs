//! Invoices.

use super::row::row;
use crate::model::Invoice;

// A prescription has one unpaid invoice at most.
row! {
    Invoice in "invoice":
    invoice_id;
    prescription_id, patient_id, medicine, name, age, invoice_date, gender, phone, email, companyaddress, dosage, price,
    currency, state, quantity;
    indexed prescription_id, patient_id, state;
    second_key true
}
