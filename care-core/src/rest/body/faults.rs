//! The faults of a body.

use std::borrow::Cow;

use crate::{error::FieldError, model::Invalid};

/// The faults of one body. Reading collects them without stopping at the first.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    decode: Vec<FieldError>,
    rules: Vec<FieldError>,
    /// Whether one of the rules is broken for certain.
    is_certain: bool,
}

/// The fault of one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A wrong type, or a missing, unknown or repeated member: 400.
    Decode(&'static str),
    /// A value that breaks a rule: 422.
    Rule(&'static str),
    /// A value that breaks a rule, unless it is what is stored. Alone it is left to the use case.
    RuleIfNew(&'static str),
}

/// The refusal of a faulty body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BodyRefusal {
    /// All [`Fault::Decode`]: 400.
    Decode(Vec<FieldError>),
    /// All other faults of a body without decoding faults, among them a [`Fault::Rule`]: 422.
    Rules(Vec<FieldError>),
}

/// The highest number of reported faults of each kind. Without a limit, the answer to a body with a thousand wrong
/// elements would be many times as long as the body.
const MAX_FAULTS: usize = 100;

impl Faults {
    /// Notes that a field cannot be decoded.
    pub(crate) fn decode(&mut self, field: impl Into<Cow<'static, str>>, detail: &'static str) {
        self.note(field, Fault::Decode(detail));
    }

    /// Notes that a field breaks a rule.
    pub(crate) fn rule(&mut self, field: impl Into<Cow<'static, str>>, detail: &'static str) {
        self.note(field, Fault::Rule(detail));
    }

    /// Notes a fault of a field.
    pub(crate) fn note(&mut self, field: impl Into<Cow<'static, str>>, fault: Fault) {
        self.is_certain |= matches!(fault, Fault::Rule(_));
        let (faults, detail) = match fault {
            Fault::Decode(detail) => (&mut self.decode, detail),
            Fault::Rule(detail) | Fault::RuleIfNew(detail) => (&mut self.rules, detail),
        };
        if faults.len() < MAX_FAULTS {
            faults.push(FieldError::new(field, detail));
        }
    }

    /// Returns the refusal, if there are faults. Faults of rules count only when every field could be decoded.
    pub(crate) fn into_result(self) -> Result<(), BodyRefusal> {
        if !self.decode.is_empty() {
            Err(BodyRefusal::Decode(self.decode))
        } else if self.is_certain {
            Err(BodyRefusal::Rules(self.rules))
        } else {
            Ok(())
        }
    }
}

/// A sentence becomes the fault of a value that could not be decoded.
impl From<&'static str> for Fault {
    fn from(detail: &'static str) -> Self {
        Self::Decode(detail)
    }
}

impl From<Invalid> for Fault {
    fn from(broken: Invalid) -> Self {
        Self::Rule(broken.rule())
    }
}
