//! Backups while clients write, and backups that are killed.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use care_conformance::Dice;

use super::{
    live_server::LiveServer,
    place::{Place, moment},
};
use crate::{
    base::{
        failure::{Failure, ensure},
        finding::Finding,
        programs::Program,
    },
    work::prove::prove,
};

/// The number of clients that write meanwhile.
const WRITERS: usize = 8;
/// The number of backups of one database, which grows, and of which each backup is checked.
const EACH: u64 = 10;
/// Longest time before a backup starts, and before it is killed.
const WITHIN: Duration = Duration::from_millis(60);
const TASK: [&str; 5] = ["backup", "backup.db", "--database", "care.db", "--overwrite"];

/// Makes `rounds` backups while clients write, and kills one in three. A backup that `care-admin` reports as done is
/// sound and holds everything that was acknowledged before it started. A killed one exists completely or not at all,
/// and does not block the next.
///
/// # Errors
/// A report that is not true, with its round.
pub fn backups(rounds: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let mut dice = Dice::new(seed);
    let (mut made, mut killed, mut acknowledged) = (0, 0, 0);
    for (name, program) in programs {
        let each = rounds.div_ceil(programs.len() as u64);
        let mut round = 0;
        while round < each {
            let mut live = LiveServer::open(Place::new()?, program, 1000)?;
            for _ in 0..EACH.min(each - round) {
                let is_made = one(&mut live, &mut dice)
                    .map_err(|failure| failure.when(format!("{name}, seed {seed}, round {round}")))?;
                *(if is_made { &mut made } else { &mut killed }) += 1;
                round += 1;
            }
            acknowledged += live.close()?.1;
        }
    }
    let often = format!("{} times; {acknowledged} writes acknowledged", made + killed);
    let finding = Finding::of("`care-admin backup --overwrite` beside eight writers, one in three killed", often);
    let found = format!(
        "{made} sound and with all that was acknowledged before; {killed} cut off, and there whole or not at all"
    );
    Ok(vec![finding.found(found)])
}

/// Returns whether the backup was completed rather than killed.
fn one(live: &mut LiveServer, dice: &mut Dice) -> Result<bool, Failure> {
    let (position, begins) = (AtomicUsize::new(0), moment(dice, WITHIN));
    let kill = dice.one_in(3).then(|| moment(dice, WITHIN));
    // All earlier writes precede this backup.
    live.asked.iter_mut().for_each(|asked| asked.position = 0);
    let done = live.beside(
        WRITERS,
        begins,
        dice,
        || position.load(Ordering::SeqCst),
        |place, _, _| {
            position.store(1, Ordering::SeqCst);
            place.cut_off(&TASK, kill)
        },
    )?;
    ensure(kill.is_some() || done.is_done(), || format!("not made: {}", done.err))?;
    let backup = live.place.path("backup.db");
    if done.is_done() {
        // The backup may or may not hold writes that were acknowledged after it started.
        prove(&backup, &live.asked, 0)?;
    } else if backup.exists() {
        live.place.done(&["verify", "--database", "backup.db"])?;
    }
    Ok(done.is_done())
}
