//! The cost of one client to the others: the most expensive requests that the limits allow, compared with ordinary
//! ones.
//!
//! Each part returns rows of a table and compares them with bars. Work is measured as the server's processor time, so
//! that other programs on the machine do not matter. Only the waits of other clients are wall-clock time.

mod bursts;
mod cost;
mod crowd;
mod fairness;
mod measured;
mod other;
mod polls;
mod readers;
mod runaway;
mod shares;

use std::time::Duration;

pub(crate) use bursts::bursts;
pub(crate) use cost::{reports::reports, requests::requests, stored::stored};
pub(crate) use crowd::crowds;
pub(crate) use fairness::fairness;
#[cfg(feature = "postgres")]
pub(crate) use fairness::fairness_in;
pub(crate) use polls::polls;
pub(crate) use readers::readers;
pub(crate) use runaway::runaway;
pub(crate) use shares::shares;

/// The sizes of all parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sizes {
    /// Visits and diseases of one patient.
    pub(crate) visits: u64,
    /// Prescriptions of one patient, most of them paid.
    pub(crate) prescriptions: u64,
    /// Journal entries of one patient.
    pub(crate) entries: u64,
    /// Other patients, all of maximum size.
    pub(crate) patients: u64,
    /// Patients in the databases from which persons are erased.
    pub(crate) registered: u64,
    /// Visits of the patient that goes through the whole flow.
    pub(crate) flows: u64,
    /// Medicine-days with prescriptions.
    pub(crate) medicine_days: u64,
    /// Simultaneous connections in each stage of a request.
    pub(crate) connections: usize,
    /// Simultaneous polls.
    pub(crate) polls: usize,
    /// The divisor of the number of measurements: 1 measures as often as exact figures need.
    pub(crate) part: u64,
}

/// The longest wait of another client for the answer to a write.
const WAIT: Duration = Duration::from_millis(100);
/// The memory that a request may take, in bytes.
const MEMORY: u64 = 8 << 20;

impl Sizes {
    /// Returns the sizes for the published table, or those for the tests, which take a few seconds.
    pub(crate) const fn new(is_short: bool) -> Self {
        let column = is_short as usize;
        Self {
            visits: [10_000, 200][column],
            prescriptions: [10_000, 120][column],
            entries: [100_000, 300][column],
            patients: [20_000, 400][column],
            registered: [40_000, 3_000][column],
            flows: [400, 3][column],
            medicine_days: [2_000_000, 8_000][column],
            connections: [5_000, 300][column],
            polls: [5_000, 300][column],
            part: [1, 10][column],
        }
    }

    /// Returns whether these are the sizes for the tests.
    const fn are_short(&self) -> bool {
        self.part > 1
    }

    /// Returns the part of a time for which something is measured.
    fn time(&self, full: Duration) -> Duration {
        full / self.part as u32
    }
}
