//! The mapping: pure functions from records to resources, without identifier and version. Fields without a place
//! in R4 are not shown, and nothing is invented.

mod care;
mod medicines;
mod patient;

pub(crate) use care::{condition, encounter, medication_request};
pub(crate) use medicines::{invoice, medication, medication_dispense};
pub(crate) use patient::{age, patient, weight};

#[cfg(test)]
mod tests;
