//! The database or its lock file disappears under a running server.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use super::{
    live_server::{DATABASE, LiveServer, proven},
    place::{BACKED_UP, Place, moment},
};
use crate::{
    base::{
        attempt::{Attempt, Ending, Outcome, Port, Request},
        failure::{Failure, ensure},
        finding::Finding,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    work::storm::Storm,
};

/// The number of clients that write meanwhile.
const WRITERS: usize = 8;
/// Longest time in which a server must notice: a second, and slack for slow machines.
const NOTICES: Duration = Duration::from_millis(1500);
/// Longest time before an operator in a hurry starts a second server.
const WITHIN: Duration = Duration::from_millis(1200);

/// The file that disappears, and how.
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
        let (file, lock) = (place.path(DATABASE), place.path("care.db.lock"));
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
                // Without the lock file, only the database itself shows that a server is running.
                fs::remove_file(lock)?;
                place.admin(&["restore", "backup.db", "--database", "care.db", "--overwrite"])?;
            }
        }
        Ok(())
    }
}

/// The course of a theft from the first server while clients wrote.
struct TheftReport {
    /// When the file disappeared.
    at: Instant,
    /// A second server on the same path, if one was started and came up.
    second: Option<Server>,
    /// Writes to the second server.
    writes: Vec<Attempt>,
}

/// Takes the database or its lock file away while clients write, `rounds` times. In every second round it then starts a
/// second server on what is left. No write is acknowledged that is not in the file under the original path.
///
/// # Errors
/// A write that was acknowledged and is missing, with its round.
pub fn thefts(rounds: u64, seed: u64, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let (mut dice, mut acknowledged, mut seconds) = (Dice::new(seed), 0, 0);
    let sources = Place::new()?;
    sources.database("backup.db", BACKED_UP, false)?;
    for (name, program) in programs {
        for round in 0..rounds.div_ceil(programs.len() as u64) {
            let theft = Theft::ALL[(round % Theft::ALL.len() as u64) as usize];
            let (writes, is_second) = one(&sources, theft, program, &mut dice)
                .map_err(|failure| failure.when(format!("{name}, seed {seed}, round {round}, {theft:?}")))?;
            acknowledged += writes;
            seconds += u64::from(is_second);
        }
    }
    let what = "the file or its lock is removed, moved or replaced under a running server with eight writers";
    let often = format!("{rounds} times; a second server came up in {seconds}; {acknowledged} writes acknowledged");
    let found = "no write acknowledged that is not in the file which the path names; the first server takes no more";
    Ok(vec![Finding::of(what, often).found(found)])
}

/// Returns how many writes were acknowledged, and whether a second server came up.
fn one(sources: &Place, theft: Theft, program: &Program, dice: &mut Dice) -> Result<(u64, bool), Failure> {
    let place = Place::new()?;
    place.copy(&sources.path("backup.db"), "backup.db")?;
    let mut live = LiveServer::open(place, program, 1000)?;
    let (begins, starts) = (moment(dice, Duration::from_millis(200)), moment(dice, WITHIN));
    let has_second = dice.one_in(2);
    let done = live.beside(
        WRITERS,
        begins,
        dice,
        || 0,
        |place, _, storm| {
            theft.happens(place)?;
            let at = Instant::now();
            let second = has_second.then(|| {
                thread::sleep(starts);
                Server::start(program, &place.path(DATABASE)).ok()
            });
            let second = second.flatten();
            let writes = second.as_ref().map(|second| write(&mut Wire::new(second.address), storm));
            thread::sleep(Duration::from_millis(100));
            Ok(TheftReport { at, second, writes: writes.unwrap_or_default() })
        },
    )?;
    takes_no_more(&live.server, done.at, &live.storm)?;
    let LiveServer { place, server, mut asked, .. } = live;
    server.kill()?;
    let is_second = done.second.is_some();
    if let Some(second) = done.second {
        second.kill()?;
    }
    let count = asked.iter().chain(&done.writes).filter(|asked| asked.outcome == Outcome::Done).count() as u64;
    if theft.is_of_the_lock() {
        // The path names the same file as before, so it holds the writes to both servers.
        asked.extend(done.writes);
        proven(&place, DATABASE, &asked)?;
    } else {
        none_after(&asked, done.at)?;
        if is_second {
            proven(&place, DATABASE, &done.writes)?;
        } else if theft == Theft::FileMoved {
            // The operator puts the file back: together with its log it has everything.
            fs::rename(place.path("elsewhere.db"), place.path(DATABASE))?;
            proven(&place, DATABASE, &asked)?;
        }
    }
    Ok((count, is_second))
}

/// Fails if a write was sent after the file disappeared and was acknowledged.
fn none_after(asked: &[Attempt], at: Instant) -> Result<(), Failure> {
    // A repeated payment leaves no mark: it is answered and writes nothing.
    let is_late = |asked: &&Attempt| asked.sent > at && asked.outcome == Outcome::Done && !asked.marks.is_empty();
    let late: Vec<_> = asked.iter().filter(is_late).map(|asked| (asked.sent - at, &asked.request)).collect();
    ensure(late.is_empty(), || format!("acknowledged after it: {late:?}"))
}

/// Writes to the second server.
fn write(wire: &mut Wire, storm: &Storm) -> Vec<Attempt> {
    let write = |_| {
        let number = storm.serial();
        let request = Request::registration(number);
        let sent = Instant::now();
        let outcome = match wire.ask(&request) {
            Ending::Answer(answer) if answer.status == 201 => Outcome::Done,
            Ending::Answer(answer) if matches!(answer.status, 503 | 507) => Outcome::Refused,
            _ => Outcome::Unknown,
        };
        Attempt { request, marks: vec![format!("reply k{number}")], outcome, sent, position: 0 }
    };
    (0..20).map(write).collect()
}

/// Checks that the first server soon refuses writes with 503, while reads continue.
fn takes_no_more(first: &Server, at: Instant, storm: &Storm) -> Result<(), Failure> {
    thread::sleep(NOTICES.saturating_sub(at.elapsed()));
    let number = storm.serial();
    let mut wire = Wire::new(first.address);
    let requests = [
        (Request::new("POST", "/patient").body(format!(r#"{{"patientId":{number}}}"#)), 503),
        (Request::new("GET", "/inventory/Ibuprofen"), 200),
    ];
    for (request, status) in requests {
        let said = wire.ask(&request);
        ensure(said.status() == Some(status), || {
            format!("{} {:?} later is answered {said:?}", request.method, at.elapsed())
        })?;
    }
    Ok(())
}
