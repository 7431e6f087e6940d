//! Why a value was refused.

/// The rule that a value breaks, as one sentence that never holds the value itself.
///
/// Every value type of the model answers with this from its constructor, so that a caller can say *what* is
/// wrong without repeating what was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub(crate) &'static str);

impl Invalid {
    /// The broken rule, for example `"must be 0 to 150"`.
    pub const fn rule(self) -> &'static str {
        self.0
    }
}
