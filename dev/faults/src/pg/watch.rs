//! An outage as clients see it: its length, and the statuses of their answers.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use care_testkit::until;

use crate::{Ending, Over, Port, Request, Result, Storm, beside, ensure, lock, percentile};

/// Time between two looks at what is acknowledged.
const LOOK: Duration = Duration::from_millis(1);
/// Longest time until something is acknowledged again.
const LIMIT: Duration = Duration::from_secs(60);
/// The number of writes that show that the service works again.
const ENOUGH: u64 = 20;

/// Runs `run`, and returns the longest time in which no write was acknowledged with its result.
pub(crate) fn outage<T>(storm: &Storm, run: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let watch = |_, over: &Over| {
        let (mut count, mut since, mut longest) = (storm.acknowledged(), Instant::now(), Duration::ZERO);
        while !over.is() {
            thread::sleep(LOOK);
            let now = storm.acknowledged();
            longest = longest.max(since.elapsed());
            if now != count {
                (count, since) = (now, Instant::now());
            }
        }
        Ok(longest)
    };
    let (longest, done) = beside(1, watch, run)?;
    Ok((longest[0], done))
}

/// Waits until writes are acknowledged again.
pub(crate) fn goes_on(storm: &Storm) -> Result<()> {
    let before = storm.acknowledged();
    ensure!(until(LIMIT, || storm.acknowledged() >= before + ENOUGH), "writes are not acknowledged again");
    Ok(())
}

/// Returns the median and the maximum of these times, in words.
pub(crate) fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let [median, longest] = [50, 100].map(|share| percentile(&times, share).as_secs_f64());
    format!("median {median:.2} s, longest {longest:.2} s")
}

/// The statuses that were answered, and how often.
#[derive(Debug, Clone, Default)]
pub(super) struct Statuses(Arc<Mutex<BTreeMap<u16, u64>>>);

/// A client whose answers are counted.
pub(super) struct Watched {
    port: Box<dyn Port>,
    statuses: Statuses,
}

impl Statuses {
    /// Counts the answers to these clients.
    pub(super) fn of(&self, ports: Vec<Box<dyn Port>>) -> Vec<Box<dyn Port>> {
        let watched = |port| Box::new(Watched { port, statuses: self.clone() }) as Box<dyn Port>;
        ports.into_iter().map(watched).collect()
    }

    /// Returns how often this status was answered.
    pub(super) fn count(&self, status: u16) -> u64 {
        lock(&self.0).get(&status).copied().unwrap_or_default()
    }
}

impl Port for Watched {
    fn ask(&mut self, request: &Request) -> Ending {
        let ending = self.port.ask(request);
        if let Ending::Answer(answer) = &ending {
            *lock(&self.statuses.0).entry(answer.status).or_default() += 1;
        }
        ending
    }
}
