//! A stop under load: the server answers every request that was sent before, loses nothing, and ends in time.

use std::time::{Duration, Instant};

use care_conformance::Dice;

use super::kill::Kills;
use crate::{
    base::{
        attempt::Outcome,
        failure::{Failure, ensure},
        process::Server,
        programs::Program,
    },
    work::clinic::{Clinic, wait},
};

/// The longest time that a server may take to end.
const LIMIT: Duration = Duration::from_secs(10);
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// Stops a server (SIGTERM) at random moments of a storm.
///
/// # Errors
/// The writes that are lost or not answered, or a wrong end of the server, with the round.
pub fn stop(program: &Program, rounds: u64, seed: u64) -> Result<Kills, Failure> {
    let mut dice = Dice::new(seed);
    let mut clinic = Clinic::new()?;
    for round in 0..rounds {
        let circumstances = format!("seed {seed}, stop {round}");
        life(&mut clinic, program, &mut dice).map_err(|failure| failure.when(circumstances))?;
    }
    Ok(Kills { rounds, acknowledged: clinic.storm.acknowledged() })
}

fn life(clinic: &mut Clinic, program: &Program, dice: &mut Dice) -> Result<(), Failure> {
    let server = Server::start(program, &clinic.database())?;
    let mut port = server.ports(1).remove(0);
    clinic.stock(&mut *port)?;
    clinic.repeat_unanswered(&mut *port)?;
    drop(port);
    let a_while = Duration::from_micros(dice.roll(250_000));
    let known = clinic.asked.len();
    let mut told = Instant::now();
    clinic.run_clients(server, CLIENTS, dice, |server, storm| {
        wait(storm, storm.acknowledged(), a_while, || false);
        told = Instant::now();
        let after = server.end()?.after;
        ensure(after < LIMIT, || format!("it ended after {after:?}"))
    })?;
    // A request that was sent before the signal is answered. One that is sent later may find no server.
    let mut unanswered = clinic.asked[known..].iter().filter(|asked| asked.outcome == Outcome::Unknown);
    let ignored = unanswered.find(|asked| asked.sent < told);
    ensure(ignored.is_none(), || format!("asked before it was told to stop, and not answered: {ignored:?}"))?;
    clinic.prove()
}
