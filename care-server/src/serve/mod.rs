//! A server from its start to its end, independent of the framework.
//!
//! [`site`] makes the parts, [`host`] runs them until [`stop`], and [`metrics`] answers the probes meanwhile.

pub(crate) mod banner;
pub(crate) mod host;
pub(crate) mod metrics;
pub(crate) mod site;
pub(crate) mod socket;
pub(crate) mod stop;
