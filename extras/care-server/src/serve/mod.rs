//! The life of a server from start to end, whatever the framework.
//!
//! [`site`] makes the parts, and [`host`] runs them until [`stop`], while [`metrics`] answers the probes.

pub(crate) mod banner;
pub(crate) mod host;
pub(crate) mod metrics;
pub(crate) mod site;
pub(crate) mod socket;
pub(crate) mod stop;
