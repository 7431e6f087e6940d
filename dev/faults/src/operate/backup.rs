//! Backups while clients write, and backups that are killed.

use std::{sync::atomic::Ordering, time::Duration};

use care_conformance::Dice;

use crate::{Clinic, Failure, Finding, Place, Run, Server, ensure, moment, prove};

/// The number of clients that write meanwhile.
const WRITERS: usize = 8;
/// The number of backups of one database, which grows, and of which each backup is checked.
const EACH: u64 = 10;
/// Longest time before a backup starts, and before it is killed.
const WITHIN: Duration = Duration::from_millis(60);
const TASK: [&str; 5] = ["backup", "backup.db", "--database", "care.db", "--overwrite"];

/// Makes backups while clients write, and kills one in three. A backup that `care-admin` reports as done is sound and
/// holds everything that was acknowledged before it started. A killed one exists completely or not at all, and does not
/// block the next.
pub(crate) fn backups(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (mut made, mut killed, mut acknowledged) = (0, 0, 0);
    run.lives(
        EACH,
        |program| {
            let clinic = Clinic::at(Place::new()?);
            Ok((clinic.serve(program)?, clinic))
        },
        |(server, clinic), _, dice| {
            *(if one(clinic, server, dice)? { &mut made } else { &mut killed }) += 1;
            Ok(())
        },
        |(server, clinic)| {
            server.kill()?;
            acknowledged += clinic.storm.acknowledged();
            clinic.prove()
        },
    )?;
    let often = format!("{} times; {acknowledged} writes acknowledged", made + killed);
    let found = format!(
        "{made} sound and with all that was acknowledged before; {killed} cut off, and there whole or not at all"
    );
    Ok(vec![Finding::new(often).found(found)])
}

/// Returns whether the backup was completed rather than killed.
fn one(clinic: &mut Clinic, server: &Server, dice: &mut Dice) -> Result<bool, Failure> {
    let begins = moment(dice, WITHIN);
    let kill = dice.one_in(3).then(|| moment(dice, WITHIN));
    // All earlier writes precede this backup.
    clinic.asked.iter_mut().for_each(|asked| asked.position = 0);
    clinic.storm.position.store(0, Ordering::SeqCst);
    let done = clinic.beside(server.ports(WRITERS), dice, |storm, place| {
        storm.wait(begins, || false);
        storm.position.store(1, Ordering::SeqCst);
        place.cut_off(&TASK, kill)
    })?;
    ensure(kill.is_some() || done.is_done(), || format!("not made: {}", done.err))?;
    let backup = clinic.place.path("backup.db");
    if done.is_done() {
        // The backup may or may not hold writes that were acknowledged after it started.
        prove(&backup, &clinic.asked, 0)?;
    } else if backup.exists() {
        clinic.place.done(&["verify", "--database", "backup.db"])?;
    }
    Ok(done.is_done())
}
