//! PostgreSQL that crashes, fails over, hangs, is cut off, reports errors or cancels commits: the servers in front of
//! it lose nothing that they acknowledged.

mod cancelled;
mod cut;
mod failover;
mod silent;
mod site;
mod sqlstates;
mod watch;

use crate::{Failure, Finding, Run, abuse};

pub(crate) use cancelled::cancelled;
pub(crate) use cut::cut;
pub(crate) use failover::{kill, old_primary, promote, promote_async};
pub(crate) use silent::silent;
pub(crate) use sqlstates::sqlstates;

/// Measures the fairness between keys on PostgreSQL.
pub(crate) fn fairness(run: &Run) -> Result<Vec<Finding>, Failure> {
    abuse::fairness_in(run, ", on PostgreSQL", || {
        let site = site::Site::alone(run)?;
        let address = site.address.clone();
        Ok((site, address))
    })
}
