//! Restores while a server starts, and restores that are killed.

use std::time::Duration;

use care_conformance::Dice;

use crate::{BACKED_UP, BEFORE, Context as _, Finding, Place, Program, Result, Run, ensure, has};

/// Longest time before the server starts, the restore starts, and the restore is killed.
const WITHIN: Duration = Duration::from_millis(120);
/// One round in this many restores a large file.
const LARGE_ONES: u64 = 25;

/// The previous content of the database's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A database that the restore may not overwrite.
    Kept,
    /// A database that the restore may overwrite.
    Replaced,
}

/// The number of restores by their end.
#[derive(Debug, Default)]
struct Ends {
    restored: u64,
    refused: u64,
    killed: u64,
    /// The number of times that the server started.
    served: u64,
}

/// Restores a backup while a server starts on the same path at a random moment; one restore in three is killed. Each
/// ends with either the backup or the previous database in place, and reports which. Files that a killed restore leaves
/// behind do not block the next one.
pub(crate) fn restores(run: &Run) -> Result<Vec<Finding>> {
    let (sources, mut ends) = (Place::new()?, Ends::default());
    sources.create("small.db", BACKED_UP, false)?;
    sources.create("before.db", BEFORE, false)?;
    let has_large = run.rounds * 2 > LARGE_ONES;
    if has_large {
        sources.create("large.db", BACKED_UP, true)?;
    }
    run.on_each(|program, round, dice| {
        let source = if has_large && round % LARGE_ONES == 3 { "large.db" } else { "small.db" };
        let before = [Before::Nothing, Before::Kept, Before::Replaced][(round % 3) as usize];
        let restored = one(&sources, source, before, program, dice, &mut ends);
        restored.when(format!("{before:?}, {source}"))
    })?;
    let Ends { restored, refused, killed, served } = ends;
    let often = format!("{} times; {served} times the server came up", restored + refused + killed);
    let found = format!(
        "{restored} said that the backup is in its place, {refused} that it is not, {killed} were killed: all as \
         said, and the next restore works"
    );
    Ok(vec![Finding::new(often).found(found)])
}

fn one(
    sources: &Place,
    source: &str,
    before: Before,
    program: &Program,
    dice: &mut Dice,
    ends: &mut Ends,
) -> Result<()> {
    let place = Place::new()?;
    place.copy(sources, source, "backup.db")?;
    let mut task = vec!["restore", "backup.db", "--database", "care.db"];
    if before != Before::Nothing {
        place.copy(sources, "before.db", "care.db")?;
    }
    if before == Before::Replaced {
        task.push("--overwrite");
    }
    let (done, server) = place.beside_a_start(program, &task, WITHIN, 3, dice)?;
    let mut served = None;
    if let Ok(server) = server {
        let mut wire = server.port();
        served = Some((has(&mut wire, BACKED_UP)?, has(&mut wire, BEFORE)?));
        ends.served += 1;
        server.end()?;
    }
    let (backed_up, was_before) = match place.database().exists() {
        true => (place.holds("care.db", BACKED_UP)?, place.holds("care.db", BEFORE)?),
        false => (false, false),
    };
    let state =
        || format!("{done:?}; then the backup is there: {backed_up}, the former: {was_before}, served: {served:?}");
    match done.status.code() {
        Some(0) => {
            ends.restored += 1;
            ensure!(backed_up && !was_before && before != Before::Kept, "a false success: {}", state());
            // A server that had run the whole time would have made the restore fail.
            ensure!(served.is_none_or(|served| served == (true, false)), "served beside it: {}", state());
        }
        Some(_) => {
            ends.refused += 1;
            let is_as_before = !backed_up && was_before == (before != Before::Nothing);
            ensure!(is_as_before && !done.log.is_empty(), "a false refusal: {}", state());
        }
        None => {
            ends.killed += 1;
            let is_one = backed_up != was_before || before == Before::Nothing && !was_before;
            ensure!(is_one, "neither the backup nor what was there before: {}", state());
        }
    }
    // The server ended cleanly and holds nothing.
    place.done(&["restore", "backup.db", "--database", "care.db", "--overwrite"])?;
    place.done(&["verify", "--database", "care.db"])?;
    ensure!(place.holds("care.db", BACKED_UP)?, "the next restore has not restored");
    place.has_no_drafts()
}
