//! Kills and errors at certain system calls: a server loses nothing that it acknowledged.
//!
//! `strace` counts the calls and sends the signal, or makes the call fail. Where `strace` or the right to trace is
//! missing, this part is left out.

use std::{thread, time::Duration};

use care_conformance::Dice;

use crate::{
    Clinic, Context as _, Finding, Front as _, NOTHING, Outcome, Program, Request, Result, Run, Server, ensure, told,
};

/// The number of clients that write at once: few, so that commits are small and there are many calls.
const CLIENTS: usize = 4;
/// The largest N: a server soon makes this many calls, and copies the log into the file meanwhile.
const CALLS: u64 = 3000;
/// Longest wait for the call. After that the server is killed without it.
const PATIENCE: Duration = Duration::from_secs(3);
/// The number of kills that one database goes through.
const LIVES: u64 = 10;

/// Kills a server at the Nth call that writes, syncs or truncates the database or its log, for random N.
pub(crate) fn kill(run: &Run) -> Result<Vec<Finding>> {
    each(run, LIVES, NOTHING, |clinic, program, dice| {
        let (call, at) = match dice.roll(4) {
            0 => ("fsync", 1 + dice.roll(CALLS / 10)),
            1 => ("pwrite64", 1 + dice.roll(CALLS / 10)),
            _ => ("pwrite64", 1 + dice.roll(CALLS)),
        };
        let traced = program.traced(&clinic.database(), &format!("{call}:signal=KILL:when={at}"));
        let Ok(server) = Server::start(&traced, &clinic.database()) else {
            // The call came before the server listened.
            return clinic.prove().map(|()| true);
        };
        let reached = clinic.beside(server.ports(CLIENTS), dice, |storm, _| {
            storm.wait(PATIENCE, || server.has_ended().unwrap_or(true));
            let reached = server.has_ended()?;
            server.kill()?;
            Ok(reached)
        })?;
        // The next server is not traced.
        let server = Server::start(program, &clinic.database())?;
        clinic.repeat_unanswered(&mut server.port())?;
        server.kill()?;
        clinic.prove()?;
        Ok(reached)
    })
}

/// Makes the Nth such call fail, once or from then on, with an I/O error or for lack of space. Afterwards everything
/// acknowledged is there, and nothing that was refused (503, 507).
pub(crate) fn fail(run: &Run) -> Result<Vec<Finding>> {
    each(run, 1, "0 false acknowledgements, 0 false refusals", |clinic, program, dice| {
        let call = if dice.one_in(2) { "fsync" } else { "pwrite64" };
        let error = if dice.one_in(2) { "EIO" } else { "ENOSPC" };
        let and_on = if dice.one_in(2) { "+" } else { "" };
        let fault = format!("{call}:error={error}:when={}{and_on}", 20 + dice.roll(200));
        let server = Server::start(&program.traced(&clinic.database(), &fault), &clinic.database())?;
        let beside = clinic.beside(server.ports(CLIENTS), dice, |storm, _| {
            // Clients that are repeatedly refused give up by themselves.
            storm.wait(PATIENCE / 4, || false);
            told(&mut server.port(), &Request::get("/inventory/Ibuprofen"), 200)?;
            // Every client gets the answer to its last request, so that only the fault makes an outcome unknown.
            storm.end();
            thread::sleep(Duration::from_millis(200));
            Ok(server.kill()?)
        });
        beside.and_then(|()| clinic.prove()).when(fault)?;
        Ok(clinic.asked.iter().any(|asked| asked.outcome != Outcome::Done))
    })
}

/// Plays rounds on stocked databases, each of which returns whether its call was reached.
fn each(
    run: &Run,
    lives: u64,
    found: &str,
    mut play: impl FnMut(&mut Clinic, &Program, &mut Dice) -> Result<bool>,
) -> Result<Vec<Finding>> {
    let mut reached = 0;
    let acknowledged = run.lives(
        lives,
        |program| {
            let clinic = Clinic::new()?;
            // This comes before the first call that counts.
            clinic.serve(program)?.kill()?;
            Ok(clinic)
        },
        |clinic, program, dice| {
            reached += u64::from(play(clinic, program, dice)?);
            Ok(())
        },
        |clinic| Ok(clinic.storm.acknowledged()),
    )?;
    ensure!(reached > 0, "no call was reached");
    let often = format!("{} times, {reached} of them reached; {acknowledged} writes acknowledged", run.rounds);
    Ok(vec![Finding::new(often).found(found)])
}
