//! Queries: the lists that a store can answer, as values.

use std::{fmt, marker::PhantomData, ops::Deref};

use super::{selection::Selection, term::Index};
use crate::{
    model::{Date, FindText, MedicineKey, NamePrefix},
    store::{Entity, RecordKey},
};

/// A list of records, from a cursor on. Those but [`All`](Self::All) are made as [`List`]s, by the constructors of the
/// kinds of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// The rows of a selection, in its order.
    Rows(Rows),
    /// Of these rows, the patients whose folded name has a prefix. It is no term, since each store has its own way to
    /// find a range of names and to sort what it finds by number.
    Named(Rows, NamePrefix),
    /// Patients that match a text, the best first, and those that match alike by number. A store looks at a bounded
    /// number of them, as [`Ranking`](crate::store::find::Ranking) says; more than it lists may match.
    Found(FindText),
    /// The demand for one medicine in a period, by day.
    DemandOf {
        /// The medicine.
        medicine: MedicineKey,
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
    },
    /// The days with a movement in a period, by medicine, then by day; for each medicine also the last such day before
    /// the period. Where the first day comes after the last one, that day alone is left, and only if it is not after
    /// the last one either.
    StockDays {
        /// The medicine; `None` for all.
        medicine: Option<MedicineKey>,
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
        /// The cursor: only days after this day of this medicine.
        after: Option<(MedicineKey, Date)>,
    },
    /// Every record of every kind, in the order of [`RecordKey`].
    All {
        /// The cursor: only records above this key.
        after: Option<RecordKey>,
    },
}

/// The rows of a selection from a cursor on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// The selection.
    pub selection: Selection,
    /// The cursor: only rows behind this key, in the order of the selection.
    pub after: Option<RecordKey>,
}

/// A query that knows the kind of its records.
pub struct List<E> {
    query: Query,
    record: PhantomData<fn() -> E>,
}

impl<E> List<E> {
    pub(super) const fn new(query: Query) -> Self {
        Self { query, record: PhantomData }
    }

    /// Returns the rows of a selection behind a key, found by the index that suits them.
    pub(super) fn of(selection: Selection, after: Option<RecordKey>) -> Self {
        let index = Index::of_list(&selection);
        Self::new(Query::Rows(Rows { selection: Selection { index, ..selection }, after }))
    }

    /// Lists all records of a kind by key: those behind this one.
    pub fn all(after: Option<E::Id>) -> Self
    where
        E: Entity,
    {
        Self::of(Selection::of(E::KIND), after.map(E::key))
    }

    /// Leaves only the patients with a prefix of the name, if there is one.
    pub(super) fn named(self, prefix: Option<NamePrefix>) -> Self {
        match (self.query, prefix) {
            (Query::Rows(rows), Some(prefix)) => Self::new(Query::Named(rows, prefix)),
            (query, _) => Self::new(query),
        }
    }
}

impl<E> Deref for List<E> {
    type Target = Query;

    fn deref(&self) -> &Query {
        &self.query
    }
}

impl<E> From<List<E>> for Query {
    fn from(list: List<E>) -> Self {
        list.query
    }
}

impl<E> fmt::Debug for List<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.query.fmt(f)
    }
}
