//! The interactions: what a path asks for, and what a key needs for it.

use care_core::{model::Scopes, operation::JournalOperation, rest::Plan};

use crate::kind::Row;

/// What a path asks for.
#[derive(Debug)]
pub(crate) enum Interaction<'a> {
    Metadata,
    Search(&'static Row),
    Read(&'static Row, &'a str),
}

impl<'a> Interaction<'a> {
    /// Returns the interaction of a path, given as its segments; `None` for a path that is none.
    pub(crate) fn of(segments: &'a [String]) -> Option<Self> {
        let mut words = [""; 4];
        for (word, segment) in words.get_mut(..segments.len())?.iter_mut().zip(segments) {
            *word = segment;
        }
        match words.get(..segments.len())? {
            ["metadata"] => Some(Self::Metadata),
            [kind] => Row::named(kind).map(Self::Search),
            [kind, id] if !id.is_empty() => Some(Self::Read(Row::named(kind)?, id)),
            _ => None,
        }
    }

    /// Returns its name in figures and logs, and the scopes that it needs.
    pub(crate) fn plan(&self) -> Plan {
        let (operation, needs) = match self {
            Self::Metadata => ("fhirMetadata", None),
            Self::Search(row) => ("fhirSearch", Some(vec![row.scope])),
            Self::Read(row, _) => (JournalOperation::FhirRead.name(), Some(vec![row.scope])),
        };
        Plan { operation, needs: needs.map(Scopes::from_iter) }
    }
}
