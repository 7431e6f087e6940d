//! PostgreSQL killed under load: everything acknowledged is there after it has recovered.

use std::time::{Duration, Instant};

use care_conformance::Dice;

use super::{
    Installation, NOTHING,
    outage::{goes_on, outage, spread},
    site::{Front, Site},
};
use crate::{
    base::{failure::Failure, finding::Finding, programs::Program},
    work::clinic::Moment,
};

/// The number of kills that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// Kills all PostgreSQL processes (SIGKILL) at random moments of a storm over both servers, which continue after it has
/// recovered.
///
/// # Errors
/// The writes that are lost, half done or done twice, with the round.
pub fn kill(
    installation: &Installation,
    rounds: u64,
    seed: u64,
    programs: &[(&str, Program)],
) -> Result<Finding, Failure> {
    let mut dice = Dice::new(seed);
    let (mut round, mut acknowledged, mut waits) = (0, 0, Vec::new());
    while round < rounds {
        let mut site = Site::alone(installation)?;
        let front = site.serve(programs)?;
        for _ in 0..LIVES.min(rounds - round) {
            let circumstances = format!("seed {seed}, kill {round}");
            waits.push(life(&mut site, &front, &mut dice).map_err(|failure| failure.when(circumstances))?);
            round += 1;
        }
        acknowledged += site.clinic.storm.acknowledged();
    }
    let what = "all processes of PostgreSQL are killed (SIGKILL) at a random moment of a storm over both servers";
    let found = format!("{NOTHING}; writes go on after the recovery and {}", spread(waits));
    Ok(Finding::of(what, format!("{rounds} times; {acknowledged} writes acknowledged")).found(found))
}

/// Returns how long after the recovery no write was acknowledged.
fn life(site: &mut Site, front: &Front, dice: &mut Dice) -> Result<Duration, Failure> {
    let moment = Moment::of(dice);
    let after = site.run_clients(front, CLIENTS, dice, |postgres, _, storm| {
        moment.wait(storm);
        let (recovered, longest) = outage(storm, || {
            let begun = Instant::now();
            postgres.kill()?;
            postgres.restart()?;
            let took = begun.elapsed();
            goes_on(storm).map(|()| took)
        });
        Ok(longest.saturating_sub(recovered?))
    })?;
    site.prove(front)?;
    Ok(after)
}
