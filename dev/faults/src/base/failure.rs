//! The reason why a run failed.

use std::{error::Error, fmt, thread::ScopedJoinHandle};

/// The reason why a run failed: something was lost, done twice or answered wrongly, described for a person. Not an
/// [`Error`] itself, so that `?` makes one of any error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// Makes a failure with this description.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    /// Prefixes the circumstances.
    #[must_use]
    pub fn when(self, circumstances: impl fmt::Display) -> Self {
        Self(format!("{circumstances}: {}", self.0))
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

/// Fails with this description unless the condition holds.
pub(crate) fn ensure(condition: bool, words: impl FnOnce() -> String) -> Result<(), Failure> {
    match condition {
        true => Ok(()),
        false => Err(Failure(words())),
    }
}

/// Waits for a thread, and returns its result.
pub(crate) fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, Failure>>) -> Result<T, Failure> {
    thread.join().map_err(|_| Failure::new("a thread panicked"))?
}
