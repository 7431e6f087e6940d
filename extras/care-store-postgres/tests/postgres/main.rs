//! Behaviour that is specific to PostgreSQL: opening, slow connections, lost commit answers, crashes, several servers
//! on one database, standbys, traces of an erased person, and the number of round trips.
//!
//! `CARE_CUTS` and `CARE_CRASHES` make longer runs.

#[path = "../scratch/mod.rs"]
mod scratch;

mod commits;
mod connecting;
mod crashes;
mod embedding;
mod erasing;
mod impostors;
mod locks;
mod opening;
mod proxy;
mod round_trips;
mod servers;
mod standbys;
mod strangers;
mod waiting;

use std::process::ExitCode;

/// Returns the number in this environment variable, or the default.
fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().map_or(usual, |given| given.parse().expect("a number"))
}

fn main() -> ExitCode {
    scratch::run(|_| {
        let tests = [
            opening::tests(),
            impostors::tests(),
            commits::tests(),
            connecting::tests(),
            crashes::tests(),
            embedding::tests(),
            servers::tests(),
            standbys::tests(),
            strangers::tests(),
            waiting::tests(),
            erasing::tests(),
            locks::tests(),
            round_trips::tests(),
        ];
        tests.into_iter().flatten().collect()
    })
}
