//! Records of patients: consultations, prescriptions, invoices and histories.

pub(crate) mod consultation;
pub(crate) mod find;
pub(crate) mod history;
pub(crate) mod invoice;
pub(crate) mod patient;
pub(crate) mod prescription;

pub use {consultation::*, find::*, history::*, invoice::*, patient::*, prescription::*};
