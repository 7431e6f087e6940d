//! Commits that are cancelled while they wait for the standby: PostgreSQL reports success, with a warning that only one
//! machine has them.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_scratch_postgres::Cluster;

use super::{
    Installation, NOTHING,
    outage::goes_on,
    silent::holds,
    site::{Site, there},
};
use crate::{
    base::{
        attempt::{Attempt, Ending, Outcome, Port, Request},
        failure::{Failure, ensure},
        finding::Finding,
    },
    work::{clinic::wait, storm::Storm},
};

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
///
/// # Errors
/// The writes that are lost, half done or done twice, or acknowledged while only one machine has them, with the round.
pub fn cancelled(installation: &Installation, rounds: u64, seed: u64) -> Result<Finding, Failure> {
    let mut dice = Dice::new(seed);
    let mut site = Site::pair(installation, true)?;
    let (mut promoted, mut hidden) = (0, 0);
    for round in 0..rounds {
        let (script, is_promoted) = (if dice.one_in(3) { TERMINATE } else { CANCEL }, round % 3 == 0);
        let is_hidden = round % 2 == 0;
        site.primary.execute(if is_hidden { HIDE } else { SHOW })?;
        let tried = one(&mut site, script, is_promoted, &mut dice);
        let circumstances =
            || format!("seed {seed}, round {round} ({script}, promoted: {is_promoted}, hidden: {is_hidden})");
        tried.map_err(|failure| failure.when(circumstances()))?;
        promoted += u64::from(is_promoted);
        hidden += u64::from(is_hidden);
    }
    let acknowledged = site.clinic.storm.acknowledged();
    let what = "commits that wait for the standby are cancelled, or their connections ended by an operator";
    let often = format!(
        "{rounds} times, {promoted} of them with a failover, {hidden} with PostgreSQL's warnings hidden; \
         {acknowledged} writes acknowledged"
    );
    let found = format!("nothing acknowledged while one machine alone had it, not even to a repetition; {NOTHING}");
    Ok(Finding::of(what, often).found(found))
}

fn one(site: &mut Site, script: &str, is_promoted: bool, dice: &mut Dice) -> Result<(), Failure> {
    let front = site.open(&site.address)?;
    let pause = Duration::from_millis(50 + dice.roll(150));
    let number = site.clinic.storm.serial();
    let mut repeated = front.ports(1).remove(0);
    let repetition = site.run_clients(&front, CLIENTS, dice, |primary, standby, storm| {
        let standby = there(standby)?;
        wait(storm, storm.acknowledged(), pause, || false);
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
            (gone_on, ended, repetition.join())
        });
        gone_on?;
        let repetition = repetition.map_err(|_| Failure::new("a client panicked"))??;
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
        let cancelled: Result<(), Failure> = cancelling.join().map_err(|_| Failure::new("the operator panicked"))?;
        held.and(cancelled)
    })
}

/// Sends a write until it is acknowledged, as a client does that is repeatedly told that its outcome is unknown.
/// Returns the write, and when it was acknowledged.
fn repeat(port: &mut dyn Port, number: u64) -> Result<(Attempt, Instant), Failure> {
    // The standby must hang before the write is sent.
    thread::sleep(PAUSE);
    let key = format!("k{number}");
    let request = Request::new("POST", "/patient").body(format!(r#"{{"patientId":{number}}}"#)).key(&key);
    let sent = Instant::now();
    while sent.elapsed() < LIMIT {
        match port.ask(&request) {
            Ending::Answer(answer) if answer.status == 201 => {
                let marks = vec![format!("reply {key}")];
                return Ok((Attempt { request, marks, outcome: Outcome::Done, sent, position: 0 }, Instant::now()));
            }
            Ending::Answer(answer) if matches!(answer.status, 500 | 503) => thread::sleep(PAUSE),
            said => return Err(Failure::new(format!("a repetition is answered {said:?}"))),
        }
    }
    Err(Failure::new("a repetition is never acknowledged"))
}
