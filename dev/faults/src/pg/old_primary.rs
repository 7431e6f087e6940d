//! An old primary that keeps running beside its successor: it acknowledges nothing.

use std::time::Duration;

use care_conformance::Dice;
use care_scratch_postgres::Cluster;

use super::{
    outage::goes_on,
    silent::holds,
    site::{Site, there},
};
use crate::{Failure, Finding, NOTHING, Run};

/// The number of clients that write at once.
const CLIENTS: usize = 8;
/// The time for which the old primary keeps running.
const TOGETHER: Duration = Duration::from_millis(3000);

/// Promotes the synchronous standby under load, and keeps the old primary running with the service connected to it.
/// Later the old primary is killed, and the service continues on the new one.
pub(crate) fn old_primary(run: &Run) -> Result<Vec<Finding>, Failure> {
    let mut site = Site::pair(run, true)?;
    run.play(|_, dice| one(&mut site, dice))?;
    let acknowledged = site.clinic.storm.acknowledged();
    let often = format!("{} times for 3 s; {acknowledged} writes acknowledged", run.rounds);
    Ok(vec![Finding::new(often).found(format!("the old primary acknowledges nothing; {NOTHING}"))])
}

fn one(site: &mut Site, dice: &mut Dice) -> Result<(), Failure> {
    // The old primary is named first, so that the service finds it again as long as it is there.
    let address = Cluster::address_of(&[&site.primary, site.standby()?], "public");
    let front = site.open(&address)?;
    let pause = Duration::from_millis(50 + dice.roll(300));
    site.run_clients(&front, CLIENTS, dice, |primary, standby, storm| {
        let standby = there(standby)?;
        storm.wait(pause, || false);
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
