//! An old primary that keeps running beside its successor: it acknowledges nothing.

use std::time::Duration;

use care_conformance::Dice;

use super::{
    Installation, NOTHING,
    outage::goes_on,
    silent::holds,
    site::{Site, there},
};
use crate::{
    base::{failure::Failure, finding::Finding},
    work::clinic::wait,
};

/// The number of clients that write at once.
const CLIENTS: usize = 8;
/// The time for which the old primary keeps running.
const TOGETHER: Duration = Duration::from_millis(3000);

/// Promotes the synchronous standby under load, and keeps the old primary running with the service connected to it.
/// Later the old primary is killed, and the service continues on the new one.
///
/// # Errors
/// The writes that the old primary acknowledges, or that are lost, half done or done twice, with the round.
pub fn old_primary(installation: &Installation, rounds: u64, seed: u64) -> Result<Finding, Failure> {
    let mut dice = Dice::new(seed);
    let mut site = Site::pair(installation, true)?;
    for round in 0..rounds {
        let circumstances = format!("seed {seed}, round {round}");
        one(&mut site, &mut dice).map_err(|failure| failure.when(circumstances))?;
    }
    let acknowledged = site.clinic.storm.acknowledged();
    let what = "the standby is promoted while the old primary goes on, and the service stays connected to that one";
    let often = format!("{rounds} times for 3 s; {acknowledged} writes acknowledged");
    Ok(Finding::of(what, often).found(format!("the old primary acknowledges nothing; {NOTHING}")))
}

fn one(site: &mut Site, dice: &mut Dice) -> Result<(), Failure> {
    // The old primary is named first, so that the service finds it again as long as it is there.
    let address = care_scratch_postgres::Cluster::address_of(&[&site.primary, site.standby()?], "public");
    let front = site.open(&address)?;
    let pause = Duration::from_millis(50 + dice.roll(300));
    site.run_clients(&front, CLIENTS, dice, |primary, standby, storm| {
        let standby = there(standby)?;
        wait(storm, storm.acknowledged(), pause, || false);
        standby.promote()?;
        holds(storm, TOGETHER)?;
        primary.kill()?;
        goes_on(storm)
    })?;
    site.swap();
    site.prove(&front)?;
    drop(front);
    site.rejoin()
}
