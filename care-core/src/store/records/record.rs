//! The stored records.

use std::ops::Deref;

use care_derive::Record;
use serde::Serialize;
use serde_json::Value;

use super::identity::Identity;
use crate::{
    kinds::{RecordKind, records},
    model::{self, PatientId},
    store::Seq,
};

/// A record together with the journal entry that put it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Versioned<T> {
    /// The number of that entry.
    pub version: Seq,
    /// The record.
    pub record: T,
}

impl<T> Versioned<T> {
    /// Returns the record without its version.
    pub fn into_record(self) -> T {
        self.record
    }

    /// Returns what is made of the record, with the same version.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Versioned<U> {
        Versioned { version: self.version, record: map(self.record) }
    }
}

impl<T: Clone> Versioned<&T> {
    /// Returns a copy of the record, with its version.
    pub fn cloned(self) -> Versioned<T> {
        self.map(T::clone)
    }
}

/// A versioned record can be read like the record itself: `patient.name` for `patient.record.name`.
impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

/// The mark of a voided patient number, which is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(table = "voided", key(patient_id), person)]
pub struct Voided {
    /// The number.
    pub patient_id: PatientId,
}

/// The kinds of records, and their identifiers, that are the service's own.
pub(crate) mod stored {
    pub(crate) use super::{
        super::{
            reply::{Reply, ReplyId},
            series::{Counter, Series},
        },
        Voided,
    };
}

/// The number of a record's versions, as far as clients may ask for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Versions {
    /// A few at most.
    Few,
    /// Any number.
    Many,
    /// Any number, and the record may be created again under its identifier once it was removed. No link leads from the
    /// new record to the versions before.
    ManyAgain,
}

/// A kind of record, with its identifier.
pub trait Entity: 'static + Clone + PartialEq + Into<Record> + Sized {
    /// The identifier.
    type Id: Clone + Send + Sync;

    /// The kind.
    const KIND: RecordKind;

    /// Returns the key of the record with this identifier.
    fn key(id: Self::Id) -> RecordKey;

    /// Returns the identifier of the record.
    fn id(&self) -> Self::Id;

    /// Returns the record as this kind, or `None` when it is of another.
    fn from_record(record: &Record) -> Option<&Self>;

    /// Returns the record as this kind by value, or `None` when it is of another.
    fn try_from_record(record: Record) -> Option<Self>;
}

macro_rules! is_late {
    () => {
        false
    };
    (late) => {
        true
    };
}

/// Defines the sum of all records. A store handles no kind by its name: [`RecordKind`] knows the table of each.
macro_rules! sum {
    ($($(#[$doc:meta])* $kind:ident($record:ty) $called:literal $journaled:tt
        { id: $id:ty = |$it:ident| $of:expr, versions: $versions:ident $(, $late:ident)? })*) => {
        /// The key of one record. Keys are ordered by kind, as they stand here, and then by identifier: numbers by
        /// value, names by their bytes, demand by day first, intervals, lots and days of stock by medicine first,
        /// takings by day.
        ///
        /// Not `non_exhaustive`: what means something for each kind does not compile without a new one.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RecordKey {
            $($(#[$doc])* $kind($id),)*
        }

        impl RecordKey {
            /// Returns the identifier of the record within its kind, as text.
            pub fn id(&self) -> String {
                match self {
                    $(Self::$kind(id) => id.text(),)*
                }
            }

            /// Returns the identifier of the record within its kind, where that is a number.
            pub fn number(&self) -> Option<i64> {
                match self {
                    $(Self::$kind(id) => id.number(),)*
                }
            }

            const fn versions(&self) -> Versions {
                match self {
                    $(Self::$kind(_) => Versions::$versions,)*
                }
            }

            /// Reads the texts that [`kind`](Self::kind) and [`id`](Self::id) have returned.
            pub fn parse(kind: &str, id: &str) -> Option<Self> {
                match kind {
                    $(stringify!($kind) => Identity::parse(id).map(Self::$kind),)*
                    _ => None,
                }
            }
        }

        impl RecordKind {
            /// Returns the kind of the record that a key identifies.
            pub const fn of(key: &RecordKey) -> Self {
                match key {
                    $(RecordKey::$kind(_) => Self::$kind,)*
                }
            }

            /// Returns the kind of a record.
            pub const fn of_record(record: &Record) -> Self {
                match record {
                    $(Record::$kind(_) => Self::$kind,)*
                }
            }

            /// Returns whether a store may write records of the kind late, once for all decisions of a batch. A
            /// decision asks for one by its key alone: [`Deciding`](crate::store::Deciding) refuses a selection.
            pub const fn is_written_late(self) -> bool {
                match self {
                    $(Self::$kind => is_late!($($late)?),)*
                }
            }
        }

        /// Any record. Its JSON is that of the record itself.
        ///
        /// Not `non_exhaustive`: what means something for each kind does not compile without a new one.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum Record {
            $($(#[$doc])* $kind($record),)*
        }

        impl Record {
            /// Returns the key of the record.
            pub fn key(&self) -> RecordKey {
                match self {
                    $(Self::$kind(record) => RecordKey::$kind(record.id()),)*
                }
            }

            /// Reads the JSON of a record of this kind with this identifier, which the value of a key leaves out.
            pub(crate) fn parse(kind: &str, id: &str, mut value: Value) -> serde_json::Result<Self> {
                if kind == "Key"
                    && let Some(members) = value.as_object_mut()
                {
                    members.insert("keyId".to_owned(), Value::from(id));
                }
                match kind {
                    $(stringify!($kind) => serde_json::from_value(value).map(Self::$kind),)*
                    _ => Err(serde::de::Error::custom("not a kind of record")),
                }
            }
        }

        $(
            impl From<$record> for Record {
                fn from(record: $record) -> Self {
                    Self::$kind(record)
                }
            }

            impl Entity for $record {
                type Id = $id;

                const KIND: RecordKind = RecordKind::$kind;

                fn key(id: Self::Id) -> RecordKey {
                    RecordKey::$kind(id)
                }

                fn id(&self) -> Self::Id {
                    let $it = self;
                    $of
                }

                fn from_record(record: &Record) -> Option<&Self> {
                    match record {
                        Record::$kind(record) => Some(record),
                        _ => None,
                    }
                }

                fn try_from_record(record: Record) -> Option<Self> {
                    match record {
                        Record::$kind(record) => Some(record),
                        _ => None,
                    }
                }
            }
        )*

        /// The type of each kind of record, under the name of its variant in [`Record`](enum@Record) and
        /// [`RecordKey`].
        pub(crate) mod kinds {
            use super::{model, stored};

            $($(#[$doc])* pub(crate) type $kind = $record;)*
        }

        /// Calls a macro with the names of all kinds of records, in the order of their keys.
        macro_rules! each_kind {
            ($with:ident) => { $with! { $($kind)* } };
        }
        pub(crate) use each_kind;
    };
}

records!(sum);

impl Record {
    /// Returns the name of the kind of record in the journal.
    pub const fn kind(&self) -> &'static str {
        RecordKind::of_record(self).name()
    }
}

impl RecordKey {
    /// Returns the name of the kind of record in the journal.
    pub const fn kind(&self) -> &'static str {
        RecordKind::of(self).name()
    }

    /// Returns whether clients may ask for earlier versions of the record, and there may be more than a few of them.
    pub const fn has_versions(&self) -> bool {
        !matches!(self.versions(), Versions::Few)
    }

    /// Returns whether a record with [versions](Self::has_versions) may be created again under its identifier once it
    /// was removed. No link leads from the new record to the versions before.
    pub const fn has_reusable_id(&self) -> bool {
        matches!(self.versions(), Versions::ManyAgain)
    }
}
