//! PostgreSQL killed under load, a primary whose standby takes over, and one that keeps running beside its successor:
//! everything acknowledged is there afterwards.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_scratch_postgres::Cluster;

use super::{
    site::{Front, Site, there},
    watch::{goes_on, outage, spread},
};
use crate::{Failure, Finding, Moment, NOTHING, Result, Run, Storm, ensure};

/// The number of kills or failovers that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// Kills all PostgreSQL processes (SIGKILL) at random moments of a storm over both servers, which continue after it has
/// recovered.
pub(crate) fn kill(run: &Run) -> Result<Vec<Finding>> {
    let mut waits = Vec::new();
    let acknowledged = run.together().lives(
        LIVES,
        |_| {
            let site = Site::alone(run)?;
            Ok((site.serve(run)?, site))
        },
        |(front, site), _, dice| {
            let moment = Moment::of(dice);
            let after = site.run_clients(front, CLIENTS, dice, |postgres, _, storm| {
                moment.wait(storm);
                let (longest, recovered) = outage(storm, || {
                    let begun = Instant::now();
                    postgres.kill()?;
                    postgres.restart()?;
                    let took = begun.elapsed();
                    goes_on(storm).map(|()| took)
                })?;
                Ok(longest.saturating_sub(recovered))
            })?;
            waits.push(after);
            site.prove(front)
        },
        |(_, site)| Ok(site.clinic.storm.acknowledged()),
    )?;
    let found = format!("{NOTHING}; writes go on after the recovery and {}", spread(waits));
    Ok(vec![Finding::new(format!("{} times; {acknowledged} writes acknowledged", run.rounds)).found(found)])
}

/// Longest time without an acknowledged write, besides the promotion itself.
const BAR: Duration = Duration::from_secs(2);
/// The time for which an asynchronous standby is down before its primary is killed.
const DOWN: Duration = Duration::from_millis(400);

/// Kills the primary under load over both servers and promotes its synchronous standby, repeatedly and in both
/// directions. The servers know both addresses and continue.
pub(crate) fn promote(run: &Run) -> Result<Vec<Finding>> {
    let (mut promotions, mut outages, mut late) = (Vec::new(), Vec::new(), 0);
    let acknowledged = run.together().lives(
        LIVES,
        |_| {
            let site = Site::pair(run, true)?;
            Ok((site.serve(run)?, site))
        },
        |(front, site), _, dice| {
            let Failover { promotion, outage, forbidden } = site.fail_over(front, dice, Duration::ZERO)?;
            site.prove(front)?;
            site.rejoin()?;
            forbidden.map_or(Ok(()), Err)?;
            late += u64::from(outage > promotion + BAR);
            promotions.push(promotion);
            outages.push(outage);
            Ok(())
        },
        |(_, site)| Ok(site.clinic.storm.acknowledged()),
    )?;
    let found = format!(
        "{NOTHING}; the promotion takes {}, and without an acknowledged write pass {}",
        spread(promotions),
        spread(outages)
    );
    let mut finding = Finding::new(format!("{} times; {acknowledged} writes acknowledged", run.rounds)).found(found);
    finding.bar(late == 0, || format!("{late} times more than 2 s passed beside the promotion"));
    Ok(vec![finding])
}

/// Does the same with an asynchronous standby, which is down for a moment before its primary is killed. The harness
/// must find losses.
pub(crate) fn promote_async(run: &Run) -> Result<Vec<Finding>> {
    let (mut acknowledged, mut lost, mut with_losses) = (0, 0, 0);
    run.play(|_, dice| {
        let mut site = Site::pair(run, false)?;
        let front = site.serve(run)?;
        site.fail_over(&front, dice, DOWN)?;
        let lost_now = site.differences()?.iter().filter(|difference| difference.is_lost).count() as u64;
        acknowledged += site.clinic.storm.acknowledged();
        lost += lost_now;
        with_losses += u64::from(lost_now > 0);
        Ok(())
    })?;
    let found = format!("{lost} effects of acknowledged writes lost, in {with_losses} of {} rounds", run.rounds);
    let mut finding = Finding::new(format!("{} times; {acknowledged} writes acknowledged", run.rounds)).found(found);
    finding.bar(with_losses == run.rounds, || "the harness finds no loss where there must be one".to_owned());
    Ok(vec![finding])
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
    fn fail_over(&mut self, front: &Front, dice: &mut Dice, down: Duration) -> Result<Failover> {
        let moment = Moment::of(dice);
        let (forbidden, (promotion, outage)) = self.beside(front, CLIENTS, dice, |primary, standby, storm| {
            let standby = there(standby)?;
            let is_down = down > Duration::ZERO;
            moment.wait_around(storm, || {
                if is_down {
                    standby.kill()?;
                    storm.wait(down, || false);
                }
                Ok::<_, Failure>(())
            })?;
            let (outage, promotion) = outage(storm, || {
                let begun = Instant::now();
                primary.kill()?;
                if is_down {
                    standby.restart()?;
                }
                standby.promote()?;
                let took = begun.elapsed();
                // Clients whose records are lost stop, perhaps all of them.
                if is_down { Ok(took) } else { goes_on(storm).map(|()| took) }
            })?;
            Ok((promotion, outage))
        })?;
        self.swap();
        Ok(Failover { promotion, outage, forbidden })
    }
}

/// The number of clients that write to an old primary at once.
const FEW: usize = 8;
/// The time in which commits are still acknowledged that the standby received before.
const GRACE: Duration = Duration::from_millis(500);
/// The time for which the old primary keeps running.
const TOGETHER: Duration = Duration::from_millis(3000);

/// Promotes the synchronous standby under load, and keeps the old primary running with the service connected to it.
/// Later the old primary is killed, and the service continues on the new one.
pub(crate) fn old_primary(run: &Run) -> Result<Vec<Finding>> {
    let mut site = Site::pair(run, true)?;
    run.play(|_, dice| beside_its_successor(&mut site, dice))?;
    let acknowledged = site.clinic.storm.acknowledged();
    let often = format!("{} times for 3 s; {acknowledged} writes acknowledged", run.rounds);
    Ok(vec![Finding::new(often).found(format!("the old primary acknowledges nothing; {NOTHING}"))])
}

fn beside_its_successor(site: &mut Site, dice: &mut Dice) -> Result<()> {
    // The old primary is named first, so that the service finds it again as long as it is there. On a busy machine it
    // may answer late, and a service that waited for less than this would go over to the new one.
    let address = Cluster::address_of(&[&site.primary, site.standby()?], "public");
    let front = site.open(&format!("{address}&connect_timeout=10"))?;
    let pause = Duration::from_millis(50 + dice.roll(300));
    site.run_clients(&front, FEW, dice, |primary, standby, storm| {
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

/// Checks that nothing is acknowledged for this long, after a grace period.
fn holds(storm: &Storm, time: Duration) -> Result<()> {
    let begun = Instant::now();
    thread::sleep(GRACE.min(time));
    let before = storm.acknowledged();
    thread::sleep(time.saturating_sub(begun.elapsed()));
    let more = storm.acknowledged() - before;
    ensure!(more == 0, "{more} writes were acknowledged while one machine alone had them");
    Ok(())
}
