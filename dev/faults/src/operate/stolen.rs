//! The database or its lock file disappears under a running server.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use crate::{
    Attempt, BACKED_UP, Clinic, Failure, Finding, Outcome, Place, Program, Request, Run, Server, ensure, moment, told,
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
        let (file, lock) = (place.database(), place.path("care.db.lock"));
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

/// Takes the database or its lock file away while clients write. In every second round it then starts a second server
/// on what is left. No write is acknowledged that is not in the file under the original path.
pub(crate) fn thefts(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (mut acknowledged, mut seconds) = (0, 0);
    let sources = Place::new()?;
    sources.create("backup.db", BACKED_UP, false)?;
    run.on_each(|program, round, dice| {
        let theft = Theft::ALL[(round % Theft::ALL.len() as u64) as usize];
        let (writes, is_second) =
            one(&sources, theft, program, dice).map_err(|failure| failure.when(format!("{theft:?}")))?;
        acknowledged += writes;
        seconds += u64::from(is_second);
        Ok(())
    })?;
    let often =
        format!("{} times; a second server came up in {seconds}; {acknowledged} writes acknowledged", run.rounds);
    let found = "no write acknowledged that is not in the file which the path names; the first server takes no more";
    Ok(vec![Finding::new(often).found(found)])
}

/// Returns how many writes were acknowledged, and whether a second server came up.
fn one(sources: &Place, theft: Theft, program: &Program, dice: &mut Dice) -> Result<(u64, bool), Failure> {
    let mut clinic = Clinic::at(Place::new()?);
    clinic.place.copy(sources, "backup.db", "backup.db")?;
    let first = clinic.serve(program)?;
    let (begins, starts) = (moment(dice, Duration::from_millis(200)), moment(dice, WITHIN));
    let has_second = dice.one_in(2);
    let (at, second, writes) = clinic.beside(first.ports(WRITERS), dice, |storm, place| {
        storm.wait(begins, || false);
        theft.happens(place)?;
        let (at, mut second, mut writes) = (Instant::now(), None, Vec::new());
        if has_second {
            thread::sleep(starts);
            second = Server::start(program, &place.database()).ok();
        }
        if let Some(second) = &second {
            let mut wire = second.port();
            writes.extend((0..20).map(|_| Attempt::register(&mut wire, storm.serial())));
        }
        thread::sleep(Duration::from_millis(100));
        Ok((at, second, writes))
    })?;
    // The first server soon refuses writes with 503, while reads continue.
    thread::sleep(NOTICES.saturating_sub(at.elapsed()));
    let mut wire = first.port();
    told(&mut wire, &Request::registration(clinic.storm.serial()), 503)?;
    told(&mut wire, &Request::get("/inventory/Ibuprofen"), 200)?;
    first.kill()?;
    let is_second = second.is_some();
    if let Some(second) = second {
        second.kill()?;
    }
    let count = clinic.asked.iter().chain(&writes).filter(|asked| asked.outcome == Outcome::Done).count() as u64;
    if theft.is_of_the_lock() {
        // The path names the same file as before, so it holds the writes to both servers.
        clinic.asked.extend(writes);
        clinic.prove()?;
    } else {
        none_after(&clinic.asked, at)?;
        if is_second {
            clinic.asked = writes;
            clinic.prove()?;
        } else if theft == Theft::FileMoved {
            // The operator puts the file back: together with its log it has everything.
            fs::rename(clinic.place.path("elsewhere.db"), clinic.database())?;
            clinic.prove()?;
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
