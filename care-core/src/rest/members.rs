//! The neutral form of a request body, which both readers yield.

use std::borrow::Cow;

/// The members of one record in document order, repeated ones included: refusing them is the form's business.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Members<'a> {
    pub(crate) fields: Vec<(Cow<'a, str>, Value<'a>)>,
    /// Read from XML, where a list is its element repeated.
    pub(crate) markup: bool,
}

/// What a member holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    /// JSON's `null`, XML's `xsi:nil`.
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    Members(Members<'a>),
    /// Untyped text from XML; the type of the field decides what it is.
    Markup(Cow<'a, str>),
}

/// A number of JSON's grammar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// Written as an integer (no point, no exponent, not `-0`), and within 64 bits.
    Integer(i64),
    /// Any other number that a double holds.
    Real(f64),
    /// Too large for a double.
    Beyond,
}

/// Why a body is no document at all, as one sentence that never quotes the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Syntax(pub(crate) &'static str);

/// How deep records and lists may be nested, the document itself included. The contract needs three levels.
pub(crate) const MAX_DEPTH: usize = 16;

/// What a reader answers when a document is nested more deeply.
pub(crate) const TOO_DEEP: Syntax = Syntax("the body is nested too deeply");
