//! The types of events that an endpoint asks for.

use std::{fmt, str::FromStr};

use care_core::operation::JournalOperation;

use crate::message::RELAY_TYPES;

/// The types of events that an endpoint asks for: single ones (`invoice.paid`) and families (`patient.*`). Without a
/// choice, all events of the clinic, and none of the relay's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventTypes(Vec<String>);

/// The reason why a text names no type of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be types of events, such as patient.*,invoice.paid")]
pub struct UnknownType;

impl EventTypes {
    /// Returns whether the endpoint asks for this type.
    pub fn takes(&self, r#type: &str) -> bool {
        match self.0.is_empty() {
            true => !r#type.starts_with("relay."),
            false => self.0.iter().any(|wanted| matches(wanted, r#type)),
        }
    }
}

fn matches(wanted: &str, r#type: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(family) => r#type.starts_with(family),
        None => wanted == r#type,
    }
}

/// Returns all types of this version.
fn known() -> impl Iterator<Item = &'static str> {
    JournalOperation::all().filter_map(JournalOperation::event).chain(RELAY_TYPES)
}

impl FromStr for EventTypes {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let types = text.split(',').map(|wanted| {
            let is_pattern = wanted
                .strip_suffix(".*")
                .unwrap_or(wanted)
                .bytes()
                .all(|byte| byte == b'.' || byte.is_ascii_lowercase() || byte == b'_');
            match is_pattern && known().any(|known| matches(wanted, known)) {
                true => Ok(wanted.to_owned()),
                false => Err(UnknownType),
            }
        });
        let types: Vec<_> = types.collect::<Result<_, _>>()?;
        if types.len() > 100 { Err(UnknownType) } else { Ok(Self(types)) }
    }
}

impl fmt::Display for EventTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_takes_what_it_asks_for() {
        for (types, taken, left) in [
            ("", "patient.registered", "relay.test"),
            ("patient.*,invoice.paid", "invoice.paid", "invoice.issued"),
            ("patient.*,invoice.paid", "patient.erased", "relay.endpoint_disabled"),
            ("relay.*", "relay.endpoint_disabled", "patient.erased"),
        ] {
            let types: EventTypes = types.parse().unwrap();
            assert!(types.takes(taken) && !types.takes(left), "{types}");
            assert_eq!(types.to_string().parse(), Ok(types));
        }
    }

    #[test]
    fn a_misspelt_type_is_refused() {
        for types in ["*", "patients.*", "patient.", "patient", "invoice.paid,", "Invoice.paid", "invoice.*.paid", ".*"]
        {
            assert_eq!(types.parse::<EventTypes>(), Err(UnknownType), "{types}");
        }
    }
}
