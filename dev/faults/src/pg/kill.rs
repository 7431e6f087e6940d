//! PostgreSQL killed under load: everything acknowledged is there after it has recovered.

use std::time::Instant;

use super::{
    outage::{goes_on, outage, spread},
    site::Site,
};
use crate::{Failure, Finding, Moment, NOTHING, Run};

/// The number of kills that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// Kills all PostgreSQL processes (SIGKILL) at random moments of a storm over both servers, which continue after it has
/// recovered.
pub(crate) fn kill(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (mut acknowledged, mut waits) = (0, Vec::new());
    run.together().lives(
        LIVES,
        |_| {
            let site = Site::alone(run)?;
            Ok((site.serve(run)?, site))
        },
        |(front, site), _, dice| {
            let moment = Moment::of(dice);
            let after = site.run_clients(front, CLIENTS, dice, |postgres, _, storm| {
                moment.wait(storm);
                let (recovered, longest) = outage(storm, || {
                    let begun = Instant::now();
                    postgres.kill()?;
                    postgres.restart()?;
                    let took = begun.elapsed();
                    goes_on(storm).map(|()| took)
                });
                Ok(longest.saturating_sub(recovered?))
            })?;
            waits.push(after);
            site.prove(front)
        },
        |(_, site)| {
            acknowledged += site.clinic.storm.acknowledged();
            Ok(())
        },
    )?;
    let found = format!("{NOTHING}; writes go on after the recovery and {}", spread(waits));
    Ok(vec![Finding::new(format!("{} times; {acknowledged} writes acknowledged", run.rounds)).found(found)])
}
