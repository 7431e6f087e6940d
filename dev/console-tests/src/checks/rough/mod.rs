//! The console in bad company: hostile names, refusals, slow servers, other users, large clinics.

pub(crate) mod crowd;
pub(crate) mod hostile;
pub(crate) mod refusals;
pub(crate) mod stale;
pub(crate) mod weather;
