//! Taking a journal in beside a server that starts, and cut off.

use std::{fs, thread, time::Duration};

use super::place::{BACKED_UP, Place, has, moment, started};
use crate::{
    abuse::end,
    asked::Request,
    clients::ask,
    dice::Dice,
    failure::{Failure, ensure},
    finding::Finding,
    inside::Inside,
    programs::Program,
    wire::Wire,
};

/// An import is begun, and killed, and the server starts, within this time.
const WITHIN: Duration = Duration::from_millis(150);
/// So many patients are in the journal.
const PATIENTS: u64 = 3000;

/// Imports a journal so many times into a file that is not there, with a server that starts on it at a random moment; one
/// in two is killed. What is said to be taken in is there; an import that was cut off goes on when it is run again.
///
/// # Errors
/// What it says and is not so, with the round.
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
    sources.done(&["export", "source.db", "--out", "source.ndjson"])?;
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

fn one(sources: &Place, program: &Program, dice: &mut Dice) -> Result<usize, Failure> {
    let place = Place::new()?;
    place.copy(&sources.path("source.ndjson"), "source.ndjson")?;
    let task = ["import", "care.db", "--in", "source.ndjson"];
    let (begins, starts) = (moment(dice, WITHIN), moment(dice, WITHIN));
    let kill = dice.one_in(2).then(|| moment(dice, WITHIN));
    let (done, server) = thread::scope(|scope| {
        let server = scope.spawn(|| started(program, &place.path("care.db"), starts));
        thread::sleep(begins);
        let done = place.cut_off(&task, kill);
        (done, server.join())
    });
    let (done, server) = (done?, server.map_err(|_| Failure::new("the starting panicked"))?);
    if let Ok(server) = server {
        let is_shown = has(&mut Wire::new(server.address), BACKED_UP)?;
        ensure(is_shown || !done.is_done(), || format!("taken in, and not served: {done:?}"))?;
        end(server)?;
    }
    ensure(done.code != Some(1) || !done.err.is_empty(), || "refused without a word".to_owned())?;
    place.done(&task)?;
    place.done(&["verify", "care.db"])?;
    place.done(&["export", "care.db", "--out", "again.ndjson"])?;
    let is_equal = fs::read(place.path("again.ndjson"))? == fs::read(place.path("source.ndjson"))?;
    ensure(is_equal, || format!("the journal is another one after {done:?}"))?;
    Ok(match done.code {
        Some(0) => 0,
        Some(_) => 1,
        None => 2,
    })
}
