//! Verdicts on answers: the expectations of a case, and the rules for every answer.
//!
//! It reads JSON and XML by itself, independent of the writers that it judges.

pub(crate) mod answer;
pub(crate) mod expect;
pub(crate) mod invariants;
pub(crate) mod shape;
pub(crate) mod xml;
