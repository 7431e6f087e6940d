//! PostgreSQL that crashes, fails over or reports errors: the servers in front of
//! it lose nothing that they acknowledged.

mod failover;
mod site;
mod sqlstates;
mod watch;

use crate::{Finding, Result, Run, abuse};

pub(crate) use failover::{kill, old_primary, promote, promote_async};
pub(crate) use sqlstates::sqlstates;

/// Measures the fairness between keys on PostgreSQL.
pub(crate) fn fairness(run: &Run) -> Result<Vec<Finding>> {
    abuse::fairness_in(run, ", on PostgreSQL", || {
        let site = site::Site::alone(run)?;
        let address = site.address.clone();
        Ok((site, address))
    })
}
