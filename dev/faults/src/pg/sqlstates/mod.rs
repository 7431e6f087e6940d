//! PostgreSQL errors in place of the answer to each of the store's statements.

mod case;
mod rule;

use care_scratch_postgres::Proxy;

use self::{
    case::{Case, Code},
    rule::{Injection, Place},
};
use super::{site::Site, watch::goes_on};
use crate::{Context as _, Finding, NOTHING, Result, Run, ensure};

/// The number of cases that one database goes through.
const LIVES: usize = 40;
/// The number of writes that it takes to see every statement.
const ENOUGH: u64 = 400;

/// Answers statements with errors, in this many cases drawn from all of them. A case is a statement of a connection
/// that writes or reads, an error, and whether the error happens once or until a client has been told of it.
pub(crate) fn sqlstates(run: &Run) -> Result<Vec<Finding>> {
    let (mut dice, seed) = (run.dice(), run.seed);
    let places = places(run)?;
    let mut all: Vec<_> = places.iter().flat_map(Case::all).collect();
    let known = all.len();
    let mut cases = Vec::new();
    while cases.len() < usize::try_from(run.rounds).unwrap_or(usize::MAX) && !all.is_empty() {
        cases.push(all.swap_remove(dice.roll(all.len() as u64) as usize));
    }
    let (mut acknowledged, mut reached) = (0, 0);
    for lives in cases.chunks(LIVES) {
        let mut site = Site::alone(run)?;
        for case in lives {
            let tried = case.run(&mut site, &mut dice);
            let is_reached = tried.when(format!("seed {seed}, {case:?}"))?;
            reached += u64::from(is_reached);
        }
        let front = site.open(&site.primary.address("public"))?;
        site.prove(&front).when(format!("seed {seed}, one of {lives:?}"))?;
        acknowledged += site.clinic.storm.acknowledged();
    }
    let often = format!(
        "{} of {known} cases, {reached} of them reached, {} errors at {} statements; {acknowledged} writes \
         acknowledged",
        cases.len(),
        Code::ALL.len(),
        places.len()
    );
    let found = format!("each with its meaning: again, 503, 507, or no more writes; {NOTHING}");
    Ok(vec![Finding::new(often).found(found)])
}

/// Returns the statements that a storm reaches.
fn places(run: &Run) -> Result<Vec<Place>> {
    let mut site = Site::alone(run)?;
    let injection = Injection::default();
    let watching = injection.clone();
    let proxy = Proxy::before(&site.primary, move |statement| watching.judge(statement))?;
    let front = site.open(&proxy.address("public"))?;
    injection.forget();
    let (forbidden, ()) = site.beside(&front, 1, &mut run.dice(), |_, _, storm| {
        goes_on(storm)?;
        storm.wait(case::LIMIT, || storm.acknowledged() >= ENOUGH);
        Ok(())
    })?;
    forbidden.map_or(Ok(()), Err)?;
    let places = injection.places();
    ensure!(places.len() > 30, "only {} statements are known", places.len());
    Ok(places)
}
