//! Terms, which are conditions on rows, and what an index is.

use std::hash::{Hash, Hasher};

use crate::store::RecordKind;

/// An index of one table. Behind its columns it has those of the primary key, which need not be named.
///
/// A store with tables has an index in its schema for each of these that is not [primary](Self::is_primary).
#[derive(Debug)]
pub struct Index {
    /// Its name in a schema.
    pub name: &'static str,
    /// The kind of record whose table it is of.
    pub kind: RecordKind,
    /// The columns.
    pub columns: &'static [&'static str],
    /// The number of columns, the first ones, that a list must fix to be found by it.
    pub fixed: usize,
    /// The conditions that a row must meet to be in it.
    pub only: &'static [Term],
    /// Whether no two of its rows agree in all columns.
    pub is_unique: bool,
    /// Whether its columns begin the primary key.
    pub is_primary: bool,
    /// All words of the last column, where a list may leave it open: then the rows of each word have the list's order.
    pub words: &'static [&'static str],
}

/// A condition on a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// The column compares so with this value, which a store binds.
    Compared(&'static str, Comparison, Datum),
    /// The column has one of these values.
    OneOf(&'static str, Box<[Datum]>),
    /// The column has this word of the code. A store writes the word into its statement, so that an index of the rows
    /// with this word can be used.
    Word(&'static str, &'static str),
    /// The column is null.
    Null(&'static str),
    /// The column is not null.
    Present(&'static str),
    /// The column, the first of the primary key, has a value that it has in a row of this index, of another table, with
    /// this value.
    Among(&'static str, &'static Index, Datum),
    /// The column is false or null. A store writes `IS NOT TRUE`, so that an index of such rows can be used.
    NotTrue(&'static str),
}

/// The way in which a column compares with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Greater or equal.
    AtLeast,
    /// Less or equal.
    AtMost,
    /// Less.
    Below,
}

/// A value that a column compares with. Texts are ordered by their bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Datum {
    /// An integer; a truth value is 0 or 1.
    Number(i64),
    /// A text.
    Text(Box<str>),
}

impl Comparison {
    /// Returns the operator in SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Below => "<",
        }
    }
}

impl Term {
    /// Returns the column that the term is about.
    pub const fn column(&self) -> &'static str {
        match self {
            Self::Compared(column, ..)
            | Self::OneOf(column, _)
            | Self::Word(column, _)
            | Self::Null(column)
            | Self::Present(column)
            | Self::Among(column, ..)
            | Self::NotTrue(column) => column,
        }
    }

    /// Returns whether a row with this value in the column meets the term, as far as it is about this row alone: a
    /// store holds [`Among`](Self::Among) against the other one.
    pub fn is_met_by(&self, value: Option<&Datum>) -> bool {
        match self {
            Self::Compared(_, by, bound) => value.is_some_and(|value| match by {
                Comparison::Equal => value == bound,
                Comparison::AtLeast => value >= bound,
                Comparison::AtMost => value <= bound,
                Comparison::Below => value < bound,
            }),
            Self::OneOf(_, values) => value.is_some_and(|value| values.contains(value)),
            Self::Word(_, word) => matches!(value, Some(Datum::Text(text)) if **text == **word),
            Self::Null(_) => value.is_none(),
            Self::Present(_) | Self::Among(..) => value.is_some(),
            Self::NotTrue(_) => value != Some(&Datum::Number(1)),
        }
    }
}

/// An index is the one of its name.
impl PartialEq for Index {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Index {}

impl Hash for Index {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl From<i64> for Datum {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Datum {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}
