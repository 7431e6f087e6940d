//! Everything that is wrong with one body.

use std::borrow::Cow;

use crate::error::FieldError;

/// The faults of one body, collected without stopping at the first.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    decode: Vec<FieldError>,
    rules: Vec<FieldError>,
}

/// What a faulty body is refused with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Members of a wrong type, missing, unknown or repeated ones: 400.
    Decode(Vec<FieldError>),
    /// Values that break a rule: 422.
    Rules(Vec<FieldError>),
}

/// More faults of one kind than this are left out, or a body of a thousand wrong elements would be answered with many
/// times its own length.
const MAX_FAULTS: usize = 100;

impl Faults {
    /// Notes that a member cannot be decoded.
    pub(crate) fn decode(&mut self, field: impl Into<Cow<'static, str>>, detail: &'static str) {
        note(&mut self.decode, field, detail);
    }

    /// Notes that a value breaks a rule.
    pub(crate) fn rule(&mut self, field: impl Into<Cow<'static, str>>, detail: &'static str) {
        note(&mut self.rules, field, detail);
    }

    /// The verdict. A rule is judged only once everything could be decoded.
    pub(crate) fn into_result(self) -> Result<(), Refused> {
        match (self.decode, self.rules) {
            (decode, rules) if decode.is_empty() && rules.is_empty() => Ok(()),
            (decode, rules) if decode.is_empty() => Err(Refused::Rules(rules)),
            (decode, _) => Err(Refused::Decode(decode)),
        }
    }
}

fn note(faults: &mut Vec<FieldError>, field: impl Into<Cow<'static, str>>, detail: &'static str) {
    if faults.len() < MAX_FAULTS {
        faults.push(FieldError::new(field, detail));
    }
}
