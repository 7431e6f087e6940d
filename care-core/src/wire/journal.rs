//! The journal as answers show it: the entries with their changes, and what followers and receivers hear of them.

use std::borrow::Cow;

use care_derive::Record;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    model::Timestamp,
    store::{Link, Seq},
};

/// The number of the journal's last entry, and what has changed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "News", root = "News")]
pub struct News {
    /// The epoch of the database: another one means another past.
    #[field(example = "9f3a1c20")]
    pub epoch: String,
    /// The number of the last journal entry; 0 while there is none.
    pub seq: Seq,
    /// The kinds of records that changed after the entry `after`, as the journal names them.
    #[field(like = Vec::<ShownKind>)]
    pub kinds: Option<Vec<Cow<'static, str>>>,
    /// True in the place of `kinds` when the server does not know them, or the journal ends before `after`: read
    /// everything again.
    ///
    /// In XML an empty list is as absent as one that is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// Every change with its actor and time.
///
/// Its values are of the type `V`: documents of any form where a client reads them.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "JournalEntry")]
pub struct JournalEntry<'a, V = Value> {
    /// The number, without gaps.
    #[field(like = EntryNumber)]
    pub seq: Seq,
    /// The instant, in UTC.
    pub at: Timestamp,
    /// The actor: the name of the key.
    #[field(example = "front desk")]
    pub actor: Cow<'a, str>,
    /// The `operationId` of the operation.
    #[field(example = "updatePatient")]
    pub operation: Cow<'a, str>,
    /// The changes, in order.
    ///
    /// If the service records reads, they are among them.
    pub changes: Vec<JournalChange<'a, V>>,
    /// The SHA-256 of the link before and of what the entry says: no change of an entry keeps the links.
    ///
    /// A follower keeps it: an entry that comes with another one later was changed, or one before it was.
    pub link: Link,
}

/// One change of a record, or the note that it was read.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "JournalChange")]
pub struct JournalChange<'a, V = Value> {
    /// The kind of change.
    pub change: ChangeKind,
    /// The kind of record.
    ///
    /// It is the name of the record in XML: `Patient`, for example.
    #[field(like = JournaledKind)]
    pub record: Cow<'static, str>,
    /// Its number, the name that identifies a medicine, or the id of a key.
    pub id: RecordId<'a>,
    /// The record after the change; absent unless it was put.
    pub value: Option<V>,
}

/// The changes of a journal entry, without any value.
///
/// It has no actor either.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Event")]
pub struct Event<'a> {
    /// The number of the journal entry.
    #[field(like = EntryNumber)]
    pub seq: Seq,
    /// The instant, in UTC.
    pub at: Timestamp,
    /// The type, such as `invoice.paid`: what was done.
    #[field(example = "patient.updated")]
    pub r#type: Cow<'static, str>,
    /// The records that changed, at most 200.
    pub records: Vec<EventRecord<'a>>,
    /// Whether further records changed; absent when none did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// A record that changed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "EventRecord")]
pub struct EventRecord<'a> {
    /// The kind of record.
    ///
    /// It is the name of the record in XML: `Patient`, for example.
    #[field(like = ShownKind)]
    pub record: Cow<'static, str>,
    /// Its number, or the name that identifies a medicine.
    pub id: RecordId<'a>,
    /// The kind of change.
    #[field(words(put, remove))]
    pub change: ChangeKind,
}

/// The number of an entry, which is not 0, for documents.
#[cfg(feature = "openapi")]
pub(crate) struct EntryNumber;

/// The name of a kind of record that events show, for documents.
#[cfg(feature = "openapi")]
pub(crate) struct ShownKind;

/// The name of a kind of record that the journal shows, for documents.
#[cfg(feature = "openapi")]
pub(crate) struct JournaledKind;

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Created or changed.
    Put,
    /// Removed.
    Remove,
    /// Read, if the service records reads.
    Read,
}

/// The identity of a record among those of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordId<'a> {
    /// A number.
    Number(i64),
    /// The folded name of a medicine.
    Name(Cow<'a, str>),
}

impl Event<'_> {
    /// The highest number of records in an event.
    pub const MOST: usize = 200;

    /// Returns the event with texts of its own, so that it can outlive its entry.
    pub fn into_owned(self) -> Event<'static> {
        let records = self.records.into_iter();
        let records =
            records.map(|EventRecord { record, id, change }| EventRecord { record, id: id.into_owned(), change });
        Event { seq: self.seq, at: self.at, r#type: self.r#type, records: records.collect(), more: self.more }
    }
}

impl RecordId<'_> {
    fn into_owned(self) -> RecordId<'static> {
        match self {
            Self::Number(number) => RecordId::Number(number),
            Self::Name(name) => RecordId::Name(Cow::Owned(name.into_owned())),
        }
    }
}
