//! The file or its lock taken away under a running server.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use super::place::{BACKED_UP, Place, moment};
use crate::{
    asked::{Asked, Outcome, Port, Request, Said},
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

/// So many clients write meanwhile.
const WRITERS: usize = 8;
/// A server notices within this time; some time to spare for slow machines.
const NOTICES: Duration = Duration::from_millis(1500);
/// A hurried hand starts a second server within this time.
const WITHIN: Duration = Duration::from_millis(1200);

/// What is taken away, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Theft {
    LockRemoved,
    LockMoved,
    LockReplaced,
    FileMoved,
    FileRemoved,
    FileReplaced,
    RestoredOver,
}

impl Theft {
    const ALL: [Self; 7] = [
        Self::LockRemoved,
        Self::LockMoved,
        Self::LockReplaced,
        Self::FileMoved,
        Self::FileRemoved,
        Self::FileReplaced,
        Self::RestoredOver,
    ];

    fn is_of_the_lock(self) -> bool {
        matches!(self, Self::LockRemoved | Self::LockMoved | Self::LockReplaced)
    }

    fn happens(self, place: &Place) -> Result<(), Failure> {
        let (file, lock) = (place.path("care.db"), place.path("care.db.lock"));
        match self {
            Self::LockRemoved => fs::remove_file(lock)?,
            Self::LockMoved => fs::rename(lock, place.path("elsewhere.lock"))?,
            Self::LockReplaced => {
                fs::write(place.path("other.lock"), "")?;
                fs::rename(place.path("other.lock"), lock)?;
            }
            Self::FileMoved => fs::rename(file, place.path("elsewhere.db"))?,
            Self::FileRemoved => fs::remove_file(file)?,
            Self::FileReplaced => fs::rename(place.path("backup.db"), file)?,
            Self::RestoredOver => {
                // Without its lock nothing says that a server is running.
                fs::remove_file(lock)?;
                place.admin(&["restore", "backup.db", "--database", "care.db", "--overwrite"])?;
            }
        }
        Ok(())
    }
}

/// Takes the file or its lock away so many times, under writers, and starts a second server on what is left. No write is
/// acknowledged that is not in the file which the path names.
///
/// # Errors
/// What was acknowledged and is not there, with the round.
pub fn thefts(rounds: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let (mut dice, mut acknowledged, mut seconds) = (Dice::new(seed), 0, 0);
    let sources = Place::new()?;
    sources.database("backup.db", BACKED_UP, false)?;
    for (name, program) in programs {
        for round in 0..rounds.div_ceil(programs.len() as u64) {
            let theft = Theft::ALL[(round % Theft::ALL.len() as u64) as usize];
            let one = one(&sources, theft, program, &mut dice);
            let (writes, is_second) =
                one.map_err(|failure| failure.when(format!("{name}, seed {seed}, round {round}, {theft:?}")))?;
            acknowledged += writes;
            seconds += u64::from(is_second);
        }
    }
    let what = "the file or its lock is removed, moved or replaced under a running server with eight writers";
    let often = format!("{rounds} times; a second server came up in {seconds}; {acknowledged} writes acknowledged");
    let found = "no write acknowledged that is not in the file which the path names; the first server takes no more";
    Ok(vec![Finding::of(what, often).found(found)])
}

fn one(sources: &Place, theft: Theft, program: &Program, dice: &mut Dice) -> Result<(u64, bool), Failure> {
    let place = Place::new()?;
    place.copy(&sources.path("backup.db"), "backup.db")?;
    let storm = Storm::default();
    let first = Server::start(program, &place.path("care.db"))?;
    crate::clinic::stock(&mut Wire::new(first.address))?;
    let (begins, starts) = (moment(dice, Duration::from_millis(200)), moment(dice, WITHIN));
    let has_second = dice.one_in(2);
    let (account, happened) = storm.rage(
        first.ports(WRITERS),
        dice,
        || 0,
        || {
            wait(&storm, storm.acknowledged(), begins, || false);
            let happened = theft.happens(&place).map(|()| Instant::now());
            let second = has_second.then(|| {
                thread::sleep(starts);
                Server::start(program, &place.path("care.db")).ok()
            });
            let second = second.flatten();
            let also = second.as_ref().map(|second| writes(&mut Wire::new(second.address), &storm));
            thread::sleep(Duration::from_millis(100));
            storm.end();
            happened.map(|over| (over, second, also.unwrap_or_default()))
        },
    );
    let (over, second, also) = happened?;
    account.failure.map_or(Ok(()), Err)?;
    takes_no_more(&first, over, &storm)?;
    first.kill()?;
    let is_second = second.is_some();
    if let Some(second) = second {
        second.kill()?;
    }
    let mut asked = account.asked;
    let count = asked.iter().chain(&also).filter(|asked| asked.outcome == Outcome::Done).count() as u64;
    if theft.is_of_the_lock() {
        // The path names the same file as before: everything is in it, whoever has taken it.
        asked.extend(also);
        place.done(&["verify", "care.db"])?;
        prove(&place.path("care.db"), &asked, usize::MAX)?;
    } else {
        // What was acknowledged before is where the file is now; nothing may be acknowledged after.
        // A payment that is repeated has no mark: it is answered and writes nothing.
        let late = |asked: &&Asked| asked.sent > over && asked.outcome == Outcome::Done && !asked.marks.is_empty();
        let late: Vec<_> = asked.iter().filter(late).map(|asked| (asked.sent - over, &asked.request)).collect();
        ensure(late.is_empty(), || format!("acknowledged after it: {late:?}"))?;
        if is_second {
            prove(&place.path("care.db"), &also, usize::MAX)?;
        }
        if theft == Theft::FileMoved && !is_second {
            // The operator puts it back: with its log it has everything.
            fs::rename(place.path("elsewhere.db"), place.path("care.db"))?;
            prove(&place.path("care.db"), &asked, usize::MAX)?;
        }
    }
    Ok((count, is_second))
}

/// Some writes on the second server.
fn writes(wire: &mut Wire, storm: &Storm) -> Vec<Asked> {
    let write = |_| {
        let number = storm.serial();
        let request =
            Request::new("POST", "/patient").body(format!(r#"{{"patientId":{number}}}"#)).key(format!("k{number}"));
        let sent = Instant::now();
        let outcome = match wire.ask(&request) {
            Said::Answer(answer) if answer.status == 201 => Outcome::Done,
            Said::Answer(answer) if matches!(answer.status, 503 | 507) => Outcome::Refused,
            _ => Outcome::Unknown,
        };
        Asked { request, marks: vec![format!("reply k{number}")], outcome, sent, position: 0 }
    };
    (0..20).map(write).collect()
}

/// A write is no longer acknowledged soon after.
fn takes_no_more(first: &Server, over: Instant, storm: &Storm) -> Result<(), Failure> {
    thread::sleep(NOTICES.saturating_sub(over.elapsed()));
    let number = storm.serial();
    let said =
        Wire::new(first.address).ask(&Request::new("POST", "/patient").body(format!(r#"{{"patientId":{number}}}"#)));
    let is_refused = !matches!(&said, Said::Answer(answer) if answer.status < 300);
    ensure(is_refused, || format!("a write {:?} later is answered {said:?}", over.elapsed()))
}
