//! Storms of writes in which a server is killed, is told to stop, or has a clock that jumps: it loses nothing that it
//! acknowledged.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_core::{model::Timestamp, service::CareService};
use care_store_sqlite::SqliteStore;

use crate::{
    Clinic, Finding, Front as _, Inside, Moment, NOTHING, Outcome, Result, Run, Server, ensure, moment, stock,
};

/// The number of kills that one database goes through.
const LIVES: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 16;

/// Kills a server (SIGKILL) at random moments of a storm, which may be in the middle of what it was asked before.
pub(crate) fn kill(run: &Run) -> Result<Vec<Finding>> {
    storms(run, LIVES, NOTHING, |clinic, server, dice| {
        let moment = Moment::of(dice);
        clinic.beside(server.ports(CLIENTS), dice, |storm, _| {
            moment.wait(storm);
            Ok(server.kill()?)
        })
    })
}

/// Starts a server on what the round before has left, lets clients repeat everything that was not answered, disturbs
/// the server, and proves that nothing was lost; as many rounds as `lives` in one clinic.
fn storms(
    run: &Run,
    lives: u64,
    found: &str,
    mut disturb: impl FnMut(&mut Clinic, &Server, &mut Dice) -> Result<()>,
) -> Result<Vec<Finding>> {
    let acknowledged = run.lives(
        lives,
        |_| Clinic::new(),
        |clinic, program, dice| {
            let server = clinic.serve(program)?;
            clinic.repeat_unanswered(&mut server.port())?;
            disturb(clinic, &server, dice)?;
            clinic.prove()
        },
        |clinic| Ok(clinic.storm.acknowledged()),
    )?;
    let mut finding = run.stormed(acknowledged, found);
    // Too few writes would show nothing.
    finding.bar(acknowledged >= 15 * run.rounds, || format!("only {acknowledged} writes were acknowledged"));
    Ok(vec![finding])
}

/// The longest time that a server may take to end.
const LIMIT: Duration = Duration::from_secs(10);

/// Stops a server (SIGTERM) at random moments of a storm: it answers every request that was sent before, and ends in
/// time.
pub(crate) fn stop(run: &Run) -> Result<Vec<Finding>> {
    let found = "0 lost, every request answered, exit code 0 within 10 s";
    storms(run, u64::MAX, found, |clinic, server, dice| {
        let (a_while, known) = (moment(dice, Duration::from_millis(250)), clinic.asked.len());
        let told = clinic.beside(server.ports(CLIENTS), dice, |storm, _| {
            storm.wait(a_while, || false);
            let told = Instant::now();
            let after = server.end()?.after;
            ensure!(after < LIMIT, "it ended after {after:?}");
            Ok(told)
        })?;
        // A request that was sent before the signal is answered. One that is sent later may find no server.
        let mut unanswered = clinic.asked[known..].iter().filter(|asked| asked.outcome == Outcome::Unknown);
        let ignored = unanswered.find(|asked| asked.sent < told);
        ensure!(ignored.is_none(), "asked before it was told to stop, and not answered: {ignored:?}");
        Ok(())
    })
}

/// 2026-03-15T23:30:00Z in milliseconds since 1970, so that half of the jumps cross midnight.
const EVENING: i64 = 1_773_617_400_000;
/// An hour in milliseconds.
const HOUR: i64 = 3_600_000;
/// Times of a clock: right, a day back, in 1970, in 2100, right again.
const TRAVEL: [i64; 5] = [EVENING, EVENING - 24 * HOUR, HOUR, EVENING + 74 * 8766 * HOUR, EVENING + 2 * HOUR];

/// Lets clients write under a clock that jumps by up to an hour, forwards or back, each time that the service reads it.
pub(crate) fn jump(run: &Run) -> Result<Vec<Finding>> {
    timed(run, |clinic, dice| {
        let looks = AtomicU64::new(dice.roll(u64::MAX / 2));
        let inside = under(clinic, move || {
            let away = Dice::new(looks.fetch_add(1, Ordering::Relaxed)).roll(2 * HOUR.cast_unsigned());
            EVENING - HOUR + away.cast_signed()
        })?;
        clinic.write_for(Duration::from_millis(200), inside.ports(8), dice)
    })
}

/// Lets clients write at each of a clock's times, which change while the service runs.
pub(crate) fn travel(run: &Run) -> Result<Vec<Finding>> {
    timed(run, |clinic, dice| {
        let clock = Arc::new(AtomicI64::new(EVENING));
        TRAVEL.into_iter().try_for_each(|at| {
            let read = Arc::clone(&clock);
            let inside = under(clinic, move || read.load(Ordering::SeqCst))?;
            clock.store(at, Ordering::SeqCst);
            clinic.write_for(Duration::from_millis(100), inside.ports(4), dice)
        })
    })
}

/// Lets clients write in each round as `storm` says, and proves that nothing was lost.
fn timed(run: &Run, mut storm: impl FnMut(&mut Clinic, &mut Dice) -> Result<()>) -> Result<Vec<Finding>> {
    let mut acknowledged = 0;
    run.play(|_, dice| {
        let mut clinic = Clinic::new()?;
        storm(&mut clinic, dice)?;
        acknowledged += clinic.storm.acknowledged();
        clinic.prove()
    })?;
    Ok(vec![run.stormed(acknowledged, NOTHING)])
}

/// Opens the clinic in this process under a clock, which tells milliseconds since 1970.
fn under(clinic: &Clinic, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Result<Inside> {
    let care = CareService::new(SqliteStore::open(clinic.database())?)
        .with_clock(move || Timestamp::from_unix_millis(clock()).expect("an instant within the years 1900 to 9999"));
    let inside = Inside::of(care);
    stock(&mut inside.clone())?;
    Ok(inside)
}
