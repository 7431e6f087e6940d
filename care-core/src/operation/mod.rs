//! The operations of the service. Each is one row of a table, and what is said about it elsewhere follows from it.

mod journal;
mod table;

#[cfg(feature = "rest")]
use http::Method;

use crate::{error::Conflict, kinds::RecordKind, model::Scope};

pub use journal::JournalOperation;

/// One segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// This text, after percent-decoding.
    Literal(&'static str),
    /// Any text that is not empty. The name is the interface document's.
    Parameter(&'static str),
}

/// The input of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// No input; a body is ignored.
    Nothing,
    /// A record with one of these XML roots, of which the first is its name.
    Record(&'static [&'static str]),
    /// A record as [`Record`](Self::Record), or no body at all.
    Optional(&'static [&'static str]),
    /// Query parameters.
    Query,
}

/// The nature of an operation, on which the way of its requests and the form of its answer depend. Items are measured
/// as an answer shows them, at their longest and in XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// It answers a few words.
    Plain,
    /// It reads a single record, of which earlier versions can be read.
    Single,
    /// It reads a single record that is made of many others, of which earlier versions can be read: a history.
    LongSingle,
    /// It reads a page of items of at most this many KiB.
    Page(usize),
    /// It reads a page of the journal, of items of any length, and the client may let it wait for news.
    Journal,
    /// It says how far the journal goes, and the client may let it wait for news.
    News,
    /// It computes its answer from the counts of many days, and holds the figures of all medicines meanwhile.
    Report,
    /// It gathers what waits now.
    Day,
    /// It answers the OpenAPI document: in JSON alone, and without a key.
    Document,
    /// It changes records.
    Change(Effect),
    /// It changes a record whose version the client can name in `If-Match`.
    VersionedChange(Effect),
}

/// The effect of a change, as its answer shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// A new record, with its path: 201.
    Made,
    /// A new record as [`Made`](Self::Made), or one that was there already as [`Placed`](Self::Placed).
    MadeOrFound,
    /// A record that stands at the path of the request: 200.
    Changed,
    /// A record that stands at another path, which the answer names: 200.
    Placed,
    /// Nothing: 204.
    Removed,
}

impl Nature {
    /// Returns the effect of a change; `None` for a read.
    pub const fn effect(self) -> Option<Effect> {
        match self {
            Self::Change(effect) | Self::VersionedChange(effect) => Some(effect),
            Self::Plain
            | Self::Single
            | Self::LongSingle
            | Self::Page(_)
            | Self::Journal
            | Self::News
            | Self::Report
            | Self::Day
            | Self::Document => None,
        }
    }

    /// Returns whether it reads a single record, of which earlier versions can be read.
    pub const fn has_versions(self) -> bool {
        matches!(self, Self::Single | Self::LongSingle)
    }
}

/// The facts of one row of the table.
#[derive(Debug)]
struct Row {
    id: &'static str,
    #[cfg(feature = "rest")]
    method: Method,
    path: &'static str,
    scope: Option<Scope>,
    tag: &'static str,
    nature: Nature,
    event: Option<&'static str>,
    summary: &'static str,
    notes: &'static str,
    input: Input,
    missing: Option<RecordKind>,
    conflicts: &'static [Conflict],
}

macro_rules! scope {
    (None) => {
        None
    };
    ($scope:ident) => {
        Some(Scope::$scope)
    };
}

macro_rules! input {
    (Query $queries:tt) => {
        Input::Query
    };
    ($input:ident $([$($root:tt),*])?) => {
        Input::$input $((&[$($root),*]))?
    };
}

macro_rules! event {
    (_) => {
        None
    };
    ($type:literal) => {
        Some($type)
    };
}

macro_rules! missing {
    () => {
        None
    };
    ($kind:ident) => {
        Some(RecordKind::$kind)
    };
}

/// Defines the operations and their facts.
macro_rules! facts {
    ($(#[doc = $summary:literal] #[doc = $blank:literal] $(#[doc = $notes:literal])+
    $operation:ident $id:literal $method:ident $path:literal {
        scope: $scope:ident, tag: $tag:literal, nature: $nature:expr, event: $event:tt,
        takes: $input:ident $([$($taken:tt)*])? $($body:path)?, $(gives: $answer:path,)? reads: $reads:tt,
        $(misses: $missing:ident,)? $(conflicts: [$($conflict:ident),*],)?
    } run $run:tt client $client:tt)*) => {
        /// The operations of the interface: those of the interface document in its order, then the extensions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Operation {
            $(
                #[doc = $summary]
                #[doc = ""]
                $(#[doc = $notes])+
                $operation,
            )*
        }

        const ALL: [Operation; [$(Operation::$operation),*].len()] = [$(Operation::$operation),*];

        static TABLE: [Row; ALL.len()] = {
            use Effect::{Changed, Made, MadeOrFound, Placed, Removed};
            use Nature::{
                Change, Day, Document, Journal, LongSingle, News, Page, Plain, Report, Single, VersionedChange,
            };
            [$(Row {
                id: $id,
                #[cfg(feature = "rest")]
                method: Method::$method,
                path: $path,
                scope: scope!($scope),
                tag: $tag,
                nature: $nature,
                event: event!($event),
                summary: $summary,
                notes: concat!($($notes),+),
                input: input!($input $([$($taken)*])?),
                missing: missing!($($missing)?),
                conflicts: &[$($(Conflict::$conflict),*)?],
            }),*]
        };
    };
}

crate::operations!(facts);

impl Operation {
    /// The number of operations in the interface document, which come first.
    pub const DOCUMENTED: usize = 9;

    /// The number of all operations.
    #[cfg(feature = "rest")]
    pub(crate) const COUNT: usize = ALL.len();

    /// Returns all operations, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.into_iter()
    }

    /// Returns the identifier of the operation in the OpenAPI document and in the journal.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// Returns its method. `HEAD` is allowed wherever this is `GET`.
    #[cfg(feature = "rest")]
    pub fn method(self) -> &'static Method {
        &self.row().method
    }

    /// Returns its path below the base path, with the names of its parameters: `/invoice/{invoiceId}/payment`.
    pub fn path(self) -> &'static str {
        self.row().path
    }

    /// Returns the segments of its path.
    pub fn segments(self) -> impl Iterator<Item = Segment> {
        let name = |segment: &'static str| segment.strip_prefix('{')?.strip_suffix('}');
        let segments = self.path().split('/').skip(1);
        segments.map(move |segment| name(segment).map_or(Segment::Literal(segment), Segment::Parameter))
    }

    /// Returns the scope that it requires; `None` where no scope is required.
    pub fn scope(self) -> Option<Scope> {
        self.row().scope
    }

    /// Returns the name of the group in which the document shows it.
    pub fn tag(self) -> &'static str {
        self.row().tag
    }

    /// Returns its nature.
    pub fn nature(self) -> Nature {
        self.row().nature
    }

    /// Returns its input.
    pub fn input(self) -> Input {
        self.row().input
    }

    /// Returns a summary in a few words.
    pub fn summary(self) -> &'static str {
        self.row().summary.trim_ascii_start().trim_end_matches('.')
    }

    /// Returns what else a client has to know about it.
    pub fn notes(self) -> &'static str {
        self.row().notes.trim_ascii_start()
    }

    /// Returns the kind of the record that may be missing.
    pub fn missing(self) -> Option<RecordKind> {
        self.row().missing
    }

    /// Returns the states that forbid it.
    pub fn conflicts(self) -> &'static [Conflict] {
        self.row().conflicts
    }

    /// Returns the type of the events of its journal entries, such as `invoice.paid`; `None` for one that changes
    /// nothing.
    pub fn event(self) -> Option<&'static str> {
        self.row().event
    }

    /// Returns whether it requires a valid key. Any valid key is enough for an operation without a
    /// [scope](Self::scope).
    pub fn needs_key(self) -> bool {
        self.nature() != Nature::Document
    }

    /// Returns whether it is missing in the interface document.
    pub const fn is_extension(self) -> bool {
        self as usize >= Self::DOCUMENTED
    }

    /// Returns the operation in this row of the table.
    #[cfg(feature = "rest")]
    pub(crate) fn nth(place: usize) -> Option<Self> {
        ALL.get(place).copied()
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_its_segments() {
        let segments = |operation: Operation| operation.segments().collect::<Vec<_>>();
        assert_eq!(segments(Operation::GetOpenapi), [Segment::Literal("openapi.json")]);
        let payment = [Segment::Literal("invoice"), Segment::Parameter("invoiceId"), Segment::Literal("payment")];
        assert_eq!(segments(Operation::PayInvoice), payment);
    }

    #[test]
    #[cfg(feature = "rest")]
    fn no_two_operations_share_a_method_and_path() {
        for (index, row) in TABLE.iter().enumerate() {
            for other in &TABLE[..index] {
                assert!(row.method != other.method || row.path != other.path, "{}", row.id);
            }
        }
    }

    #[test]
    #[cfg(feature = "rest")]
    fn an_operation_has_an_effect_and_events_unless_it_is_a_read() {
        for row in &TABLE {
            let is_change = row.method != Method::GET;
            assert_eq!((row.nature.effect().is_some(), row.event.is_some()), (is_change, is_change), "{}", row.id);
            let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(row.event.is_none_or(|event| event.split('.').all(is_word) && event.contains('.')), "{}", row.id);
        }
        assert!(JournalOperation::all().filter(|operation| operation.event().is_some()).count() > 20);
    }
}
