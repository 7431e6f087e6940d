//! Polls that wait.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_testkit::until;

use super::crowd::{fare, hold, note, status};
use crate::{Clinic, Finding, Program, Request, Result, Run, Server, ask};

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
fn poll(server: &Server) -> Result<String> {
    let news = ask(&mut server.port(), Request::get("/news"))?.document()?;
    Ok(Request::get(format!("/journal?after={}&wait=30", news["seq"])).written("secret"))
}

/// Holds polls, all of them at once.
pub(crate) fn polls(run: &Run) -> Result<Vec<Finding>> {
    let many = format!("{} on each server", run.sizes.polls);
    let mut held = Finding::of("polls of the journal that are held", many);
    for (name, program) in &run.programs {
        hold_them(name, program, run, &mut held)?;
    }
    Ok(vec![held])
}

fn hold_them(name: &str, program: &Program, run: &Run, finding: &mut Finding) -> Result<()> {
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
