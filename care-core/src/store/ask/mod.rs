//! Questions to a store: the keys and queries that it answers, and the answers.
//!
//! A question is a value: a [`Selection`](selection::Selection) of rows that one of the [`INDEXES`](index::INDEXES)
//! finds, or one of the few that no selection can be. The constructors of the kinds of records make them, one file a
//! noun. [`Seen`](seen::Seen) holds the answers that a decision has. [`Stop`](stop::Stop) says why it ended without
//! a result: it needs more answers, or refuses.

pub(crate) mod filter;
pub(crate) mod index;
pub(crate) mod key;
pub(crate) mod keyed;
pub(crate) mod medicines;
pub(crate) mod money;
mod owned;
pub(crate) mod people;
pub(crate) mod portion;
pub(crate) mod prescriptions;
pub(crate) mod query;
mod replies;
pub(crate) mod seen;
pub(crate) mod selection;
pub(crate) mod stop;
pub(crate) mod term;
