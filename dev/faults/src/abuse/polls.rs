//! Polls that wait, and polls whose clients have disconnected.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_testkit::until;

use super::crowd::{fare, hold, let_go, note, status};
use crate::{Clinic, Failure, Finding, Program, Request, Run, Server, ask};

/// Requests of the client with a key beside the polls.
const MEASURED: u64 = 100;
/// The time for which the waiting polls are watched.
const IDLE: Duration = Duration::from_secs(2);
/// The time within which all but the polls that may wait are ended.
const LIMIT: Duration = Duration::from_secs(10);
/// The share of a processor that all waiting polls together may use.
const SHARE: f64 = 0.05;
/// The polls of one key that wait. Each further one ends the oldest.
const OF_A_KEY: usize = 128;

/// Returns a poll that waits for the next entry.
fn poll(server: &Server) -> Result<String, Failure> {
    let news = ask(&mut server.port(), Request::get("/news"))?.document()?;
    Ok(Request::get(format!("/journal?after={}&wait=30", news["seq"])).written("secret"))
}

/// Holds polls, all of them at once, and drops them, repeatedly.
pub(crate) fn polls(run: &Run) -> Result<Vec<Finding>, Failure> {
    let many = run.sizes.polls;
    let mut held = Finding::of("polls of the journal that are held", format!("{many} on each server"));
    let mut dropped = Finding::of("polls whose clients leave at once", format!("3 times {many} on each server"));
    for (name, program) in &run.programs {
        hold_them(name, program, run, &mut held)?;
        drop_them(name, program, run, &mut dropped)?;
    }
    Ok(vec![held, dropped])
}

fn hold_them(name: &str, program: &Program, run: &Run, finding: &mut Finding) -> Result<(), Failure> {
    let (clinic, sizes) = (Clinic::new()?, run.sizes);
    let server = clinic.serve(&program.with(&["--api-key", "other"]))?;
    let polls = hold(&server, &poll(&server)?, sizes.polls)?;
    let mut said = vec![None; sizes.polls];
    let mut count = || {
        said.iter_mut().zip(&polls).for_each(|(said, poll)| *said = said.or_else(|| status(poll)));
        said.iter().flatten().count()
    };
    until(LIMIT, || count() + OF_A_KEY >= sizes.polls);
    let before = server.processor()?;
    let begun = Instant::now();
    thread::sleep(IDLE);
    let share = (server.processor()? - before).as_secs_f64() / begun.elapsed().as_secs_f64();
    let waiting = sizes.polls - count();
    let ended = said.iter().filter(|status| **status == Some(200)).count();
    finding
        .bar(ended + waiting == sizes.polls, || format!("{name}: {} polls are refused", sizes.polls - ended - waiting));
    finding.bar(waiting == sizes.polls.min(OF_A_KEY), || format!("{name}: {waiting} polls of one key wait"));
    let fared = fare(&server, MEASURED);
    // The changes among the measured requests have ended the others.
    let again = hold(&server, &poll(&server)?, sizes.polls)?;
    // However many polls one key has, another one is not refused.
    let others = hold(&server, &poll(&server)?.replace("api_key: secret", "api_key: other"), 1)?;
    thread::sleep(Duration::from_millis(200));
    let is_refused = others.iter().any(|connection| status(connection).is_some());
    let stopped = server.end()?.after;
    drop((again, others));
    finding.bar(!is_refused, || format!("{name}: the poll of another key does not wait"));
    note(finding, name, fared, run);
    finding.found += &format!(
        ", {waiting} waiting, which take {share:.3} of a processor, and {ended} ended by newer ones, stopped after \
         {:.1} s",
        stopped.as_secs_f64()
    );
    finding.bar(share <= SHARE, || format!("{name}: idle polls take {share:.2} of a processor"));
    finding.takes(name, "ended after", stopped, run.bars.stop);
    clinic.prove()
}

fn drop_them(name: &str, program: &Program, run: &Run, finding: &mut Finding) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    let server = clinic.serve(program)?;
    let before = server.open_files()?;
    for _ in 0..3 {
        drop(hold(&server, &poll(&server)?, run.sizes.polls)?);
    }
    let begun = Instant::now();
    let is_free = let_go(&server, before);
    let after = begun.elapsed();
    // A connected client's poll is now one of few again.
    let mine = hold(&server, &poll(&server)?, 1)?;
    thread::sleep(Duration::from_millis(200));
    let is_refused = mine.iter().any(|connection| status(connection) == Some(503));
    let fared = fare(&server, MEASURED);
    drop(mine);
    let ended = server.end()?.after;
    note(finding, name, fared, run);
    finding.found +=
        &format!(", all let go after {:.1} s, ended after {:.1} s", after.as_secs_f64(), ended.as_secs_f64());
    finding.bar(!is_refused, || format!("{name}: a poll is refused although the others have left"));
    finding.bar(is_free, || format!("{name}: connections of clients who left are not let go"));
    finding.takes(name, "ended after", ended, run.bars.stop);
    clinic.prove()
}
