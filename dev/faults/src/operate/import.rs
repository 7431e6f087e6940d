//! Imports while a server starts, and imports that are killed.

use std::{fs, time::Duration};

use care_conformance::Dice;

use super::place::{BACKED_UP, Place, beside_a_start, has, moment};
use crate::{
    base::{
        attempt::Request,
        failure::{Failure, ensure},
        finding::Finding,
        inside::Inside,
        programs::Program,
        wire::Wire,
    },
    work::clients::ask,
};

/// Longest time before the server starts, the import starts, and the import is killed.
const WITHIN: Duration = Duration::from_millis(150);
/// The number of patients that are in the journal.
const PATIENTS: u64 = 3000;

/// Imports a journal into a new file, `rounds` times, while a server starts on the file at a random moment; one import
/// in two is killed. The entries that an import reports are there, and a killed import continues when it is repeated.
///
/// # Errors
/// A report that is not true, with its round.
pub fn imports(rounds: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let (mut dice, mut ends) = (Dice::new(seed), [0_u64; 3]);
    let sources = Place::new()?;
    sources.database("source.db", BACKED_UP, false)?;
    let mut inside = Inside::open(&sources.path("source.db"))?;
    for id in 1..=PATIENTS {
        if id != BACKED_UP {
            ask(&mut inside, Request::new("POST", "/patient").body(format!(r#"{{"patientId":{}}}"#, id + 10_000)))?;
        }
    }
    drop(inside);
    sources.done(&["export", "--database", "source.db", "--out", "source.ndjson"])?;
    for (name, program) in programs {
        for round in 0..rounds.div_ceil(programs.len() as u64) {
            let end = one(&sources, program, &mut dice)
                .map_err(|failure| failure.when(format!("{name}, seed {seed}, round {round}")))?;
            ends[end] += 1;
        }
    }
    let [done, refused, killed] = ends;
    let what = "`care-admin import` with a server that starts at a random moment, one in two killed";
    let found = format!(
        "{done} taken in, {refused} refused, {killed} cut off: each finished when it was run again, to the byte"
    );
    Ok(vec![Finding::of(what, format!("{} times", done + refused + killed)).found(found)])
}

/// Returns how it ended: 0 imported, 1 refused, 2 killed.
fn one(sources: &Place, program: &Program, dice: &mut Dice) -> Result<usize, Failure> {
    let place = Place::new()?;
    place.copy(&sources.path("source.ndjson"), "source.ndjson")?;
    let task = ["import", "--database", "care.db", "--in", "source.ndjson"];
    let (begins, starts) = (moment(dice, WITHIN), moment(dice, WITHIN));
    let kill = dice.one_in(2).then(|| moment(dice, WITHIN));
    let (done, server) = beside_a_start(&place, program, starts, begins, &task, kill)?;
    if let Ok(server) = server {
        let is_shown = has(&mut Wire::new(server.address), BACKED_UP)?;
        ensure(is_shown || !done.is_done(), || format!("taken in, and not served: {done:?}"))?;
        server.end()?;
    }
    ensure(done.code != Some(1) || !done.err.is_empty(), || "refused without a word".to_owned())?;
    place.done(&task)?;
    place.done(&["verify", "--database", "care.db"])?;
    place.done(&["export", "--database", "care.db", "--out", "again.ndjson"])?;
    let is_equal = fs::read(place.path("again.ndjson"))? == fs::read(place.path("source.ndjson"))?;
    ensure(is_equal, || format!("the journal is another one after {done:?}"))?;
    Ok(match done.code {
        Some(0) => 0,
        Some(_) => 1,
        None => 2,
    })
}
