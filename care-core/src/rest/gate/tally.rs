//! Logging refusals as a sum.

use std::{
    fmt, mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use http::StatusCode;

/// The log target of the lines about requests, which filters can name: one line for each, and a sum for those without a
/// valid key.
pub(crate) const LOG: &str = "care_core::request";

/// The shortest time between two lines.
const EVERY: Duration = Duration::from_secs(1);

/// Counts refusals of requests without a valid key, and logs the sum, at most one line a second.
///
/// With a line for each, a client without a key could write more into the log than it sends.
#[derive(Default)]
pub(crate) struct Tally {
    /// Whether there is a sum to log, so that other requests need no lock to find out.
    is_due: AtomicBool,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    unauthorized: u64,
    slowed: u64,
    other: u64,
    logged: Option<Instant>,
}

impl Tally {
    /// Counts a refusal with this status.
    pub(crate) fn count(&self, status: StatusCode) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        match status {
            StatusCode::UNAUTHORIZED => counts.unauthorized += 1,
            StatusCode::TOO_MANY_REQUESTS => counts.slowed += 1,
            _ => counts.other += 1,
        }
        let is_due = !counts.log(Instant::now());
        self.is_due.store(is_due, Ordering::Relaxed);
    }

    /// Logs the sum if that is due. Every other answer calls this, so that the last refusals are logged before the next
    /// one.
    pub(crate) fn flush(&self) {
        // The flag synchronises no other memory.
        if self.is_due.load(Ordering::Relaxed) {
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            let is_due = !counts.log(Instant::now());
            self.is_due.store(is_due, Ordering::Relaxed);
        }
    }
}

impl Counts {
    /// Logs the sum, unless the last line is too recent. Returns whether it did.
    fn log(&mut self, now: Instant) -> bool {
        if self.logged.is_some_and(|logged| now.duration_since(logged) < EVERY) {
            return false;
        }
        self.logged = Some(now);
        self.write();
        true
    }

    fn write(&mut self) {
        let [unauthorized, slowed, other] = [&mut self.unauthorized, &mut self.slowed, &mut self.other].map(mem::take);
        let requests = unauthorized + slowed + other;
        if requests > 0 {
            tracing::info!(target: LOG, requests, unauthorized, slowed, other, "refused without a valid key");
        }
    }
}

impl Drop for Counts {
    /// Logs the last refusals when the host ends.
    fn drop(&mut self) {
        self.write();
    }
}

impl fmt::Debug for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tally").finish_non_exhaustive()
    }
}
