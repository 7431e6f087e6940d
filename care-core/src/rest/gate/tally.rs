//! Sums of refusals in the log: with a line for each, a client could write more into the log than it sends.

use std::{
    collections::HashMap,
    fmt, mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use http::StatusCode;

use crate::keys::Principal;

/// The log target of the lines about requests, which filters can name: one line for each, a sum for those without a
/// valid key, and a sum for the refusals of a key beyond ten a second.
pub(crate) const LOG: &str = "care_core::request";

/// The shortest time between two sums.
const SUM_INTERVAL: Duration = Duration::from_secs(1);
/// The refusals of a key within this time that have a line each.
const LINES_OF_A_KEY: u32 = 10;
/// Most keys whose refusals are counted. Beyond it, all sums are logged, and counting begins anew.
const MOST_KEYS: usize = 1024;

/// Counts refusals, and logs their sums, at most one line a second for requests without a valid key, and for each key.
#[derive(Default)]
pub(crate) struct Tally {
    /// Whether there is a sum to log, so that other requests need no lock to find out.
    is_due: AtomicBool,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    keyless: Sum,
    logged: Option<Instant>,
    /// By the ids of the keys.
    keys: HashMap<Arc<str>, KeyCounts>,
}

/// The refusals of a key.
#[derive(Debug)]
struct KeyCounts {
    actor: Arc<str>,
    since: Instant,
    lines: u32,
    beyond: Sum,
}

/// Numbers of refusals by their status.
#[derive(Debug, Default, Clone, Copy)]
struct Sum {
    unauthorized: u64,
    forbidden: u64,
    slowed: u64,
    unavailable: u64,
    other: u64,
}

impl Tally {
    /// Returns whether an answer with this status refuses the request for a reason that a client can bring about at
    /// will.
    pub(crate) fn is_refusal(status: StatusCode) -> bool {
        status.is_client_error() || matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::INSUFFICIENT_STORAGE)
    }

    /// Counts a refusal with this status, and returns whether it gets a line of its own.
    pub(crate) fn count(&self, principal: Option<&Principal>, status: StatusCode) -> bool {
        let now = Instant::now();
        let mut counts = self.counts();
        let has_line = match principal {
            Some(principal) => counts.count_of_key(principal, status, now),
            None => {
                counts.keyless.add(status);
                false
            }
        };
        self.is_due.store(counts.log(now), Ordering::Relaxed);
        has_line
    }

    /// Logs the sums that are due. Every other answer calls this, so that the last refusals are logged before the next
    /// one.
    pub(crate) fn flush(&self) {
        // The flag synchronises no other memory.
        if self.is_due.load(Ordering::Relaxed) {
            // Both are done under the lock, so that a refusal in between is not forgotten.
            let mut counts = self.counts();
            self.is_due.store(counts.log(Instant::now()), Ordering::Relaxed);
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn count_of_key(&mut self, principal: &Principal, status: StatusCode, now: Instant) -> bool {
        if self.keys.len() >= MOST_KEYS && !self.keys.contains_key(&principal.id) {
            self.keys.drain().for_each(|(_, key)| key.write());
        }
        let key = self.keys.entry(Arc::clone(&principal.id)).or_insert_with(|| KeyCounts {
            actor: Arc::clone(&principal.name),
            since: now,
            lines: 0,
            beyond: Sum::default(),
        });
        if key.is_over(now) {
            key.write();
            *key = KeyCounts { actor: Arc::clone(&key.actor), since: now, lines: 0, beyond: Sum::default() };
        }
        let has_line = key.lines < LINES_OF_A_KEY;
        match has_line {
            true => key.lines += 1,
            false => key.beyond.add(status),
        }
        has_line
    }

    /// Logs the sums whose second is over. Returns whether there are others.
    fn log(&mut self, now: Instant) -> bool {
        if self.logged.is_none_or(|logged| now.duration_since(logged) >= SUM_INTERVAL) {
            self.logged = Some(now);
            self.write_keyless();
        }
        self.keys.retain(|_, key| {
            if key.is_over(now) {
                key.write();
            }
            !key.is_over(now)
        });
        self.keyless.all() > 0 || self.keys.values().any(|key| key.beyond.all() > 0)
    }

    fn write_keyless(&mut self) {
        let sum = mem::take(&mut self.keyless);
        let (requests, Sum { unauthorized, slowed, .. }) = (sum.all(), sum);
        if requests > 0 {
            let other = requests - unauthorized - slowed;
            tracing::info!(target: LOG, requests, unauthorized, slowed, other, "refused without a valid key");
        }
    }
}

impl KeyCounts {
    fn is_over(&self, now: Instant) -> bool {
        now.duration_since(self.since) >= SUM_INTERVAL
    }

    /// Logs the refusals that had no line of their own.
    fn write(&self) {
        let requests = self.beyond.all();
        let Sum { unauthorized, forbidden, slowed, unavailable, other } = self.beyond;
        if requests > 0 {
            let actor = &*self.actor;
            tracing::info!(
                target: LOG,
                actor,
                requests,
                unauthorized,
                forbidden,
                slowed,
                unavailable,
                other,
                "refused beyond ten a second"
            );
        }
    }
}

impl Sum {
    const fn add(&mut self, status: StatusCode) {
        let count = match status {
            StatusCode::UNAUTHORIZED => &mut self.unauthorized,
            StatusCode::FORBIDDEN => &mut self.forbidden,
            StatusCode::TOO_MANY_REQUESTS => &mut self.slowed,
            StatusCode::SERVICE_UNAVAILABLE => &mut self.unavailable,
            _ => &mut self.other,
        };
        *count += 1;
    }

    const fn all(&self) -> u64 {
        let Self { unauthorized, forbidden, slowed, unavailable, other } = *self;
        unauthorized + forbidden + slowed + unavailable + other
    }
}

impl Drop for Counts {
    /// Logs the last refusals when the host ends.
    fn drop(&mut self) {
        self.write_keyless();
        self.keys.values().for_each(KeyCounts::write);
    }
}

impl fmt::Debug for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tally").finish_non_exhaustive()
    }
}
