//! Connections that are cut around a commit.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use care_conformance::Dice;
use care_scratch_postgres::{Deed, Proxy};

use super::{site::Site, watch::goes_on};
use crate::{Failure, Finding, NOTHING, Outcome, Run, ensure, lock};

/// The number of clients that write at once.
const CLIENTS: usize = 8;
/// The number of cuts that one database goes through.
const LIVES: u64 = 250;

/// Cuts the committing connection this many times: before the commit, while it runs, and after its answer, which then
/// does not arrive. The store finds out the outcome of each.
pub(crate) fn cut(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (mut acknowledged, mut refused) = (0, 0);
    for (moment, deed) in [("before", Deed::CutBefore), ("during", Deed::CutDuring), ("after", Deed::CutAfter)] {
        for done in (0..run.rounds).step_by(LIVES as usize) {
            let (cuts, seed) = (LIVES.min(run.rounds - done), run.seed + done);
            let circumstances = format!("seed {}, {moment} commit {done} and later", run.seed);
            let site = life(run, &deed, cuts, seed).map_err(|failure| failure.when(circumstances))?;
            acknowledged += site.clinic.storm.acknowledged();
            refused += site.clinic.count(Outcome::Refused);
        }
    }
    let often = format!("{} times each; {acknowledged} writes acknowledged, {refused} refused", run.rounds);
    Ok(vec![Finding::new(often).found(format!("{NOTHING}; each outcome found out"))])
}

/// Cuts commits of a new database.
fn life(run: &Run, deed: &Deed, rounds: u64, seed: u64) -> Result<Site, Failure> {
    let mut site = Site::alone(run)?;
    let cuts = Arc::new(AtomicU64::new(0));
    let is_on = Arc::new(AtomicBool::new(false));
    let proxy = {
        let (cuts, is_on, deed) = (Arc::clone(&cuts), Arc::clone(&is_on), deed.clone());
        let dice = Mutex::new(Dice::new(seed));
        Proxy::before(&site.primary, move |statement| {
            let is_meant = statement.text == "COMMIT" && is_on.load(Ordering::SeqCst) && lock(&dice).one_in(2);
            if is_meant && cuts.fetch_add(1, Ordering::SeqCst) < rounds { deed.clone() } else { Deed::Pass }
        })?
    };
    let front = site.open(&proxy.address("public"))?;
    is_on.store(true, Ordering::SeqCst);
    site.run_clients(&front, CLIENTS, &mut Dice::new(seed), |_, _, storm| {
        while cuts.load(Ordering::SeqCst) < rounds {
            // Each wait is bounded.
            goes_on(storm)?;
        }
        thread::sleep(Duration::from_millis(10));
        goes_on(storm)
    })?;
    let unknown = site.clinic.count(Outcome::Unknown);
    ensure(unknown == 0, || format!("the outcome of {unknown} writes was not found out"))?;
    site.prove(&front)?;
    Ok(site)
}
