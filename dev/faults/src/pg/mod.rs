//! PostgreSQL that crashes, fails over, hangs, is cut off, reports errors or cancels commits: the servers in front of
//! it lose nothing that they acknowledged.
//!
//! Each part returns rows of a table, or a [`Failure`](crate::base::failure::Failure) with the round as soon as a write
//! is lost, half done or done twice.

mod cancelled;
mod cut;
mod fairness;
mod kill;
mod old_primary;
mod outage;
mod promote;
mod silent;
mod site;
mod sqlstates;
mod watched;

pub use cancelled::cancelled;
pub use care_scratch_postgres::Installation;
pub use cut::cut;
pub use fairness::fairness;
pub use kill::kill;
pub use old_primary::old_primary;
pub use promote::{promote, promote_async};
pub use silent::silent;
pub use sqlstates::sqlstates;

pub use crate::base::finding::Finding;

use crate::base::failure::Failure;

/// The result of most parts.
const NOTHING: &str = "0 lost, 0 half there, 0 there twice";

/// Returns the oldest installed version, which is the one that the published figures are for.
///
/// # Errors
/// PostgreSQL is not installed.
pub fn installation() -> Result<Installation, Failure> {
    let installed = care_scratch_postgres::installations();
    let installed = installed.map_err(|missing| Failure::new(missing.to_string()))?;
    installed.into_iter().next().ok_or_else(|| Failure::new("no PostgreSQL"))
}
