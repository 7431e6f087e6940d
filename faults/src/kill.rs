//! Killed at any moment, a server has lost nothing that it acknowledged.

use std::{thread, time::Duration};

use crate::{
    clinic::{Clinic, wait},
    dice::Dice,
    failure::Failure,
    process::Server,
    programs::Program,
};

/// A database lives through so many kills.
const LIVES: u64 = 10;
/// A life ends after fewer writes than these,
const WRITES: u64 = 600;
/// or so long after the first of them, whatever it has done.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many clients write at once.
const CLIENTS: usize = 16;

/// What the kills have proven.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kills {
    /// How often the server was killed.
    pub rounds: u64,
    /// How many writes it had acknowledged, all of which were found.
    pub acknowledged: u64,
}

/// Kills a server (SIGKILL) at random moments of a storm. After each kill the next life of the server starts on what is
/// left, is asked again for everything that was not answered, and is killed in its turn.
///
/// # Errors
/// What was lost, half there or there twice, with the round.
pub fn kill(program: &Program, rounds: u64, seed: u64) -> Result<Kills, Failure> {
    let mut dice = Dice::new(seed);
    let mut kills = Kills::default();
    while kills.rounds < rounds {
        let mut clinic = Clinic::new()?;
        for _ in 0..LIVES.min(rounds - kills.rounds) {
            let circumstances = format!("seed {seed}, kill {}", kills.rounds);
            life(&mut clinic, program, &mut dice).map_err(|failure| failure.when(circumstances))?;
            kills.rounds += 1;
        }
        kills.acknowledged += clinic.storm.acknowledged();
    }
    Ok(kills)
}

fn life(clinic: &mut Clinic, program: &Program, dice: &mut Dice) -> Result<(), Failure> {
    let server = Server::start(program, &clinic.database())?;
    let mut port = server.ports(1).remove(0);
    clinic.stock(&mut *port)?;
    clinic.repeat_unanswered(&mut *port)?;
    drop(port);
    let (writes, a_while) = (dice.roll(WRITES), Duration::from_micros(dice.roll(20_000)));
    clinic.rage(server, CLIENTS, dice, |server, storm| {
        // By its writes, so that a life on a slow machine is as full as on a fast one.
        let before = storm.acknowledged();
        wait(storm, before, PATIENCE, || storm.acknowledged() >= before + writes);
        thread::sleep(a_while);
        server.kill()
    })?;
    clinic.prove()
}
