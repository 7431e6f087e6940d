//! Kills and errors at certain system calls: a server loses nothing that it acknowledged.
//!
//! `strace` counts the calls and sends the signal, or makes the call fail. Where `strace` or the right to trace is
//! missing, this part is skipped.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use care_conformance::Dice;

use crate::{
    base::{
        attempt::{Outcome, Request},
        failure::{Failure, ensure},
        process::{Server, arguments},
        programs::Program,
    },
    work::clinic::{Clinic, wait},
};

/// The number of clients that write at once: few, so that commits are small and there are many calls.
const CLIENTS: usize = 4;
/// The largest N: a server soon makes this many calls, and copies the log into the file meanwhile.
const CALLS: u64 = 3000;
/// Longest wait for the call. After that the server is killed without it.
const PATIENCE: Duration = Duration::from_secs(3);

/// The results of kills or errors at system calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// The number of rounds.
    pub rounds: u64,
    /// The number of rounds that reached the call at which the server was killed or which failed.
    pub reached: u64,
    /// The number of writes that were acknowledged, all of which were found.
    pub acknowledged: u64,
}

/// Returns whether calls can be traced here.
pub fn is_possible() -> bool {
    let mut probe = Command::new("strace");
    probe.args(["-f", "-qq", "-o", "/dev/null", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// Kills a server at the Nth call that writes, syncs or truncates the database or its log, for random N.
///
/// # Errors
/// The writes that are lost, half done or done twice, with the round.
pub fn kill(program: &Program, rounds: u64, seed: u64) -> Result<Calls, Failure> {
    let mut dice = Dice::new(seed);
    let mut kills = Calls::default();
    while kills.rounds < rounds {
        let mut clinic = Clinic::new()?;
        // This comes before the first call that counts.
        let server = Server::start(program, &clinic.database())?;
        clinic.stock(&mut *server.ports(1).remove(0))?;
        server.kill()?;
        for _ in 0..10.min(rounds - kills.rounds) {
            let (call, at) = match dice.roll(4) {
                0 => ("fsync", 1 + dice.roll(CALLS / 10)),
                1 => ("pwrite64", 1 + dice.roll(CALLS / 10)),
                _ => ("pwrite64", 1 + dice.roll(CALLS)),
            };
            let circumstances = format!("seed {seed}, kill {}, at {call} {at}", kills.rounds);
            let fault = format!("{call}:signal=KILL:when={at}");
            let reached = life(&mut clinic, program, &fault, &mut dice);
            kills.reached += u64::from(reached.map_err(|failure| failure.when(circumstances))?);
            kills.rounds += 1;
        }
        kills.acknowledged += clinic.storm.acknowledged();
    }
    Ok(kills)
}

/// Makes the Nth such call fail, once or from then on, with an I/O error or for lack of space. Afterwards everything
/// acknowledged is there, and nothing that was refused (503, 507).
///
/// # Errors
/// The writes that are lost, or there although they were refused, with the round.
pub fn fail(program: &Program, rounds: u64, seed: u64) -> Result<Calls, Failure> {
    let mut dice = Dice::new(seed);
    let mut kills = Calls::default();
    for round in 0..rounds {
        let mut clinic = Clinic::new()?;
        let server = Server::start(program, &clinic.database())?;
        clinic.stock(&mut *server.ports(1).remove(0))?;
        server.kill()?;
        let call = if dice.one_in(2) { "fsync" } else { "pwrite64" };
        let error = if dice.one_in(2) { "EIO" } else { "ENOSPC" };
        let and_on = if dice.one_in(2) { "+" } else { "" };
        let fault = format!("{call}:error={error}:when={}{and_on}", 20 + dice.roll(200));
        let circumstances = format!("seed {seed}, round {round} ({fault})");
        let mut life = || -> Result<(), Failure> {
            let server = Server::run(&mut traced(program, &clinic.database(), &fault))?;
            clinic.run_clients(server, CLIENTS, &mut dice, |server, storm| {
                // Clients that are repeatedly refused give up by themselves.
                wait(storm, storm.acknowledged(), PATIENCE / 4, || false);
                let said = server.ports(1).remove(0).ask(&Request::new("GET", "/inventory/Ibuprofen"));
                ensure(said.status() == Some(200), || format!("reads do not go on: {said:?}"))?;
                // Every client gets the answer to its last request, so that only the fault makes an outcome unknown.
                storm.end();
                thread::sleep(Duration::from_millis(200));
                Ok(server.kill()?)
            })?;
            clinic.prove()
        };
        life().map_err(|failure| failure.when(circumstances))?;
        kills.rounds += 1;
        kills.reached += u64::from(clinic.asked.iter().any(|asked| asked.outcome != Outcome::Done));
        kills.acknowledged += clinic.storm.acknowledged();
    }
    Ok(kills)
}

/// Returns whether the server reached the call.
fn life(clinic: &mut Clinic, program: &Program, fault: &str, dice: &mut Dice) -> Result<bool, Failure> {
    let mut command = traced(program, &clinic.database(), fault);
    let server = match Server::run(&mut command) {
        Ok(server) => server,
        // The call came before the server listened.
        Err(_) => return clinic.prove().map(|()| true),
    };
    let mut reached = false;
    clinic.run_clients(server, CLIENTS, dice, |server, storm| {
        wait(storm, storm.acknowledged(), PATIENCE, || server.has_ended().unwrap_or(true));
        reached = server.has_ended()?;
        Ok(server.kill()?)
    })?;
    // The next server is not traced.
    let server = Server::start(program, &clinic.database())?;
    clinic.repeat_unanswered(&mut *server.ports(1).remove(0))?;
    server.kill()?;
    clinic.prove()?;
    Ok(reached)
}

/// Returns the command that runs a server on a database, with this fault in its writing calls.
pub(crate) fn traced(program: &Program, database: &Path, fault: &str) -> Command {
    let mut command = Command::new("strace");
    // strace runs as a grandchild, so that the child is the server itself.
    command.env_clear().args(["-D", "-f", "-qq", "-o", "/dev/null"]);
    for suffix in ["", "-wal"] {
        let mut file = database.as_os_str().to_owned();
        file.push(suffix);
        command.arg("-P").arg(file);
    }
    command.args(["-e", "trace=pwrite64,fsync,ftruncate", "-e", &format!("inject={fault}")]);
    command.arg(&program.path).args(arguments(program, database));
    command
}
