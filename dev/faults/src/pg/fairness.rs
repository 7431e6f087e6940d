//! One key that asks for as much as it can, and another one beside it.

use super::{Finding, Installation, site::Site};
use crate::{
    abuse::{Bars, Sizes, fairness_in},
    base::{failure::Failure, programs::Program},
};

/// Does as [`fairness`](crate::abuse::fairness) on PostgreSQL.
///
/// # Errors
/// The reason why it cannot be measured. Bars that are missed are in the findings.
pub fn fairness(
    installation: &Installation,
    sizes: &Sizes,
    bars: &Bars,
    programs: &[(&str, Program)],
) -> Result<Vec<Finding>, Failure> {
    let place = || {
        let site = Site::alone(installation)?;
        let address = site.address.clone();
        Ok((site, address))
    };
    fairness_in(sizes, bars, programs, ", on PostgreSQL", place)
}
