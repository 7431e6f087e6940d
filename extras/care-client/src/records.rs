//! The records in answers that differ from those of the model: the shapes of [`wire`], with texts of their own.

use care_core::wire;

pub use care_core::wire::{ChangeKind, News, TakingsReport};

/// A prescription. List items also carry its number and its state; for a single prescription,
/// [`Answer::number`](crate::Answer::number) is the number.
pub type Prescription = wire::Prescription<'static>;

/// An invoice. List items also carry its number and its state.
pub type Invoice = wire::Invoice<'static>;

/// The stock of a tracked medicine, as of today.
pub type Stock = wire::Stock<'static>;

/// An open lot.
pub type Lot = wire::Lot<'static>;

/// The records that wait at the front desk today.
pub type Today = wire::Today<'static>;

/// The unpaid invoices of a day.
pub type UnpaidInvoices = wire::UnpaidInvoices<'static>;

/// The name and the address of the facility.
pub type FacilityFacts = wire::FacilityFacts<'static>;

/// The name, the scopes and the expiry of a key, and the facility.
pub type KeyFacts = wire::KeyFacts<'static>;

/// A journal entry.
pub type JournalEntry = wire::JournalEntry<'static>;

/// A change of one record.
pub type JournalChange = wire::JournalChange<'static>;

/// A journal entry as an event: what was done to which records, without any value.
pub type Event = wire::Event<'static>;

/// A record that changed.
pub type EventRecord = wire::EventRecord<'static>;

/// The identity of a record among those of its kind.
pub type RecordId = wire::RecordId<'static>;
