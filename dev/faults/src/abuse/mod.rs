//! The cost of one client to the others: the most expensive requests that the limits allow, compared with ordinary
//! ones.
//!
//! Each part returns rows of a table and compares them with [bars](BARS). Work is measured as the server's processor
//! time, so that other programs on the machine do not matter. Only the waits of other clients are wall-clock time.

mod bursts;
mod clocks;
mod cost;
mod crowd;
mod fairness;
mod pages;
mod planted;
mod polls;
mod readers;
mod receivers;
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
pub use fairness::fairness;
#[cfg(feature = "postgres")]
pub(crate) use fairness::fairness_in;
pub use pages::pages;
pub use planted::planted;
pub use polls::polls;
pub use readers::readers;
pub use receivers::receivers;
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
    /// Other patients, all of maximum size.
    pub patients: u64,
    /// Visits of the patient that goes through the whole flow.
    pub flows: u64,
    /// Medicine-days with prescriptions.
    pub medicine_days: u64,
    /// Simultaneous connections in each stage of a request.
    pub connections: usize,
    /// Simultaneous polls.
    pub polls: usize,
    /// The divisor of the number of measurements: 1 measures as often as exact figures need.
    pub part: u64,
}

/// The limits that must hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bars {
    /// The highest ratio of the processor time of an operation's most expensive request to that of an ordinary one with
    /// as many bytes.
    pub times: f64,
    /// The longest wait of another client for the answer to a write.
    pub wait: Duration,
    /// The longest time in which a probe must be answered.
    pub probe: Duration,
    /// The memory that a request may take, in bytes.
    pub memory: u64,
    /// The bytes by which the file may grow for each byte that was sent.
    pub growth: f64,
    /// The bytes by which the file may grow for each byte of a request that changes a part of something long. Each
    /// request counts for 1 KiB more, and for 256 bytes more for each prescription that it creates or withdraws.
    pub stored: f64,
    /// The longest wait of another client for the answer to a write while a patient with 900 regular prescriptions is
    /// voided.
    pub voiding: Duration,
    /// The highest ratio of the waits of another client beside pages in FHIR to those beside pages of the interface.
    pub pages: f64,
    /// The longest time in which a server must end after it is told to stop.
    pub stop: Duration,
    /// The longest time for `care-admin keys revoke`.
    pub revoke: Duration,
}

impl Sizes {
    /// The sizes for the published table.
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
    /// The sizes for the tests, which take a few seconds.
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

/// The bars for the published table.
pub const BARS: Bars = Bars {
    times: 20.0,
    wait: Duration::from_millis(100),
    probe: Duration::from_secs(1),
    memory: 8 << 20,
    growth: 12.0,
    stored: 8.0,
    voiding: Duration::from_millis(60),
    pages: 3.0,
    stop: Duration::from_secs(10),
    revoke: Duration::from_secs(1),
};
