//! A synchronous standby that hangs: nothing is acknowledged until it continues.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use super::{
    site::{Front, Site, there},
    watch::goes_on,
};
use crate::{Failure, Finding, NOTHING, Outcome, Run, Storm, ensure};

/// The number of clients that write at once.
const CLIENTS: usize = 16;
/// The time in which commits are still acknowledged that the standby received before it hung.
const GRACE: Duration = Duration::from_millis(500);
/// Longest short silence: the commits that wait for it are answered when it ends.
const SHORT: u64 = 3000;
/// A silence longer than the servers' patience, which is 10 s.
const LONG: Duration = Duration::from_secs(16);

/// Freezes the synchronous standby (SIGSTOP) under load over both servers: for up to 3 s, and every third time for
/// longer than the servers wait.
pub(crate) fn silent(run: &Run) -> Result<Vec<Finding>, Failure> {
    let mut site = Site::pair(run, true)?;
    let front = site.serve(run)?;
    let mut unknown = 0;
    run.play(|round, dice| {
        let is_long = round % 3 == 2;
        let silence = if is_long { LONG } else { Duration::from_millis(200 + dice.roll(SHORT)) };
        let ends = one(&mut site, &front, silence, dice)?;
        unknown += ends;
        let is_right = if is_long { ends > 0 } else { ends == 0 };
        ensure(is_right, || format!("{ends} writes are answered 500 after {silence:?}"))
    })?;
    let acknowledged = site.clinic.storm.acknowledged();
    let often = format!("{} times; {acknowledged} writes acknowledged, {unknown} unknown", run.rounds);
    let found = format!("nothing acknowledged meanwhile, 500 only after more than 3 s; then {NOTHING}");
    Ok(vec![Finding::new(often).found(found)])
}

/// Returns how many writes were answered with 500.
fn one(site: &mut Site, front: &Front, silence: Duration, dice: &mut Dice) -> Result<usize, Failure> {
    let known = site.clinic.asked.len();
    let pause = Duration::from_millis(100 + dice.roll(300));
    site.run_clients(front, CLIENTS, dice, |_, standby, storm| {
        let standby = there(standby)?;
        storm.wait(pause, || false);
        standby.stand_still();
        let held = holds(storm, silence);
        standby.go_on();
        held.and_then(|()| goes_on(storm))
    })?;
    let asked = &site.clinic.asked[known..];
    let unknown = asked.iter().filter(|asked| asked.outcome == Outcome::Unknown).count();
    site.prove(front)?;
    Ok(unknown)
}

/// Checks that nothing is acknowledged for this long, after a grace period.
pub(super) fn holds(storm: &Storm, time: Duration) -> Result<(), Failure> {
    let begun = Instant::now();
    thread::sleep(GRACE.min(time));
    let before = storm.acknowledged();
    thread::sleep(time.saturating_sub(begun.elapsed()));
    let more = storm.acknowledged() - before;
    ensure(more == 0, || format!("{more} writes were acknowledged while one machine alone had them"))
}
