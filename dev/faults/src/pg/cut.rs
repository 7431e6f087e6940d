//! Connections that are cut around a commit.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use care_conformance::Dice;
use care_scratch_postgres::{Deed, Proxy};

use super::{Installation, NOTHING, outage::goes_on, site::Site};
use crate::base::{
    attempt::Outcome,
    failure::{Failure, ensure},
    finding::Finding,
};

/// The number of clients that write at once.
const CLIENTS: usize = 8;
/// The number of cuts that one database goes through.
const LIVES: u64 = 250;

/// Cuts the committing connection this many times: before the commit, while it runs, and after its answer, which then
/// does not arrive.
///
/// # Errors
/// The writes that are lost, half done or done twice, or whose outcome the store cannot find out.
pub fn cut(installation: &Installation, rounds: u64, seed: u64) -> Result<Finding, Failure> {
    let (mut acknowledged, mut refused) = (0, 0);
    for (moment, deed) in [("before", Deed::CutBefore), ("during", Deed::CutDuring), ("after", Deed::CutAfter)] {
        let mut done = 0;
        while done < rounds {
            let cuts = LIVES.min(rounds - done);
            let circumstances = format!("seed {seed}, {moment} commit {done} and later");
            let site = life(installation, &deed, cuts, seed + done).map_err(|failure| failure.when(circumstances))?;
            done += cuts;
            acknowledged += site.clinic.storm.acknowledged();
            refused += site.clinic.asked.iter().filter(|asked| asked.outcome == Outcome::Refused).count();
        }
    }
    let what = "the connection is cut before, during and after COMMIT";
    let often = format!("{rounds} times each; {acknowledged} writes acknowledged, {refused} refused");
    Ok(Finding::of(what, often).found(format!("{NOTHING}; each outcome found out")))
}

/// Cuts commits of a new database.
fn life(installation: &Installation, deed: &Deed, rounds: u64, seed: u64) -> Result<Site, Failure> {
    let mut site = Site::alone(installation)?;
    let cuts = Arc::new(AtomicU64::new(0));
    let is_on = Arc::new(AtomicBool::new(false));
    let proxy = {
        let (cuts, is_on, deed) = (Arc::clone(&cuts), Arc::clone(&is_on), deed.clone());
        let dice = Mutex::new(Dice::new(seed));
        Proxy::before(&site.primary, move |statement| {
            let is_meant = statement.text == "COMMIT"
                && is_on.load(Ordering::SeqCst)
                && dice.lock().unwrap_or_else(PoisonError::into_inner).one_in(2);
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
    let unknown = site.clinic.asked.iter().filter(|asked| asked.outcome == Outcome::Unknown).count();
    ensure(unknown == 0, || format!("the outcome of {unknown} writes was not found out"))?;
    site.prove(&front)?;
    Ok(site)
}
