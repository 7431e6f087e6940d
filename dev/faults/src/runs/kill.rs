//! Kills at random moments: a server loses nothing that it acknowledged.

use crate::{Clinic, Failure, Finding, Moment, NOTHING, Run};

/// The number of kills that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// Kills a server (SIGKILL) at random moments of a storm. After each kill, a new server starts on what is left, clients
/// repeat everything that was not answered, and that server is killed in turn.
pub(crate) fn kill(run: &Run) -> Result<Vec<Finding>, Failure> {
    let mut acknowledged = 0;
    run.lives(
        LIVES,
        |_| Clinic::new(),
        |clinic, program, dice| {
            let server = clinic.serve(program)?;
            clinic.repeat_unanswered(&mut server.port())?;
            let moment = Moment::of(dice);
            clinic.beside(server.ports(CLIENTS), dice, |storm, _| {
                moment.wait(storm);
                Ok(server.kill()?)
            })?;
            clinic.prove()
        },
        |clinic| {
            acknowledged += clinic.storm.acknowledged();
            Ok(())
        },
    )?;
    Ok(vec![stormed(run.rounds, acknowledged, NOTHING)])
}

/// Returns the finding of rounds of a storm. Too few writes would show nothing.
pub(crate) fn stormed(rounds: u64, acknowledged: u64, found: impl Into<String>) -> Finding {
    let often = format!("{rounds} times; {acknowledged} writes acknowledged");
    let mut finding = Finding::new(often).found(found);
    finding.bar(acknowledged >= 15 * rounds, || format!("only {acknowledged} writes were acknowledged"));
    finding
}
