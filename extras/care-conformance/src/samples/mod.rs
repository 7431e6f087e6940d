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
mod people;
mod stock;
mod texts;
mod values;

pub use care::{
    consultation, consultation_forms, diagnosis_forms, invoice, invoice_forms, prescription, prescription_forms,
};
pub use keys::api_key_forms;
pub use medicines::{
    counter_forms, demand, demand_forms, instant, item, item_forms, medicines, regular_demand, regular_demand_forms,
    regular_demand_id, regular_demand_intervals, replies,
};
pub use money::{receipt, receipt_forms, takings_forms, takings_keys};
pub use people::{find_text, history_forms, patient, patient_forms, patients_with_one_field};
pub use stock::{
    dispensing_forms, lot, movement, movement_forms, open_lot, open_lots, stock, stock_day_forms, stock_forms,
};
pub use texts::{every_plane, texts};
pub use values::{
    act, consultation_id, credit_note_id, date, first_day, invoice_id, last_day, medicine, movement_id, patient_id,
    prescription_id, receipt_id,
};
