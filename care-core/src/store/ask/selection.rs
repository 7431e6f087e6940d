//! Selections: the rows of one table, as a few terms.
//!
//! A key or a list is said here once, as a value. A store renders the terms in its SQL or holds records against them,
//! and knows nothing else of what is asked for. Nothing in a selection is SQL: terms compare columns with values, so a
//! store of keys and values finds rows by the columns of the index and holds the rest of the terms against each row.

use super::term::{Comparison, Datum, Index, Term};
use crate::{
    model::{PatientIds, values::fold::successor},
    store::RecordKind,
};

/// Rows of one table: those that meet all terms.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Selection {
    /// The kind of record whose table it is.
    pub kind: RecordKind,
    /// The index that finds the rows; `None` where the primary key alone is needed.
    pub index: Option<&'static Index>,
    /// The terms.
    pub terms: Vec<Term>,
    /// The order of the rows.
    pub order: Order,
}

/// The order of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Order {
    /// Whether the columns of the index come before those of the primary key.
    pub is_by_index: bool,
    /// Whether the highest come first.
    pub is_descending: bool,
}

/// The rows of a selection that are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// All of them.
    All,
    /// The first ones, as many as this.
    First(usize),
    /// Their number alone.
    Count,
}

impl Selection {
    /// Returns all rows of a table, by primary key.
    pub(super) const fn of(kind: RecordKind) -> Self {
        let order = Order { is_by_index: false, is_descending: false };
        Self { kind, index: None, terms: Vec::new(), order }
    }

    /// Returns the one value that a column must have, if the terms say so.
    pub fn value_of(&self, column: &str) -> Option<Datum> {
        self.terms.iter().find_map(|term| match term {
            Term::Compared(of, Comparison::Equal, value) if *of == column => Some(value.clone()),
            Term::Word(of, word) if *of == column => Some(Datum::from(*word)),
            Term::Compared(..)
            | Term::OneOf(..)
            | Term::Word(..)
            | Term::Null(_)
            | Term::Present(_)
            | Term::Among(..)
            | Term::NotTrue(_) => None,
        })
    }

    /// Returns whether a column must have one value.
    pub fn fixes(&self, column: &str) -> bool {
        self.terms.iter().any(|term| match term {
            Term::Compared(of, Comparison::Equal, _) | Term::Word(of, _) => *of == column,
            Term::Compared(..)
            | Term::OneOf(..)
            | Term::Null(_)
            | Term::Present(_)
            | Term::Among(..)
            | Term::NotTrue(_) => false,
        })
    }

    /// Returns the index where the selection leaves its last column open, whose words it lists.
    pub fn open_words(&self) -> Option<(&'static str, &'static [&'static str])> {
        let Index { columns, words, .. } = self.index?;
        let last = columns.last().filter(|last| !words.is_empty() && !self.fixes(last))?;
        Some((last, words))
    }

    /// Returns whether the rows come in the order of their keys, the least first.
    pub const fn has_order_of_keys(&self) -> bool {
        !self.order.is_by_index && !self.order.is_descending
    }

    /// Adds a term.
    #[must_use]
    pub fn and(mut self, term: Term) -> Self {
        self.terms.push(term);
        self
    }

    pub(super) fn compared(self, column: &'static str, by: Comparison, value: Option<impl Into<Datum>>) -> Self {
        match value {
            Some(value) => self.and(Term::Compared(column, by, value.into())),
            None => self,
        }
    }

    /// Leaves only the rows whose column has one of these values.
    pub(super) fn one_of(self, column: &'static str, values: Option<&PatientIds>) -> Self {
        match values {
            Some(values) => self.and(Term::OneOf(column, values.iter().map(|id| id.value().into()).collect())),
            None => self,
        }
    }

    /// Leaves only the rows whose column begins so.
    pub(super) fn beginning(self, column: &'static str, prefix: Option<&impl AsRef<str>>) -> Self {
        let prefix = prefix.map(AsRef::as_ref);
        let below = prefix.and_then(successor);
        self.compared(column, Comparison::AtLeast, prefix).compared(column, Comparison::Below, below.as_deref())
    }

    pub(super) fn word(self, column: &'static str, word: Option<&'static str>) -> Self {
        match word {
            Some(word) => self.and(Term::Word(column, word)),
            None => self,
        }
    }

    /// Orders the rows by the columns of the index first.
    pub(super) const fn by_index(mut self) -> Self {
        self.order.is_by_index = true;
        self
    }

    /// Begins with the last row.
    pub(super) const fn descending(self) -> Self {
        self.ordered(true)
    }

    /// Begins with the last row or with the first.
    pub(super) const fn ordered(mut self, is_descending: bool) -> Self {
        self.order.is_descending = is_descending;
        self
    }
}
