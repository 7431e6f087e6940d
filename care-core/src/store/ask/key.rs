//! Keys: the questions that a decision can ask a store, as values.

use std::{fmt, marker::PhantomData};

use super::selection::{Selection, Wanted};
use crate::{
    model::MedicineKey,
    store::{Entity, RecordKey, Versioned},
};

/// A question that a decision can ask a store: a record by its key, the rows of a selection, which an index finds, or
/// one of two questions that no selection can be.
///
/// The cost of each must hardly depend on the size of the store. Constructors of the kinds of records, and
/// [`Ask::record`], make them as an [`Ask`], which knows its answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// This record.
    Record(RecordKey),
    /// These rows. Their number is answered as [`Lookup::Number`](crate::store::Lookup::Number).
    Rows(Selection, Wanted),
    /// The stock of the medicine; when it has none, its item in the inventory.
    StockOrItem(MedicineKey),
    /// The smallest patient number above this one that no [`Patient`](RecordKey::Patient) and no
    /// [`Voided`](RecordKey::Voided) record has, answered as [`Lookup::Number`](crate::store::Lookup::Number); nothing
    /// when there is none up to 2^63-1.
    FreePatientNumber(i64),
}

/// A key that knows the type of its answer: `Option<Versioned<E>>` for one record, `Vec<Versioned<E>>` for several, or
/// a number.
pub struct Ask<A> {
    key: Key,
    answer: PhantomData<fn() -> A>,
}

impl<A> Ask<A> {
    pub(super) const fn new(key: Key) -> Self {
        Self { key, answer: PhantomData }
    }

    /// Returns the key.
    pub const fn key(&self) -> &Key {
        &self.key
    }
}

impl<E: Entity> Ask<Option<Versioned<E>>> {
    /// Asks for the record with this identifier.
    pub fn record(id: E::Id) -> Self {
        Self::new(Key::Record(E::key(id)))
    }
}

impl Selection {
    /// Asks for the first row.
    pub(super) const fn one<E>(self) -> Ask<Option<Versioned<E>>> {
        Ask::new(Key::Rows(self, Wanted::First(1)))
    }

    /// Asks for the first two rows.
    pub(super) const fn two<E>(self) -> Ask<Vec<Versioned<E>>> {
        Ask::new(Key::Rows(self, Wanted::First(2)))
    }

    /// Asks for all rows.
    pub(super) const fn all<E>(self) -> Ask<Vec<Versioned<E>>> {
        Ask::new(Key::Rows(self, Wanted::All))
    }

    /// Asks for the number of rows.
    pub(super) const fn count(self) -> Ask<u64> {
        Ask::new(Key::Rows(self, Wanted::Count))
    }
}

impl From<RecordKey> for Key {
    fn from(key: RecordKey) -> Self {
        Self::Record(key)
    }
}

impl<A> From<Ask<A>> for Key {
    fn from(ask: Ask<A>) -> Self {
        ask.key
    }
}

impl<A> Clone for Ask<A> {
    fn clone(&self) -> Self {
        Self::new(self.key.clone())
    }
}

impl<A> PartialEq for Ask<A> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<A> fmt::Debug for Ask<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key.fmt(f)
    }
}
