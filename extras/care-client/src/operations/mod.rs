//! The operations: a method for each, a file for each noun. Methods are named for what they do; each calls the
//! operation with the identifier of the OpenAPI document.

mod desk;
mod inventory;
mod invoices;
mod journal;
mod money;
mod patients;
mod prescriptions;
mod stock;

use care_core::model::Date;

/// Returns a day in the form that queries use.
fn day(day: Option<Date>) -> Option<String> {
    day.map(|day| day.to_string())
}
