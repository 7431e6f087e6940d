//! The cost of one client for the others: the dearest that the limits allow, beside what is ordinary.
//!
//! Each part answers rows of a table and holds them to [bars](BARS). Work is counted in processor time of the server,
//! so that other programs on the machine do not matter; only what other clients wait is time on a clock.

mod bursts;
mod clocks;
mod cost;
mod crowd;
mod planted;
mod polls;
mod readers;
mod runaway;
mod shared;
mod stalled;
mod throttle;

use std::time::Duration;

pub use bursts::bursts;
pub use clocks::clocks;
pub(crate) use cost::bodies::patient;
pub use cost::{growth::growth, reports::reports, requests::requests, stored::stored};
pub use crowd::crowds;
pub(crate) use crowd::end;
pub use planted::planted;
pub use polls::polls;
pub use readers::readers;
pub use runaway::runaway;
pub use shared::shared;
pub use stalled::stalled;
pub use throttle::throttle;

/// The sizes of all parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Visits and diseases of one patient.
    pub visits: u64,
    /// Prescriptions of one patient, most of them paid.
    pub prescriptions: u64,
    /// Journal entries of one patient.
    pub entries: u64,
    /// Prescriptions and diseases of one consultation.
    pub at_once: u64,
    /// Other patients, all of them as large as a patient can be.
    pub patients: u64,
    /// Visits of the patient that goes through the whole flow.
    pub flows: u64,
    /// Days of medicines that were prescribed.
    pub medicine_days: u64,
    /// Connections at once in a stage of a request.
    pub connections: usize,
    /// Polls at once.
    pub polls: usize,
    /// Each kind of request is measured this part of what is needed for exact figures: 1 for all of it.
    pub part: u64,
}

/// The limits that must hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bars {
    /// The highest ratio of the dearest request's processor time to that of an ordinary one of its operation and bytes.
    pub times: f64,
    /// The longest wait of another client for the answer to a write.
    pub wait: Duration,
    /// The memory that a request may take, in bytes.
    pub memory: u64,
    /// By how much the file may grow for each byte that was sent.
    pub growth: f64,
    /// By how much the file may grow for each byte of a request that changes a part of something long, counted with
    /// 1 KiB for each request, and with 256 bytes for each prescription that it makes or withdraws.
    pub stored: f64,
    /// The longest wait of another client for the answer to a write, while a patient with 900 regular prescriptions is
    /// voided.
    pub voiding: Duration,
    /// Within this time a server that is told to stop has ended.
    pub stop: Duration,
    /// Within this time `care-admin keys revoke` is done.
    pub revoke: Duration,
}

impl Sizes {
    /// Those of the table.
    pub const FULL: Self = Self {
        visits: 10_000,
        prescriptions: 10_000,
        entries: 100_000,
        at_once: 30,
        patients: 20_000,
        flows: 400,
        medicine_days: 2_000_000,
        connections: 5_000,
        polls: 5_000,
        part: 1,
    };
    /// Those of the tests: a few seconds.
    pub const SHORT: Self = Self {
        visits: 200,
        prescriptions: 120,
        entries: 300,
        at_once: 30,
        patients: 400,
        flows: 3,
        medicine_days: 8_000,
        connections: 300,
        polls: 300,
        part: 10,
    };
}

/// The bars of the table.
pub const BARS: Bars = Bars {
    times: 20.0,
    wait: Duration::from_millis(100),
    memory: 8 << 20,
    growth: 12.0,
    stored: 8.0,
    voiding: Duration::from_millis(60),
    stop: Duration::from_secs(10),
    revoke: Duration::from_secs(1),
};
