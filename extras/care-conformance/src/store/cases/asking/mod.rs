//! Keys, queries and snapshots are answered with the right records, in their order, and no others.

pub(crate) mod filters;
pub(crate) mod finding;
pub(crate) mod invoices;
pub(crate) mod keys;
pub(crate) mod lists;
pub(crate) mod numbers;
pub(crate) mod pages;
pub(crate) mod people;
pub(crate) mod prescriptions;
pub(crate) mod scans;
pub(crate) mod selections;
pub(crate) mod snapshots;
