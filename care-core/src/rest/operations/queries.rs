//! The parameters that each operation takes in its query.

use care_derive::Filter;

use crate::{
    model::FindText,
    rest::contract::operation::{Nature, Operation},
    service,
    store::{self, Filter, Parameter},
};

macro_rules! declared {
    (Query [$($query:path),*]) => {
        const { &[$(<$query as Filter>::PARAMETERS),*] }
    };
    ($input:ident $($roots:tt)?) => {
        &[]
    };
}

/// Defines the parameters that the rows name.
macro_rules! queries {
    ($($(#[$doc:meta])+ $operation:ident $id:literal $method:ident $path:literal {
        scope: $scope:ident, tag: $tag:literal, nature: $nature:expr, event: $event:tt,
        takes: $input:ident $([$($taken:tt)*])? $($body:path)?, $(gives: $answer:path,)? reads: $reads:tt,
        $(misses: $missing:ident,)? $(conflicts: [$($conflict:ident),*],)?
    } run $run:tt client $client:tt)*) => {
        const fn declared(operation: Operation) -> &'static [&'static [Parameter]] {
            match operation {
                $(Operation::$operation => declared!($input $([$($taken)*])?),)*
            }
        }
    };
}

crate::operations!(queries);

/// Returns the parameters of an operation: those that its row names, and those of its nature.
pub(crate) fn parameters(operation: Operation) -> impl Iterator<Item = &'static Parameter> {
    let of_nature = Part::of(operation.nature()).iter().map(|part| part.parameter());
    declared(operation).iter().copied().flatten().chain(of_nature)
}

/// A parameter that an operation has by its nature, which chooses a part of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The most items of a page.
    Limit,
    /// The cursor behind which a page begins.
    Cursor,
    /// The journal entry that the client knows.
    Entry,
    /// The time to wait for a later entry.
    Wait,
}

impl Part {
    /// Returns those of an operation of this nature.
    pub(crate) const fn of(nature: Nature) -> &'static [Self] {
        match nature {
            Nature::Page(_) => &[Self::Limit, Self::Cursor],
            Nature::Journal => &[Self::Limit, Self::Entry, Self::Wait],
            Nature::News => &[Self::Entry, Self::Wait],
            Nature::Plain
            | Nature::Single
            | Nature::LongSingle
            | Nature::Report
            | Nature::Day
            | Nature::Document
            | Nature::Change(_)
            | Nature::VersionedChange(_) => &[],
        }
    }

    /// Returns the parameter.
    pub(crate) const fn parameter(self) -> &'static Parameter {
        match self {
            Self::Limit => const { &Parameter::new("limit") },
            Self::Cursor | Self::Entry => const { &Parameter::new("after") },
            Self::Wait => const { &Parameter::new("wait") },
        }
    }
}

/// A search for patients.
#[derive(Debug, Default, Filter)]
pub(crate) struct FindQuery {
    /// Only patients that match all of these words, the best first. A word is the beginning of a word of the name,
    /// without regard to case and marks; of the mail address; as at least four digits, of the phone number, with or
    /// without its first one to three digits, or its end; or `#` and the number of the patient. 1 to 8 words. Not
    /// beside another filter or `after`, with a `limit` of at most 50. A word with a sign in it also matches without
    /// the sign, or by its parts.
    pub(crate) find: Option<FindText>,
    /// With `find`: patients with names that resemble the text, the nearest first. Each word of 4 letters or more, of
    /// which one must be there, may differ from the beginning of a word of the name, behind the same first letter, by a
    /// letter too many, too few or another one, or by two neighbours exchanged; one of 8 letters or more by two of
    /// these.
    pub(crate) similar: bool,
}
