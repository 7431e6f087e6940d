//! The finding of a part of the harness, or the reason why it failed.

use std::{error::Error, fmt, result, thread::ScopedJoinHandle, time::Duration};

/// A row of the results table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finding {
    /// The test, if it is not what the [row](crate::Row) says.
    pub what: String,
    /// The number of rounds, or the amount of data.
    pub often: String,
    /// The result.
    pub found: String,
    /// The bars that were not met.
    pub missed: Vec<String>,
}

impl Finding {
    /// Starts a row: how often something was done.
    pub(crate) fn new(often: impl Into<String>) -> Self {
        Self { often: often.into(), ..Self::default() }
    }

    /// Starts a row that says what was done.
    pub(crate) fn of(what: impl Into<String>, often: impl Into<String>) -> Self {
        Self { what: what.into(), ..Self::new(often) }
    }

    /// Sets what was found.
    pub(crate) fn found(mut self, found: impl Into<String>) -> Self {
        self.found = found.into();
        self
    }

    /// Notes a missed bar with this description, unless the bar holds.
    pub(crate) fn bar(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.missed.push(otherwise());
        }
    }

    /// Returns the row if every bar was met.
    ///
    /// # Errors
    /// The bars that were missed.
    pub fn hold(self) -> Result<Self> {
        match self.missed.is_empty() {
            true => Ok(self),
            false => Err(Failure::new(format!("{}: {}", self.what, self.missed.join("; ")))),
        }
    }
}

/// Returns this percentile of sorted times.
pub(crate) fn percentile(times: &[Duration], share: usize) -> Duration {
    times.get((times.len() * share).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

/// Returns a time in milliseconds.
pub(crate) const fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns a length in MiB.
pub(crate) const fn mib(bytes: u64) -> f64 {
    bytes as f64 / (1 << 20) as f64
}

/// The reason why a run failed: something was lost, done twice or answered wrongly, described for a person. Not an
/// [`Error`] itself, so that `?` makes one of any error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// Makes a failure with this description.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// A result, or the failure of the harness.
pub type Result<T, E = Failure> = result::Result<T, E>;

/// Fails with this description unless the condition holds.
macro_rules! ensure {
    ($holds:expr, $($words:tt)+) => {
        let holds: bool = $holds;
        if !holds {
            return Err($crate::Failure::new(format!($($words)+)));
        }
    };
}
pub(crate) use ensure;

/// Says when something failed.
pub(crate) trait Context {
    /// Prefixes the failure with the circumstances.
    fn when(self, circumstances: impl fmt::Display) -> Self;
}

impl<T> Context for Result<T> {
    fn when(self, circumstances: impl fmt::Display) -> Self {
        self.map_err(|failure| Failure(format!("{circumstances}: {failure}")))
    }
}

/// Waits for a thread, and returns its result.
pub(crate) fn joined<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().map_err(|_| Failure::new("a thread panicked"))?
}
