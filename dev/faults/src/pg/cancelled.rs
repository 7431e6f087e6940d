//! Commits that are cancelled while they wait for the standby: PostgreSQL reports success, with a warning that only one
//! machine has them.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_scratch_postgres::Cluster;

use super::{
    silent::holds,
    site::{Site, there},
    watch::goes_on,
};
use crate::{Attempt, Failure, Finding, NOTHING, Outcome, Port, Run, Storm, ensure, joined};

/// The number of clients that write at once.
const CLIENTS: usize = 8;
/// The time for which the standby hangs.
const SILENCE: Duration = Duration::from_millis(3000);
/// Pause between two rounds of cancelling.
const PAUSE: Duration = Duration::from_millis(40);
/// Longest time until a write is acknowledged again.
const LIMIT: Duration = Duration::from_secs(60);

/// Fails unless a commit is waiting for the standby.
const WAITS: &str = "DO $$ BEGIN ASSERT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'); END $$";
/// Cancels every commit that is waiting for the standby.
const CANCEL: &str = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
/// Closes every connection whose commit is waiting for the standby.
const TERMINATE: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

/// Hides PostgreSQL's warning about a commit that only one machine has from the service.
const HIDE: &str = "ALTER ROLE postgres SET client_min_messages = error";
/// Shows the warning again.
const SHOW: &str = "ALTER ROLE postgres RESET client_min_messages";

/// Freezes the standby under load, and cancels the commits that wait for it or closes their connections. Then the
/// standby continues, or takes over from its primary without what it has not received. In every other round, including
/// some with a failover, a role setting hides PostgreSQL's warnings.
pub(crate) fn cancelled(run: &Run) -> Result<Vec<Finding>, Failure> {
    let mut site = Site::pair(run, true)?;
    let (mut promoted, mut hidden) = (0, 0);
    run.play(|round, dice| {
        let (script, is_promoted) = (if dice.one_in(3) { TERMINATE } else { CANCEL }, round % 3 == 0);
        let is_hidden = round % 2 == 0;
        site.primary.execute(if is_hidden { HIDE } else { SHOW })?;
        let circumstances = format!("{script}, promoted: {is_promoted}, hidden: {is_hidden}");
        one(&mut site, script, is_promoted, dice).map_err(|failure| failure.when(circumstances))?;
        promoted += u64::from(is_promoted);
        hidden += u64::from(is_hidden);
        Ok(())
    })?;
    let often = format!(
        "{} times, {promoted} of them with a failover, {hidden} with PostgreSQL's warnings hidden; {} writes \
         acknowledged",
        run.rounds,
        site.clinic.storm.acknowledged()
    );
    let found = format!("nothing acknowledged while one machine alone had it, not even to a repetition; {NOTHING}");
    Ok(vec![Finding::new(often).found(found)])
}

fn one(site: &mut Site, script: &str, is_promoted: bool, dice: &mut Dice) -> Result<(), Failure> {
    let front = site.open(&site.address)?;
    let pause = Duration::from_millis(50 + dice.roll(150));
    let number = site.clinic.storm.serial();
    let mut repeated = front.ports(1).remove(0);
    let repetition = site.run_clients(&front, CLIENTS, dice, |primary, standby, storm| {
        let standby = there(standby)?;
        storm.wait(pause, || false);
        standby.stand_still();
        let (gone_on, ended, repetition) = thread::scope(|scope| {
            let repetition = scope.spawn(move || repeat(&mut *repeated, number));
            let cancelled = cancel(primary, storm, script);
            let ended = Instant::now();
            let gone_on = cancelled.and_then(|()| {
                if is_promoted {
                    primary.kill()?;
                }
                standby.go_on();
                if is_promoted {
                    standby.promote()?;
                }
                goes_on(storm)
            });
            (gone_on, ended, joined(repetition))
        });
        gone_on?;
        let repetition = repetition?;
        ensure(repetition.1 > ended, || "a repetition was acknowledged while one machine alone had it".to_owned())?;
        Ok(repetition.0)
    })?;
    site.clinic.asked.push(repetition);
    if is_promoted {
        site.swap();
    }
    site.prove(&front)?;
    drop(front);
    if is_promoted { site.rejoin() } else { Ok(()) }
}

/// Cancels commits for as long as the standby hangs, and checks that nothing is acknowledged meanwhile.
fn cancel(primary: &Cluster, storm: &Storm, script: &str) -> Result<(), Failure> {
    thread::scope(|scope| {
        let cancelling = scope.spawn(|| {
            let begun = Instant::now();
            primary.until(WAITS)?;
            while begun.elapsed() < SILENCE {
                primary.execute(script)?;
                thread::sleep(PAUSE);
            }
            Ok(())
        });
        let held = holds(storm, SILENCE);
        let cancelled: Result<(), Failure> = joined(cancelling);
        held.and(cancelled)
    })
}

/// Sends a write until it is acknowledged, as a client does that is repeatedly told that its outcome is unknown.
/// Returns the write, and when it was acknowledged.
fn repeat(port: &mut dyn Port, number: u64) -> Result<(Attempt, Instant), Failure> {
    // The standby must hang before the write is sent.
    thread::sleep(PAUSE);
    let sent = Instant::now();
    while sent.elapsed() < LIMIT {
        let tried = Attempt::register(port, number);
        if tried.outcome == Outcome::Done {
            return Ok((Attempt { sent, ..tried }, Instant::now()));
        }
        thread::sleep(PAUSE);
    }
    Err(Failure::new("a repetition is never acknowledged"))
}
