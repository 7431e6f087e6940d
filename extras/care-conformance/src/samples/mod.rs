//! Sample records, the same on every run: ordinary ones, and series from the smallest to the most extreme.
//!
//! `patient(7)` is an ordinary patient; `patient_forms(7)` is that patient without optional fields, with all of them,
//! and with every field at its limit. Records that refer to others take these as arguments, so that samples never
//! contradict each other.
//!
//! # Panics
//!
//! The functions panic when the model refuses a number, a text or a day.

mod care;
mod extremes;
mod keys;
mod medicines;
mod money;
mod owned;
mod people;
mod stock;
mod texts;
mod values;

pub use {care::*, keys::*, medicines::*, money::*, owned::*, people::*, stock::*, texts::*, values::*};
