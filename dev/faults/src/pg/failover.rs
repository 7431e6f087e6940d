//! PostgreSQL killed under load, a primary whose standby takes over, and one that keeps running beside its successor:
//! everything acknowledged is there afterwards.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_scratch_postgres::Cluster;

use super::{
    site::{Site, there},
    watch::{goes_on, outage, spread},
};
use crate::{Failure, Finding, Moment, NOTHING, Result, Run, Server, Storm, ensure};

/// The number of kills or failovers that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// Longest time without an acknowledged write, besides the promotion itself.
const BAR: Duration = Duration::from_secs(2);
/// The time for which an asynchronous standby is down before its primary is killed.
const DOWN: Duration = Duration::from_millis(400);

/// Kills all PostgreSQL processes (SIGKILL) at random moments of a storm over both servers, which continue after it has
/// recovered.
pub(crate) fn kill(run: &Run) -> Result<Vec<Finding>> {
    let mut waits = Vec::new();
    let acknowledged = lives(
        run,
        || Site::alone(run),
        |servers, site, dice| {
            let Outage { repair, longest, forbidden } = site.outage(servers, dice, Duration::ZERO, |postgres, _| {
                postgres.kill()?;
                postgres.restart()
            })?;
            site.prove(servers)?;
            waits.push(longest.saturating_sub(repair));
            forbidden.map_or(Ok(()), Err)
        },
    )?;
    let found = format!("{NOTHING}; writes go on after the recovery and {}", spread(waits));
    Ok(vec![run.stormed(acknowledged, found)])
}

/// Kills the primary under load over both servers and promotes its synchronous standby, repeatedly and in both
/// directions. The servers know both addresses and continue.
pub(crate) fn promote(run: &Run) -> Result<Vec<Finding>> {
    let (mut promotions, mut outages, mut late) = (Vec::new(), Vec::new(), 0);
    let acknowledged = lives(
        run,
        || Site::pair(run, true),
        |servers, site, dice| {
            let Outage { repair, longest, forbidden } = site.fail_over(servers, dice, Duration::ZERO)?;
            site.prove(servers)?;
            site.rejoin()?;
            late += u64::from(longest > repair + BAR);
            promotions.push(repair);
            outages.push(longest);
            forbidden.map_or(Ok(()), Err)
        },
    )?;
    let found = format!(
        "{NOTHING}; the promotion takes {}, and without an acknowledged write pass {}",
        spread(promotions),
        spread(outages)
    );
    let mut finding = run.stormed(acknowledged, found);
    finding.bar(late == 0, || format!("{late} times more than 2 s passed beside the promotion"));
    Ok(vec![finding])
}

/// Does the same with an asynchronous standby, which is down for a moment before its primary is killed. The harness
/// must find losses.
pub(crate) fn promote_async(run: &Run) -> Result<Vec<Finding>> {
    let (mut acknowledged, mut lost, mut with_losses) = (0, 0, 0);
    run.play(|_, dice| {
        let mut site = Site::pair(run, false)?;
        let servers = site.serve(run)?;
        site.fail_over(&servers, dice, DOWN)?;
        let lost_now = site.differences()?.iter().filter(|difference| difference.is_lost).count() as u64;
        acknowledged += site.clinic.storm.acknowledged();
        lost += lost_now;
        with_losses += u64::from(lost_now > 0);
        Ok(())
    })?;
    let found = format!("{lost} effects of acknowledged writes lost, in {with_losses} of {} rounds", run.rounds);
    let mut finding = run.stormed(acknowledged, found);
    finding.bar(with_losses == run.rounds, || "the harness finds no loss where there must be one".to_owned());
    Ok(vec![finding])
}

/// Plays the rounds over all servers, as many of them in one database as it has lives. Returns how many writes were
/// acknowledged.
fn lives(
    run: &Run,
    open: impl Fn() -> Result<Site>,
    mut live: impl FnMut(&[Server], &mut Site, &mut Dice) -> Result<()>,
) -> Result<u64> {
    run.together().lives(
        LIVES,
        |_| open().and_then(|site| Ok((site.serve(run)?, site))),
        |(servers, site), _, dice| live(servers, site, dice),
        |(_, site)| Ok(site.clinic.storm.acknowledged()),
    )
}

/// An outage, as clients saw it.
struct Outage {
    /// The time from the primary's end until the database accepts writes.
    repair: Duration,
    /// The longest time without an acknowledged write.
    longest: Duration,
    /// An answer that no client may get.
    forbidden: Option<Failure>,
}

impl Site {
    /// Kills the database at a random moment of a storm and repairs it, as `act` says. The standby is down for this
    /// long before.
    fn outage(
        &mut self,
        servers: &[Server],
        dice: &mut Dice,
        down: Duration,
        act: impl FnOnce(&mut Cluster, Option<&mut Cluster>) -> io::Result<()>,
    ) -> Result<Outage> {
        let moment = Moment::of(dice);
        let (forbidden, (longest, repair)) = self.beside(servers, CLIENTS, dice, |primary, mut standby, storm| {
            moment.wait(storm);
            if let Some(standby) = standby.as_mut().filter(|_| !down.is_zero()) {
                standby.kill()?;
                storm.wait(down, || false);
            }
            outage(storm, || {
                let begun = Instant::now();
                act(primary, standby)?;
                let took = begun.elapsed();
                // Clients whose records are lost stop, perhaps all of them.
                if down.is_zero() { goes_on(storm).map(|()| took) } else { Ok(took) }
            })
        })?;
        Ok(Outage { repair, longest, forbidden })
    }

    /// Kills the primary under load, and promotes the standby, which is down for this long before.
    fn fail_over(&mut self, servers: &[Server], dice: &mut Dice, down: Duration) -> Result<Outage> {
        let outage = self.outage(servers, dice, down, |primary, standby| {
            let standby = standby.ok_or(io::ErrorKind::NotFound)?;
            primary.kill()?;
            if !down.is_zero() {
                standby.restart()?;
            }
            standby.promote().map(drop)
        })?;
        self.swap();
        Ok(outage)
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
    let (forbidden, ()) = site.beside(&front, FEW, dice, |primary, standby, storm| {
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
    site.rejoin()?;
    forbidden.map_or(Ok(()), Err)
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
