//! Answers that are a `Bundle`: searches, histories, and everything about a patient, all of them page by page.

pub(crate) mod everything;
pub(crate) mod history;
mod lists;
mod pace;
pub(crate) mod page;
mod parameters;
mod place;
pub(crate) mod search;
