//! Two services over one PostgreSQL server that crashes, or whose standby takes over.

use care_conformance::Dice;
use care_scratch_postgres::{Cluster, Durability};
use care_store_postgres::PostgresStore;

use super::round::{Tally, play};
use crate::{Finding, Inside, Result, Run};

/// PostgreSQL syncs its files before it recovers: this does so in one call, because syncing one by one takes seconds.
const SETTINGS: [&str; 1] = ["recovery_init_sync_method=syncfs"];

/// Plays rounds on two services over one PostgreSQL server. In each round, all of its processes are killed at a random
/// moment, and it then recovers.
pub(crate) fn through_kills(run: &Run) -> Result<Vec<Finding>> {
    let mut cluster = Cluster::start(run.postgres()?, Durability::Full, &SETTINGS)?;
    let services = services(&cluster.address(&cluster.schema()?))?;
    let mut all = Tally::default();
    run.play(|_, dice| {
        let moment = moment(dice);
        all += play(&services, dice, |progress| {
            progress.wait(moment);
            cluster.kill()?;
            Ok(cluster.restart()?)
        })?;
        Ok(())
    })?;
    Ok(all.told(run))
}

/// Plays rounds on two services over a primary and its synchronous standby. In each round, the primary is killed at a
/// random moment and the standby is promoted; after the round, the old primary becomes the new one's standby.
pub(crate) fn through_promotions(run: &Run) -> Result<Vec<Finding>> {
    let mut primary = Cluster::start(run.postgres()?, Durability::Full, &SETTINGS)?;
    let schema = primary.schema()?;
    let mut standby = primary.standby()?;
    let services = services(&Cluster::address_of(&[&primary, &standby], &schema))?;
    let mut all = Tally::default();
    run.play(|_, dice| {
        primary.wait_for_standby(true)?;
        let moment = moment(dice);
        all += play(&services, dice, |progress| {
            progress.wait(moment);
            primary.kill()?;
            standby.promote()?;
            // Until the next round it has no standby.
            Ok(standby.wait_for_standby(false)?)
        })?;
        primary.follow(&mut standby)?;
        std::mem::swap(&mut primary, &mut standby);
        Ok(())
    })?;
    Ok(all.told(run))
}

fn services(address: &str) -> Result<[Inside; 2]> {
    Ok([Inside::over(PostgresStore::open(address)?), Inside::over(PostgresStore::open(address)?)])
}

/// Returns when the fault happens, in hundredths of a round.
const fn moment(dice: &mut Dice) -> u64 {
    5 + dice.roll(85)
}
