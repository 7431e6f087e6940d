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
mod polls;
mod readers;
mod runaway;

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

/// The limits that must hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bars {
    /// The highest ratio of the processor time of an operation's most expensive request to that of an ordinary one with
    /// as many bytes.
    pub(crate) times: f64,
    /// The longest wait of another client for the answer to a write.
    pub(crate) wait: Duration,
    /// The longest time in which a probe must be answered.
    pub(crate) probe: Duration,
    /// The memory that a request may take, in bytes.
    pub(crate) memory: u64,
    /// The bytes by which the file may grow for each byte that was sent.
    pub(crate) growth: f64,
    /// The bytes by which the file may grow for each byte of a request that changes a part of something long. Each
    /// request counts for 1 KiB more, and for 256 bytes more for each prescription that it creates or withdraws.
    pub(crate) stored: f64,
    /// The longest wait of another client for the answer to a write while a patient with 900 regular prescriptions is
    /// voided.
    pub(crate) voiding: Duration,
    /// The longest time in which a server must end after it is told to stop.
    pub(crate) stop: Duration,
    /// The longest time for `care-admin keys revoke`.
    pub(crate) revoke: Duration,
}

impl Sizes {
    /// The sizes for the published table.
    pub(crate) const FULL: Self = Self {
        visits: 10_000,
        prescriptions: 10_000,
        entries: 100_000,
        patients: 20_000,
        registered: 40_000,
        flows: 400,
        medicine_days: 2_000_000,
        connections: 5_000,
        polls: 5_000,
        part: 1,
    };
    /// The sizes for the tests, which take a few seconds.
    pub(crate) const SHORT: Self = Self {
        visits: 200,
        prescriptions: 120,
        entries: 300,
        patients: 400,
        registered: 3_000,
        flows: 3,
        medicine_days: 8_000,
        connections: 300,
        polls: 300,
        part: 10,
    };

    /// Returns the part of a time for which something is measured.
    pub(crate) fn time(&self, full: Duration) -> Duration {
        full / self.part as u32
    }
}

/// The bars for the published table.
pub(crate) const BARS: Bars = Bars {
    times: 20.0,
    wait: Duration::from_millis(100),
    probe: Duration::from_secs(1),
    memory: 8 << 20,
    growth: 12.0,
    stored: 8.0,
    voiding: Duration::from_millis(60),
    stop: Duration::from_secs(10),
    revoke: Duration::from_secs(1),
};

/// Much longer than anything takes that ends.
const AT_LAST: Duration = Duration::from_secs(60);

/// The bars for the tests: everything must end, and the long runs hold it to times. Programs that are not optimised
/// share a machine with other tests.
pub(crate) const GENEROUS: Bars =
    Bars { wait: AT_LAST, probe: AT_LAST, voiding: AT_LAST, stop: AT_LAST, revoke: AT_LAST, ..BARS };
