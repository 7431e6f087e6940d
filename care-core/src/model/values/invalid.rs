//! The reason why a value is refused.

/// The rule that a value breaks, as one sentence that never contains the value itself.
///
/// Every constructor of a value type returns this as its error, so that a caller can name the fault without repeating
/// the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub(crate) &'static str);

impl Invalid {
    /// Returns the broken rule, for example `"must be 0 to 150"`.
    pub const fn rule(self) -> &'static str {
        self.0
    }
}
