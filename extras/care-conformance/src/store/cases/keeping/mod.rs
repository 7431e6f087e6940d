//! Records, keys and the journal come back as they were stored, from another store and after a restart too.

pub(crate) mod api_keys;
pub(crate) mod journal;
pub(crate) mod maintenance;
pub(crate) mod owners;
pub(crate) mod records;
pub(crate) mod reopening;
pub(crate) mod replays;
pub(crate) mod values;
