//! Units on a shelf, and advice on restocking: pure functions, without a store and without a clock.
//!
//! - [`levels`] reads a shelf; [`take`], [`count`] and [`apply`] change it.
//! - [`Ledger`] computes shelves from movements, and refuses movements that contradict each other.
//! - [`note`] updates the counts of a day, and [`Consumption`] reads them.
//! - [`plan`] is the advice for one medicine, and [`backtest`] simulates policies against the past.
//!
//! All figures are integers and exact fractions, rounded once, so that they can be checked with a pencil.

mod backtest;
mod because;
pub(crate) mod consumption;
mod fraction;
mod ledger;
mod level;
mod plan;
mod planning;
pub(crate) mod reasoning;
mod reorder;
mod shelf;
mod spoilage;
#[cfg(test)]
mod tests;

pub use backtest::{Backtest, BacktestInput, BacktestRow, BacktestRule, backtest};
pub use consumption::note;
pub use consumption::{Consumption, Window};
pub use fraction::{Fraction, Hundredths};
pub use ledger::{Ledger, LedgerError};
pub use level::{Levels, is_usable, levels, usable_of_all, usable_until};
pub use plan::{Plan, PlanInput};
pub(crate) use planning::PlanDraft;
pub use planning::plan;
pub use reasoning::{Figure, Reasoning};
pub use reorder::{Confidence, Reorder, Variance, safety_stock};
pub use shelf::{LotCount, Step, apply, count, take};
pub use spoilage::AtRisk;
