//! Rotating keys beside writers, and cut off.

use std::time::{Duration, Instant};

use super::place::{Place, moment};
use crate::{
    asked::{Port, Request, Said},
    clinic::wait,
    dice::Dice,
    failure::{Failure, ensure},
    finding::Finding,
    process::Server,
    programs::Program,
    prove::prove,
    storm::Storm,
    wire::Wire,
};

/// So many clients write beside it.
const WRITERS: usize = 8;
/// A server follows within a second; some time to spare for slow machines.
const FOLLOWS: Duration = Duration::from_millis(1500);
/// A rotation is killed within this time.
const WITHIN: Duration = Duration::from_millis(25);

/// Rotates a key so many times beside writers, without an overlap, one in four killed. Of the old and the new key exactly
/// the one is answered that is said to be valid, within a second.
///
/// # Errors
/// What it says and is not so, with the round.
pub fn rotations(rounds: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let (mut dice, mut killed, mut slowest) = (Dice::new(seed), 0, Duration::ZERO);
    for (name, program) in programs {
        let place = Place::new()?;
        let server = Server::start(program, &place.path("care.db"))?;
        crate::clinic::stock(&mut Wire::new(server.address))?;
        let (storm, mut asked) = (Storm::default(), Vec::new());
        let mut key = issue(&place, "Clerk 0")?;
        let (account, done) = storm.rage(
            server.ports(WRITERS),
            &mut Dice::new(dice.roll(u64::MAX)),
            || 0,
            || {
                wait(&storm, 0, Duration::from_millis(50), || false);
                let done: Result<(), Failure> = (0..rounds.div_ceil(programs.len() as u64)).try_for_each(|round| {
                    let one = rotate(&place, &server, &mut key, round, &mut dice, &mut killed);
                    let took = one.map_err(|failure| failure.when(format!("{name}, seed {seed}, round {round}")))?;
                    slowest = slowest.max(took);
                    Ok(())
                });
                storm.end();
                done
            },
        );
        account.failure.map_or(Ok(()), Err)?;
        done?;
        asked.extend(account.asked);
        server.kill()?;
        place.done(&["verify", "care.db"])?;
        prove(&place.path("care.db"), &asked, usize::MAX)?;
    }
    let what = "`care-admin keys rotate --overlap 0` beside eight writers, one in four killed";
    let found = format!(
        "always one valid key, and {killed} that were cut off are rotated or not at all; a server follows within {:.0} ms",
        slowest.as_secs_f64() * 1e3
    );
    Ok(vec![Finding::of(what, format!("{rounds} times")).found(found)])
}

/// Rotates a key; answers how long the server took to follow.
fn rotate(
    place: &Place,
    server: &Server,
    key: &mut String,
    round: u64,
    dice: &mut Dice,
    killed: &mut u64,
) -> Result<Duration, Failure> {
    let id = key.split('_').nth(1).unwrap_or_default().to_owned();
    let task = ["keys", "rotate", &id, "--overlap", "0", "--database", "care.db"];
    let kill = dice.one_in(4).then(|| moment(dice, WITHIN));
    let done = place.cut_off(&task, kill)?;
    let since = Instant::now();
    if done.is_done() {
        // Said only once it is so.
        until(server, &done.out, 200)?;
        until(server, key, 401)?;
        key.clone_from(&done.out);
        return Ok(since.elapsed());
    }
    ensure(done.code.is_none(), || format!("not rotated: {}", done.err))?;
    *killed += 1;
    let list = place.done(&["keys", "list", "--database", "care.db"])?.out;
    let is_valid = list.lines().any(|line| line.starts_with(&id) && line.contains("valid"));
    until(server, key, if is_valid { 200 } else { 401 })?;
    if !is_valid {
        // The new one was printed for nobody: it is ended, and another is issued.
        for line in list.lines().filter(|line| line.contains(" valid ")) {
            let id = line.split(' ').next().unwrap_or_default();
            place.done(&["keys", "revoke", id, "--database", "care.db"])?;
        }
        *key = issue(place, &format!("Clerk {}", round + 1))?;
        until(server, key, 200)?;
    }
    Ok(Duration::ZERO)
}

fn issue(place: &Place, name: &str) -> Result<String, Failure> {
    let task = ["keys", "issue", "--name", name, "--scope", "inventory:read", "--database", "care.db"];
    Ok(place.done(&task)?.out)
}

/// Waits until a key is answered so.
fn until(server: &Server, key: &str, status: u16) -> Result<(), Failure> {
    let (begun, mut wire) = (Instant::now(), Wire::with_key(server.address, key));
    loop {
        let said = wire.ask(&Request::new("GET", "/inventory/Ibuprofen"));
        if matches!(&said, Said::Answer(answer) if answer.status == status) {
            return Ok(());
        }
        ensure(begun.elapsed() < FOLLOWS, || format!("a key that must be answered {status} is answered {said:?}"))?;
        std::thread::sleep(Duration::from_millis(5));
    }
}
