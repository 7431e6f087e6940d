//! The reason why a run failed.

use std::{fmt, io};

/// The reason why a run failed: something was lost, done twice or answered wrongly, described for a person.
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

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
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
