//! Medicines and their units: items, lots, shelves, movements, and the counts of a day.

pub(crate) mod demand;
pub(crate) mod dispensing;
pub(crate) mod inventory;
pub(crate) mod lot;
pub(crate) mod medicine;
pub(crate) mod movement;
pub(crate) mod shelf;
pub(crate) mod stock;
pub(crate) mod stock_day;
pub(crate) mod supply;

pub use {
    demand::*, dispensing::*, inventory::*, lot::*, medicine::*, movement::*, shelf::*, stock::*, stock_day::*,
    supply::*,
};
