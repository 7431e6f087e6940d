//! The operations, one method each, one file a noun. The method's name says what it does; the operation's identifier is
//! what it calls.

mod inventory;
mod invoices;
mod journal;
mod patients;
mod prescriptions;
mod stock;

use care_core::model::Date;

/// Returns a day as it is written in queries.
fn day(day: Option<Date>) -> Option<String> {
    day.map(|day| day.to_string())
}
