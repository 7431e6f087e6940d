//! Screens and paper as people see them: sizes, contrast, printing, the explorer.

pub(crate) mod explorer;
pub(crate) mod fits;
pub(crate) mod labels;
pub(crate) mod looks;
pub(crate) mod paper;
