//! Imports while a server starts, and imports that are killed.

use std::{fs, time::Duration};

use crate::{BACKED_UP, Failure, Finding, Inside, Place, Program, Request, Run, ask, ensure, has};

use care_conformance::Dice;

/// Longest time before the server starts, the import starts, and the import is killed.
const WITHIN: Duration = Duration::from_millis(150);
/// The number of patients that are in the journal.
const PATIENTS: u64 = 3000;

/// Imports a journal into a new file while a server starts on the file at a random moment; one import in two is killed.
/// The entries that an import reports are there, and a killed import continues when it is repeated.
pub(crate) fn imports(run: &Run) -> Result<Vec<Finding>, Failure> {
    let sources = Place::new()?;
    sources.create("source.db", BACKED_UP, false)?;
    let mut inside = Inside::open(&sources.path("source.db"))?;
    for id in 10_000..10_000 + PATIENTS {
        ask(&mut inside, Request::registration(id))?;
    }
    drop(inside);
    sources.done(&["export", "--database", "source.db", "--out", "source.ndjson"])?;
    let (mut done, mut refused, mut killed) = (0, 0, 0);
    run.on_each(|program, _, dice| {
        *(match one(&sources, program, dice)? {
            Some(0) => &mut done,
            Some(_) => &mut refused,
            None => &mut killed,
        }) += 1;
        Ok(())
    })?;
    let found = format!(
        "{done} taken in, {refused} refused, {killed} cut off: each finished when it was run again, to the byte"
    );
    Ok(vec![Finding::new(format!("{} times", done + refused + killed)).found(found)])
}

/// Returns the exit code of the import, unless it was killed.
fn one(sources: &Place, program: &Program, dice: &mut Dice) -> Result<Option<i32>, Failure> {
    let place = Place::new()?;
    place.copy(sources, "source.ndjson", "source.ndjson")?;
    let task = ["import", "--database", "care.db", "--in", "source.ndjson"];
    let (done, server) = place.beside_a_start(program, &task, WITHIN, 2, dice)?;
    if let Ok(server) = server {
        let is_shown = has(&mut server.port(), BACKED_UP)?;
        ensure(is_shown || !done.is_done(), || format!("taken in, and not served: {done:?}"))?;
        server.end()?;
    }
    ensure(done.code != Some(1) || !done.err.is_empty(), || "refused without a word".to_owned())?;
    place.done(&task)?;
    place.done(&["verify", "--database", "care.db"])?;
    place.done(&["export", "--database", "care.db", "--out", "again.ndjson"])?;
    let is_equal = fs::read(place.path("again.ndjson"))? == fs::read(place.path("source.ndjson"))?;
    ensure(is_equal, || format!("the journal is another one after {done:?}"))?;
    Ok(done.code)
}
