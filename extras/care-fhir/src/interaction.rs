//! The interactions: what a path asks for, and what a key needs for it.

use care_core::{
    model::{Scope, Scopes},
    operation::JournalOperation,
    rest::{Load, Plan},
};

use crate::{
    bundles::page,
    kind::{ABOUT_A_PATIENT, Row},
};

/// The interaction that a path asks for.
#[derive(Debug)]
pub(crate) enum Interaction<'a> {
    Metadata,
    Search(&'static Row),
    Read(&'static Row, &'a str),
    Version(&'static Row, &'a str, &'a str),
    History(&'static Row, &'a str),
    Everything(&'a str),
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
            [_, "", ..] => None,
            [kind, id] => Row::named(kind).map(|row| Self::Read(row, id)),
            ["Patient", id, "$everything"] => Some(Self::Everything(id)),
            [kind, id, "_history"] => Row::named(kind).filter(|row| row.has_history).map(|row| Self::History(row, id)),
            [kind, id, "_history", version] => Row::named(kind).map(|row| Self::Version(row, id, version)),
            _ => None,
        }
    }

    /// Returns its name in figures and logs, and the scopes that it needs.
    pub(crate) fn plan(&self) -> Plan {
        let all = |scopes: &[Scope]| Some(scopes.iter().copied().collect::<Scopes>());
        let (operation, needs) = match self {
            Self::Metadata => ("fhirMetadata", None),
            Self::Search(row) => ("fhirSearch", all(&[row.scope])),
            Self::Read(row, _) => (JournalOperation::FhirRead.name(), all(&[row.scope])),
            // Only an earlier version than the current one needs more.
            Self::Version(row, ..) => (JournalOperation::FhirVread.name(), all(&[row.scope])),
            Self::History(row, _) => (JournalOperation::FhirHistory.name(), all(&[row.scope, Scope::Admin])),
            Self::Everything(_) => {
                let scopes = ABOUT_A_PATIENT.map(|kind| Row::of(kind).scope);
                (JournalOperation::FhirEverything.name(), all(&scopes))
            }
        };
        let load = match self {
            Self::Metadata | Self::Read(..) | Self::Version(..) => Load::SHORT,
            Self::Search(_) | Self::History(..) | Self::Everything(_) => Load::list(page::LONGEST),
        };
        Plan { operation, needs, load }
    }
}
