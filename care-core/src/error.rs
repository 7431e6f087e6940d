//! The domain's refusals.

use std::borrow::Cow;

/// A field that is at fault, and the rule it breaks. Never holds the submitted value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {detail}")]
pub struct FieldError {
    /// The field's name, `prescriptions[0].price` for a nested one.
    pub field: Cow<'static, str>,
    /// What is wrong with it, in one sentence.
    pub detail: &'static str,
}

impl FieldError {
    /// A fault of this field.
    pub fn new(field: impl Into<Cow<'static, str>>, detail: &'static str) -> Self {
        Self { field: field.into(), detail }
    }
}
