//! Kills at random moments: a server loses nothing that it acknowledged.

use care_conformance::Dice;

use crate::{
    base::{failure::Failure, process::Server, programs::Program},
    work::clinic::{Clinic, Moment},
};

/// The number of kills that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// The kills of a server that caused no loss.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kills {
    /// The number of kills.
    pub rounds: u64,
    /// The number of acknowledged writes, all of which were found.
    pub acknowledged: u64,
}

/// Kills a server (SIGKILL) at random moments of a storm. After each kill, a new server starts on what is left, clients
/// repeat everything that was not answered, and that server is killed in turn.
///
/// # Errors
/// The writes that are lost, half done or done twice, with the round.
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
    let moment = Moment::of(dice);
    clinic.run_clients(server, CLIENTS, dice, |server, storm| {
        moment.wait(storm);
        Ok(server.kill()?)
    })?;
    clinic.prove()
}
