//! Parts of every measurement: its options, its figures and the tables that it prints.

pub(crate) mod framework;
pub(crate) mod setting;
pub(crate) mod table;
pub(crate) mod timing;
