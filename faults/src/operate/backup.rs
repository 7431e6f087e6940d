//! Backups beside writers, and cut off.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use super::place::{Place, moment};
use crate::{
    asked::Asked,
    clinic::wait,
    dice::Dice,
    failure::{Failure, ensure},
    finding::Finding,
    process::Server,
    programs::Program,
    prove::prove,
    storm::Storm,
    wire::Wire,
};

/// So many clients write beside it.
const WRITERS: usize = 8;
/// A backup is begun, and killed, within this time.
const WITHIN: Duration = Duration::from_millis(60);

/// Makes so many backups beside writers, and kills one in three. A backup that is said to be there is sound and holds
/// what was acknowledged before it began; one that was killed is there whole or not at all, and stops no other.
///
/// # Errors
/// What it says and is not so, with the round.
pub fn backups(rounds: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let mut dice = Dice::new(seed);
    let (mut made, mut killed, mut acknowledged) = (0, 0, 0);
    for (name, program) in programs {
        let place = Place::new()?;
        let (storm, mut asked) = (Storm::default(), Vec::new());
        let server = Server::start(program, &place.path("care.db"))?;
        crate::clinic::stock(&mut Wire::new(server.address))?;
        for round in 0..rounds.div_ceil(programs.len() as u64) {
            let is_killed = one(&place, &server, &storm, &mut asked, &mut dice)
                .map_err(|failure| failure.when(format!("{name}, seed {seed}, round {round}")))?;
            killed += u64::from(is_killed);
            made += u64::from(!is_killed);
        }
        server.kill()?;
        place.done(&["verify", "care.db"])?;
        prove(&place.path("care.db"), &asked, usize::MAX)?;
        acknowledged += storm.acknowledged();
    }
    let often = format!("{} times; {acknowledged} writes acknowledged", made + killed);
    let finding = Finding::of("`care-admin backup --overwrite` beside eight writers, one in three killed", often);
    let found = format!(
        "{made} sound and with all that was acknowledged before; {killed} cut off, and there whole or not at all"
    );
    Ok(vec![finding.found(found)])
}

fn one(
    place: &Place,
    server: &Server,
    storm: &Storm,
    asked: &mut Vec<Asked>,
    dice: &mut Dice,
) -> Result<bool, Failure> {
    let (position, begins) = (AtomicUsize::new(0), moment(dice, WITHIN));
    let kill = dice.one_in(3).then(|| moment(dice, WITHIN));
    asked.iter_mut().for_each(|asked| asked.position = 0);
    let (account, done) = storm.rage(
        server.ports(WRITERS),
        dice,
        || position.load(Ordering::SeqCst),
        || {
            wait(storm, storm.acknowledged(), begins, || false);
            position.store(1, Ordering::SeqCst);
            let done = place.cut_off(&["backup", "backup.db", "--database", "care.db", "--overwrite"], kill);
            storm.end();
            done
        },
    );
    account.failure.map_or(Ok(()), Err)?;
    asked.extend(account.asked);
    let done = done?;
    ensure(kill.is_some() || done.is_done(), || format!("not made: {}", done.err))?;
    if done.is_done() {
        // What was acknowledged once it had begun may be in it.
        prove(&place.path("backup.db"), asked, 0)?;
    } else if place.path("backup.db").exists() {
        place.done(&["verify", "backup.db"])?;
    }
    Ok(!done.is_done())
}
