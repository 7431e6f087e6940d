//! Two services over one PostgreSQL server that crashes, or whose standby takes over.

use std::{io, sync::Arc};

use care_conformance::Dice;
use care_scratch_postgres::{Cluster, Durability, Installation};
use care_store_postgres::PostgresStore;

use super::{
    on_late_copy,
    places::ports,
    round::{Tally, play},
};
use crate::base::{failure::Failure, inside::Inside};

/// PostgreSQL syncs its files before it recovers: this does so in one call, because syncing one by one takes seconds.
const SETTINGS: [&str; 1] = ["recovery_init_sync_method=syncfs"];

/// Plays rounds on two services over one PostgreSQL server. In each round, all of its processes are killed at a random
/// moment, and it then recovers.
///
/// # Errors
/// No order explains the answers, or PostgreSQL does not start.
pub fn through_kills(installation: &Installation, rounds: u64, seed: u64) -> Result<Tally, Failure> {
    let mut cluster = Cluster::start(installation, Durability::Full, &SETTINGS)?;
    let services = services(&cluster.address(&cluster.schema()?))?;
    let mut dice = Dice::new(seed);
    let mut all = Tally::default();
    for _ in 0..rounds {
        let moment = moment(&mut dice);
        all += play(ports(&services), &mut dice, |progress| {
            progress.wait(moment);
            cluster.kill()?;
            Ok(cluster.restart()?)
        })?;
    }
    Ok(all)
}

/// Plays rounds on two services over a primary and its synchronous standby. In each round, the primary is killed at a
/// random moment and the standby is promoted; after the round, the old primary becomes the new one's standby.
///
/// # Errors
/// No order explains the answers, or PostgreSQL does not start.
pub fn through_promotions(installation: &Installation, rounds: u64, seed: u64) -> Result<Tally, Failure> {
    let mut primary = Cluster::start(installation, Durability::Full, &SETTINGS)?;
    let schema = primary.schema()?;
    let mut standby = primary.standby()?;
    let services = services(&Cluster::address_of(&[&primary, &standby], &schema))?;
    let mut dice = Dice::new(seed);
    let mut all = Tally::default();
    for _ in 0..rounds {
        primary.wait_for_standby(true)?;
        let moment = moment(&mut dice);
        all += play(ports(&services), &mut dice, |progress| {
            progress.wait(moment);
            primary.kill()?;
            standby.promote()?;
            // Until the next round it has no standby.
            Ok(standby.wait_for_standby(false)?)
        })?;
        primary.follow(&mut standby)?;
        std::mem::swap(&mut primary, &mut standby);
    }
    Ok(all)
}

/// Plays rounds on two services over one PostgreSQL server, one of which reads from a stale copy. This is a planted
/// bug, which must be found.
///
/// # Errors
/// No order explains the answers.
pub fn on_late_standby(cluster: &Cluster, rounds: u64, seed: u64) -> Result<Tally, Failure> {
    on_late_copy(Arc::new(store(&cluster.address(&cluster.schema()?))?), rounds, seed)
}

fn services(address: &str) -> Result<[Inside; 2], Failure> {
    Ok([Inside::over(store(address)?), Inside::over(store(address)?)])
}

fn store(address: &str) -> Result<PostgresStore, Failure> {
    PostgresStore::open(address).map_err(|error| Failure::from(io::Error::other(error)))
}

/// Returns when the fault happens, in hundredths of a round.
const fn moment(dice: &mut Dice) -> u64 {
    5 + dice.roll(85)
}
