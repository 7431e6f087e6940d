//! PostgreSQL that crashes, fails over, hangs, is cut off, reports errors or cancels commits: the servers in front of
//! it lose nothing that they acknowledged.

mod cancelled;
mod cut;
mod kill;
mod old_primary;
mod outage;
mod promote;
mod silent;
mod site;
mod sqlstates;
mod watched;

use crate::{Failure, Finding, Run, abuse};

pub(crate) use cancelled::cancelled;
pub(crate) use cut::cut;
pub(crate) use kill::kill;
pub(crate) use old_primary::old_primary;
pub(crate) use promote::{promote, promote_async};
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
