//! Records, keys and the journal come back as they were stored, also from another store and after a restart.

pub(crate) mod api_keys;
pub(crate) mod journal;
pub(crate) mod maintenance;
pub(crate) mod records;
pub(crate) mod reopening;
pub(crate) mod replays;
pub(crate) mod stock;
pub(crate) mod values;
