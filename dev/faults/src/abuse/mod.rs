//! The cost of one client to the others: the most expensive requests that the limits allow, compared with ordinary
//! ones.
//!
//! Each part returns rows of a table and compares them with [bars](BARS). Work is measured as the server's processor
//! time, so that other programs on the machine do not matter. Only the waits of other clients are wall-clock time.

mod bursts;
mod cost;
mod crowd;
mod fairness;
mod other;
mod pages;
mod planted;
mod polls;
mod readers;
mod receivers;
mod runaway;
mod stalled;
mod throttle;

use std::time::Duration;

use clap::Args;

pub(crate) use bursts::bursts;
pub(crate) use cost::{growth::growth, reports::reports, requests::requests, stored::stored};
pub(crate) use crowd::crowds;
pub(crate) use fairness::fairness;
#[cfg(feature = "postgres")]
pub(crate) use fairness::fairness_in;
pub(crate) use pages::pages;
pub(crate) use planted::planted;
pub(crate) use polls::polls;
pub(crate) use readers::readers;
pub(crate) use receivers::receivers;
pub(crate) use runaway::runaway;
pub(crate) use stalled::stalled;
pub(crate) use throttle::throttle;

/// The sizes of all parts.
#[derive(Debug, Clone, Copy, PartialEq, Args)]
pub struct Sizes {
    /// Visits and diseases of one patient.
    #[arg(long, default_value_t = Self::FULL.visits)]
    pub visits: u64,
    /// Prescriptions of one patient, most of them paid.
    #[arg(long, default_value_t = Self::FULL.prescriptions)]
    pub prescriptions: u64,
    /// Journal entries of one patient.
    #[arg(long, default_value_t = Self::FULL.entries)]
    pub entries: u64,
    /// Prescriptions and diseases of one consultation.
    #[arg(long, default_value_t = Self::FULL.at_once)]
    pub at_once: u64,
    /// Other patients, all of maximum size.
    #[arg(long, default_value_t = Self::FULL.patients)]
    pub patients: u64,
    /// Patients in the databases from which persons are erased.
    #[arg(long, default_value_t = Self::FULL.registered)]
    pub registered: u64,
    /// Visits of the patient that goes through the whole flow.
    #[arg(long, default_value_t = Self::FULL.flows)]
    pub flows: u64,
    /// Medicine-days with prescriptions.
    #[arg(long, default_value_t = Self::FULL.medicine_days)]
    pub medicine_days: u64,
    /// Simultaneous connections in each stage of a request.
    #[arg(long, default_value_t = Self::FULL.connections)]
    pub connections: usize,
    /// Simultaneous polls.
    #[arg(long, default_value_t = Self::FULL.polls)]
    pub polls: usize,
    /// The time for which two servers race, in seconds.
    #[arg(long, default_value_t = Self::FULL.seconds)]
    pub seconds: f64,
    /// The divisor of the number of measurements: 1 measures as often as exact figures need.
    #[arg(skip = 1_u64)]
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
        registered: 40_000,
        flows: 400,
        medicine_days: 2_000_000,
        connections: 5_000,
        polls: 5_000,
        seconds: 20.0,
        part: 1,
    };
    /// The sizes for the tests, which take a few seconds.
    pub const SHORT: Self = Self {
        visits: 200,
        prescriptions: 120,
        entries: 300,
        at_once: 30,
        patients: 400,
        registered: 3_000,
        flows: 3,
        medicine_days: 8_000,
        connections: 300,
        polls: 300,
        seconds: 0.3,
        part: 10,
    };

    /// Returns the part of a time for which something is measured.
    pub(crate) fn time(&self, full: Duration) -> Duration {
        full / self.part as u32
    }
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
