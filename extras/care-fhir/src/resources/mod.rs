//! The mapping: functions of records alone, which write resources without identifier and version. Fields without a
//! place in R4 are not shown, and nothing is invented.

mod care;
mod medicines;
mod patient;

pub(crate) use care::{condition, encounter, medication_request};
pub(crate) use medicines::{invoice, medication, medication_dispense};
#[cfg(test)]
pub(crate) use patient::{age, weight};
pub(crate) use patient::{observation, patient};

#[cfg(test)]
mod tests;
