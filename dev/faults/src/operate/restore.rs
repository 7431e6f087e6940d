//! Restores while a server starts, and restores that are killed.

use std::time::Duration;

use care_conformance::Dice;

use super::place::{BACKED_UP, BEFORE, Place, beside_a_start, has, moment};
use crate::base::{
    failure::{Failure, ensure},
    finding::Finding,
    programs::Program,
    wire::Wire,
};

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

/// Restores a backup `rounds` times while a server starts on the same path at a random moment; one restore in three is
/// killed. Each ends with either the backup or the previous database in place, and reports which. Files that a killed
/// restore leaves behind do not block the next one.
///
/// # Errors
/// A report that is not true, with its round.
pub fn restores(rounds: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let (mut dice, mut ends) = (Dice::new(seed), Ends::default());
    let sources = Place::new()?;
    sources.database("small.db", BACKED_UP, false)?;
    sources.database("before.db", BEFORE, false)?;
    let has_large = rounds * 2 > LARGE_ONES;
    if has_large {
        sources.database("large.db", BACKED_UP, true)?;
    }
    for (name, program) in programs {
        for round in 0..rounds.div_ceil(programs.len() as u64) {
            let source = if has_large && round % LARGE_ONES == 3 { "large.db" } else { "small.db" };
            let before = [Before::Nothing, Before::Kept, Before::Replaced][(round % 3) as usize];
            one(&sources, source, before, program, &mut dice, &mut ends).map_err(|failure| {
                failure.when(format!("{name}, seed {seed}, round {round} ({before:?}, {source})"))
            })?;
        }
    }
    let Ends { restored, refused, killed, served } = ends;
    let finding = Finding::of(
        "`care-admin restore` with a server that starts at a random moment, one in three killed",
        format!("{} times; {served} times the server came up", restored + refused + killed),
    );
    let found = format!(
        "{restored} said that the backup is in its place, {refused} that it is not, {killed} were killed: all as \
         said, and the next restore works"
    );
    Ok(vec![finding.found(found)])
}

fn one(
    sources: &Place,
    source: &str,
    before: Before,
    program: &Program,
    dice: &mut Dice,
    ends: &mut Ends,
) -> Result<(), Failure> {
    let place = Place::new()?;
    place.copy(&sources.path(source), "backup.db")?;
    let mut task = vec!["restore", "backup.db", "--database", "care.db"];
    if before != Before::Nothing {
        place.copy(&sources.path("before.db"), "care.db")?;
    }
    if before == Before::Replaced {
        task.push("--overwrite");
    }
    let (begins, starts) = (moment(dice, WITHIN), moment(dice, WITHIN));
    let kill = dice.one_in(3).then(|| moment(dice, WITHIN));
    let (done, server) = beside_a_start(&place, program, starts, begins, &task, kill)?;
    let mut served = None;
    if let Ok(server) = server {
        let mut wire = Wire::new(server.address);
        served = Some((has(&mut wire, BACKED_UP)?, has(&mut wire, BEFORE)?));
        ends.served += 1;
        server.end()?;
    }
    let is_there = place.path("care.db").exists();
    let (backed_up, was_before) = match is_there {
        true => (place.holds("care.db", BACKED_UP)?, place.holds("care.db", BEFORE)?),
        false => (false, false),
    };
    let state =
        || format!("{done:?}; then the backup is there: {backed_up}, the former: {was_before}, served: {served:?}");
    match done.code {
        Some(0) => {
            ends.restored += 1;
            ensure(backed_up && !was_before && before != Before::Kept, || format!("a false success: {}", state()))?;
            // A server that had run the whole time would have made the restore fail.
            ensure(served.is_none_or(|served| served == (true, false)), || format!("served beside it: {}", state()))?;
        }
        Some(_) => {
            ends.refused += 1;
            let is_as_before = !backed_up && was_before == (before != Before::Nothing);
            ensure(is_as_before && !done.err.is_empty(), || format!("a false refusal: {}", state()))?;
        }
        None => {
            ends.killed += 1;
            let is_one = backed_up != was_before || before == Before::Nothing && !was_before;
            ensure(is_one, || format!("neither the backup nor what was there before: {}", state()))?;
        }
    }
    // The server ended cleanly and holds nothing.
    place.done(&["restore", "backup.db", "--database", "care.db", "--overwrite"])?;
    place.done(&["verify", "--database", "care.db"])?;
    ensure(place.holds("care.db", BACKED_UP)?, || "the next restore has not restored".to_owned())?;
    place.has_no_drafts()
}
