//! The members of a request body, which both readers yield.

use std::borrow::Cow;

use super::value::Value;

/// The members of one record in document order. Repeated ones are included; the form refuses them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Members<'a> {
    pub(crate) fields: Vec<(Cow<'a, str>, Value<'a>)>,
    /// Whether they come from XML, where a list is its element repeated.
    pub(crate) markup: bool,
}

/// The error for a body that is not a document, as one sentence that never quotes the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Syntax(pub(crate) &'static str);

/// The deepest nesting of records and lists, the document itself included. The contract needs three levels.
pub(crate) const MAX_DEPTH: usize = 16;

/// The error for a document that is nested more deeply.
pub(crate) const TOO_DEEP: Syntax = Syntax("The body is nested too deeply.");
