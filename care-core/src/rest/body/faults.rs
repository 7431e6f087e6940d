//! Everything that is wrong with one body.

use std::borrow::Cow;

use crate::{error::FieldError, model::Invalid};

/// The faults of one body, collected without stopping at the first.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    decode: Vec<FieldError>,
    rules: Vec<FieldError>,
}

/// What is wrong with one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A wrong type, a missing, unknown or repeated member: 400.
    Decode(&'static str),
    /// A value that breaks a rule: 422.
    Rule(&'static str),
}

/// What a faulty body is refused with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BodyRefusal {
    /// Every [`Fault::Decode`]: 400.
    Decode(Vec<FieldError>),
    /// Every [`Fault::Rule`], where everything could be decoded: 422.
    Rules(Vec<FieldError>),
}

/// More faults of one kind than this are left out, or a body of a thousand wrong elements would be answered with many
/// times its own length.
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

    /// Notes what is wrong with a field.
    pub(crate) fn note(&mut self, field: impl Into<Cow<'static, str>>, fault: Fault) {
        let (faults, detail) = match fault {
            Fault::Decode(detail) => (&mut self.decode, detail),
            Fault::Rule(detail) => (&mut self.rules, detail),
        };
        if faults.len() < MAX_FAULTS {
            faults.push(FieldError::new(field, detail));
        }
    }

    /// The verdict. A rule is judged only once everything could be decoded.
    pub(crate) fn into_result(self) -> Result<(), BodyRefusal> {
        if !self.decode.is_empty() {
            Err(BodyRefusal::Decode(self.decode))
        } else if !self.rules.is_empty() {
            Err(BodyRefusal::Rules(self.rules))
        } else {
            Ok(())
        }
    }
}

/// A sentence of its own says why a value could not be read.
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
