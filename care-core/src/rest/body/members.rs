//! The neutral form of a request body, which both readers yield.

use std::borrow::Cow;

use super::value::Value;

/// The members of one record in document order, repeated ones included: refusing them is the form's business.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Members<'a> {
    pub(crate) fields: Vec<(Cow<'a, str>, Value<'a>)>,
    /// Read from XML, where a list is its element repeated.
    pub(crate) markup: bool,
}

/// Why a body is no document at all, as one sentence that never quotes the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Syntax(pub(crate) &'static str);

/// How deep records and lists may be nested, the document itself included. The contract needs three levels.
pub(crate) const MAX_DEPTH: usize = 16;

/// What a reader answers when a document is nested more deeply.
pub(crate) const TOO_DEEP: Syntax = Syntax("The body is nested too deeply.");
