//! Rotating keys while clients write, and rotations that are killed.

use std::time::{Duration, Instant};

use care_conformance::Dice;

use super::{
    live_server::LiveServer,
    place::{Place, moment},
};
use crate::base::{
    attempt::{Port, Request},
    failure::{Failure, ensure},
    finding::Finding,
    process::Server,
    programs::Program,
    wire::Wire,
};

/// The number of clients that write meanwhile.
const WRITERS: usize = 8;
/// Longest time in which a server must follow a change of keys: a second, and slack for slow machines.
const FOLLOWS: Duration = Duration::from_millis(1500);
/// Longest time before a rotation is killed.
const WITHIN: Duration = Duration::from_millis(25);

/// Rotates a key without an overlap, `rounds` times, while clients write; one rotation in four is killed. Within a
/// second, the server accepts, of the old and the new key, exactly the one that `care-admin` calls valid.
///
/// # Errors
/// A report that is not true, with its round.
pub fn rotations(rounds: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let (mut dice, mut killed, mut slowest) = (Dice::new(seed), 0, Duration::ZERO);
    for (name, program) in programs {
        let mut live = LiveServer::open(Place::new()?, program, 1000)?;
        let mut key = issue(&live.place, "Clerk 0")?;
        let mut storms = Dice::new(dice.roll(u64::MAX));
        let begins = Duration::from_millis(50);
        live.beside(
            WRITERS,
            begins,
            &mut storms,
            || 0,
            |place, server, _| {
                for round in 0..rounds.div_ceil(programs.len() as u64) {
                    let kill = dice.one_in(4).then(|| moment(&mut dice, WITHIN));
                    let clerk = format!("Clerk {}", round + 1);
                    match rotate(place, server, &mut key, &clerk, kill)
                        .map_err(|failure| failure.when(format!("{name}, seed {seed}, round {round}")))?
                    {
                        Some(took) => slowest = slowest.max(took),
                        None => killed += 1,
                    }
                }
                Ok(())
            },
        )?;
        live.close()?;
    }
    let what = "`care-admin keys rotate --overlap 0` beside eight writers, one in four killed";
    let found = format!(
        "always one valid key, and {killed} that were cut off are rotated or not at all; a server follows within \
         {:.0} ms",
        slowest.as_secs_f64() * 1e3
    );
    Ok(vec![Finding::of(what, format!("{rounds} times")).found(found)])
}

/// Rotates a key, or issues another one if the new key was lost with the killed process that printed it. Returns how
/// long the server took to follow; `None` if the rotation was killed.
fn rotate(
    place: &Place,
    server: &Server,
    key: &mut String,
    clerk: &str,
    kill: Option<Duration>,
) -> Result<Option<Duration>, Failure> {
    let id = key.split('_').nth(1).unwrap_or_default().to_owned();
    let task = ["keys", "rotate", &id, "--overlap", "0", "--database", "care.db"];
    let done = place.cut_off(&task, kill)?;
    let since = Instant::now();
    if done.is_done() {
        is_answered(server, &done.out, 200)?;
        is_answered(server, key, 401)?;
        key.clone_from(&done.out);
        return Ok(Some(since.elapsed()));
    }
    ensure(done.code.is_none(), || format!("not rotated: {}", done.err))?;
    let list = place.done(&["keys", "list", "--database", "care.db"])?.out;
    let is_valid = list.lines().any(|line| line.starts_with(&id) && line.contains("valid"));
    is_answered(server, key, if is_valid { 200 } else { 401 })?;
    if !is_valid {
        for line in list.lines().filter(|line| line.contains(" valid ")) {
            let lost = line.split(' ').next().unwrap_or_default();
            place.done(&["keys", "revoke", lost, "--database", "care.db"])?;
        }
        *key = issue(place, clerk)?;
        is_answered(server, key, 200)?;
    }
    Ok(None)
}

fn issue(place: &Place, name: &str) -> Result<String, Failure> {
    let task = ["keys", "issue", "--name", name, "--scope", "inventory:read", "--database", "care.db"];
    Ok(place.done(&task)?.out)
}

/// Waits until the server answers a request with this key with this status.
fn is_answered(server: &Server, key: &str, status: u16) -> Result<(), Failure> {
    let (begun, mut wire) = (Instant::now(), Wire::with_key(server.address, key));
    loop {
        let said = wire.ask(&Request::new("GET", "/inventory/Ibuprofen"));
        if said.status() == Some(status) {
            return Ok(());
        }
        ensure(begun.elapsed() < FOLLOWS, || format!("a key that must be answered {status} is answered {said:?}"))?;
        std::thread::sleep(Duration::from_millis(5));
    }
}
