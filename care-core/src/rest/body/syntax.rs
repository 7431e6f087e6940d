//! The errors of bodies that are no documents.

/// The error for a body that is not a document, as one sentence that never quotes the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Syntax(pub(crate) &'static str);

/// The deepest nesting of records and lists, the document itself included. The contract needs three levels.
pub(crate) const MAX_DEPTH: usize = 16;

/// The error for a document that is nested more deeply.
pub(crate) const TOO_DEEP: Syntax = Syntax("The body is nested too deeply.");
