//! A primary that is killed under load, and whose standby takes over.

use std::time::{Duration, Instant};

use care_conformance::Dice;

use super::{
    Installation, NOTHING,
    outage::{goes_on, outage, spread},
    site::{Front, Site, there},
};
use crate::{
    base::{failure::Failure, finding::Finding, programs::Program},
    work::clinic::{Moment, wait},
};

/// The number of failovers that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;
/// Longest time without an acknowledged write, besides the promotion itself.
const BAR: Duration = Duration::from_secs(2);
/// The time for which an asynchronous standby is down before its primary is killed.
const DOWN: Duration = Duration::from_millis(400);

/// Kills the primary under load over both servers and promotes its synchronous standby, repeatedly and in both
/// directions. The servers know both addresses and continue.
///
/// # Errors
/// The writes that are lost, half done or done twice, with the round.
pub fn promote(
    installation: &Installation,
    rounds: u64,
    seed: u64,
    programs: &[(&str, Program)],
) -> Result<Finding, Failure> {
    let mut dice = Dice::new(seed);
    let (mut round, mut acknowledged, mut promotions, mut outages, mut late) = (0, 0, Vec::new(), Vec::new(), 0);
    while round < rounds {
        let mut site = Site::pair(installation, true)?;
        let front = site.serve(programs)?;
        for _ in 0..LIVES.min(rounds - round) {
            let circumstances = format!("seed {seed}, promotion {round}");
            let Failover { promotion, outage, forbidden, .. } = site
                .fail_over(&front, &mut dice, Duration::ZERO)
                .and_then(|failover| site.prove(&front).map(|()| failover))
                .and_then(|failover| site.rejoin().map(|()| failover))
                .map_err(|failure| failure.when(&circumstances))?;
            forbidden.map_or(Ok(()), |failure| Err(failure.when(&circumstances)))?;
            late += u64::from(outage > promotion + BAR);
            promotions.push(promotion);
            outages.push(outage);
            round += 1;
        }
        acknowledged += site.clinic.storm.acknowledged();
    }
    let what = "the primary is killed under load, and its synchronous standby promoted";
    let found = format!(
        "{NOTHING}; the promotion takes {}, and without an acknowledged write pass {}",
        spread(promotions),
        spread(outages)
    );
    let mut finding = Finding::of(what, format!("{rounds} times; {acknowledged} writes acknowledged")).found(found);
    finding.bar(late == 0, || format!("{late} times more than 2 s passed beside the promotion"));
    Ok(finding)
}

/// Does the same with an asynchronous standby, which is down for a moment before its primary is killed. The harness
/// must find losses.
///
/// # Errors
/// A database that contradicts itself, with the round.
pub fn promote_async(
    installation: &Installation,
    rounds: u64,
    seed: u64,
    programs: &[(&str, Program)],
) -> Result<Finding, Failure> {
    let mut dice = Dice::new(seed);
    let (mut acknowledged, mut lost, mut with_losses) = (0, 0, 0);
    for round in 0..rounds {
        let circumstances = format!("seed {seed}, promotion {round}");
        let mut site = Site::pair(installation, false)?;
        let front = site.serve(programs)?;
        let tried = site.fail_over(&front, &mut dice, DOWN).and_then(|_| site.differences());
        let differences = tried.map_err(|failure| failure.when(circumstances))?;
        let lost_now = differences.iter().filter(|difference| difference.is_lost).count() as u64;
        acknowledged += site.clinic.storm.acknowledged();
        lost += lost_now;
        with_losses += u64::from(lost_now > 0);
    }
    let what = "the same with an asynchronous standby that was down for 0.4 s before, as a proof of the harness";
    let found = format!("{lost} effects of acknowledged writes lost, in {with_losses} of {rounds} rounds");
    let mut finding = Finding::of(what, format!("{rounds} times; {acknowledged} writes acknowledged")).found(found);
    finding.bar(with_losses == rounds, || "the harness finds no loss where there must be one".to_owned());
    Ok(finding)
}

/// A failover, as clients saw it.
struct Failover {
    /// The time from the primary's end until the standby accepts writes.
    promotion: Duration,
    /// The longest time without an acknowledged write.
    outage: Duration,
    /// An answer that no client may get.
    forbidden: Option<Failure>,
}

impl Site {
    /// Kills the primary under load, and promotes the standby, which is down for this long before.
    fn fail_over(&mut self, front: &Front, dice: &mut Dice, down: Duration) -> Result<Failover, Failure> {
        let moment = Moment::of(dice);
        let (forbidden, (promotion, outage)) = self.beside(front, CLIENTS, dice, |primary, standby, storm| {
            let standby = there(standby)?;
            let is_down = down > Duration::ZERO;
            moment.wait_around(storm, || {
                if is_down {
                    standby.kill()?;
                    wait(storm, storm.acknowledged(), down, || false);
                }
                Ok::<_, Failure>(())
            })?;
            let (promoted, longest) = outage(storm, || {
                let begun = Instant::now();
                primary.kill()?;
                if is_down {
                    standby.restart()?;
                }
                standby.promote()?;
                let took = begun.elapsed();
                // Clients whose records are lost stop, perhaps all of them.
                if is_down { Ok(took) } else { goes_on(storm).map(|()| took) }
            });
            Ok((promoted?, longest))
        })?;
        self.swap();
        Ok(Failover { promotion, outage, forbidden })
    }
}
