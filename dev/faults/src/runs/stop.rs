//! A stop under load: the server answers every request that was sent before, loses nothing, and ends in time.

use std::time::{Duration, Instant};

use super::kill::stormed;
use crate::{Clinic, Failure, Finding, Outcome, Run, ensure, moment};

/// The longest time that a server may take to end.
const LIMIT: Duration = Duration::from_secs(10);
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// Stops a server (SIGTERM) at random moments of a storm.
pub(crate) fn stop(run: &Run) -> Result<Vec<Finding>, Failure> {
    let mut acknowledged = 0;
    run.lives(
        u64::MAX,
        |_| Clinic::new(),
        |clinic, program, dice| {
            let server = clinic.serve(program)?;
            clinic.repeat_unanswered(&mut server.port())?;
            let (a_while, known) = (moment(dice, Duration::from_millis(250)), clinic.asked.len());
            let told = clinic.beside(server.ports(CLIENTS), dice, |storm, _| {
                storm.wait(a_while, || false);
                let told = Instant::now();
                let after = server.end()?.after;
                ensure(after < LIMIT, || format!("it ended after {after:?}"))?;
                Ok(told)
            })?;
            // A request that was sent before the signal is answered. One that is sent later may find no server.
            let mut unanswered = clinic.asked[known..].iter().filter(|asked| asked.outcome == Outcome::Unknown);
            let ignored = unanswered.find(|asked| asked.sent < told);
            ensure(ignored.is_none(), || format!("asked before it was told to stop, and not answered: {ignored:?}"))?;
            clinic.prove()
        },
        |clinic| {
            acknowledged += clinic.storm.acknowledged();
            Ok(())
        },
    )?;
    Ok(vec![stormed(run.rounds, acknowledged, "0 lost, every request answered, exit code 0 within 10 s")])
}
