//! Answers that are a `Bundle`: searches, histories, and everything about a patient, all of them page by page.

pub(crate) mod everything;
pub(crate) mod history;
mod lists;
pub(crate) mod page;
mod parameters;
pub(crate) mod search;
