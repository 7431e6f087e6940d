//! Polls that wait.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_testkit::until;

use super::{
    WAIT,
    cost::heavy::ORDINARY,
    crowd::{fare, hold},
    other::{flooded, for_a_while, other, read, spread},
};
use crate::{Clinic, Finding, Request, Result, Run, Server, Wire, ask, percentile};

/// Requests of the client with a key beside the polls.
const MEASURED: u64 = 100;
/// The time for which the waiting polls are watched.
const IDLE: Duration = Duration::from_secs(2);
/// The time within which all but the polls that may wait are ended.
const LIMIT: Duration = Duration::from_secs(10);
/// The share of a processor that all waiting polls together may use.
const SHARE: f64 = 0.05;
/// The polls of one key that wait. Each further one waits for a second, and ends the oldest.
const OF_A_KEY: usize = 128;
/// The requests of one key that are under way. Further polls are refused.
const UNDER_WAY: usize = 3840;
/// Clients of one key that poll again and again.
const CLIENTS: usize = 300;
/// The time for which they do.
const STORM: Duration = Duration::from_secs(8);

/// Returns a poll that waits for the next entry.
fn poll(server: &Server) -> Result<String> {
    let news = ask(&mut server.port(), Request::get("/news"))?.document()?;
    Ok(Request::get(format!("/journal?after={}&wait=30", news["seq"])).written("secret"))
}

/// Holds polls, all of them at once.
pub(crate) fn polls(run: &Run) -> Result<Vec<Finding>> {
    let many = run.sizes.polls;
    let finding = Finding::of("polls of the journal that are held", format!("{many} on each server"));
    let held = run.measured(finding, |part| {
        let clinic = Clinic::new()?;
        let server = clinic.serve(&part.program.with(&["--api-key", "other"]))?;
        let polls = hold(&server, &poll(&server)?, many)?;
        let mut said = vec![None; many];
        let mut count = || {
            said.iter_mut().zip(&polls).for_each(|(said, poll)| *said = said.or_else(|| Wire::status(poll)));
            said.iter().flatten().count()
        };
        until(LIMIT, || count() + OF_A_KEY >= many);
        let before = server.processor()?;
        let begun = Instant::now();
        thread::sleep(IDLE);
        let share = (server.processor()? - before).as_secs_f64() / begun.elapsed().as_secs_f64();
        let waiting = many - count();
        let refused = said.iter().filter(|status| **status == Some(503)).count();
        let ended = said.iter().filter(|status| **status == Some(200)).count();
        part.bar(refused <= many.saturating_sub(UNDER_WAY) && ended + waiting + refused == many, || {
            format!("{refused} polls are refused, and {ended} ended")
        });
        part.bar(waiting == many.min(OF_A_KEY), || format!("{waiting} polls of one key wait"));
        fare(part, &server, MEASURED);
        // The changes among the measured requests have ended the others.
        let again = hold(&server, &poll(&server)?, many)?;
        // However many polls one key has, another one is not refused.
        let others = hold(&server, &poll(&server)?.replace("api_key: secret", "api_key: other"), 1)?;
        thread::sleep(Duration::from_millis(200));
        let is_refused = others.iter().any(|connection| Wire::status(connection).is_some());
        let stopped = part.ends(&server)?.as_secs_f64();
        drop((again, others));
        part.bar(!is_refused, || "the poll of another key does not wait".to_owned());
        part.finding.found += &format!(
            ", {waiting} waiting, which take {share:.3} of a processor, {ended} ended by newer ones, and {refused} \
             refused, stopped after {stopped:.1} s"
        );
        part.bar(share <= SHARE, || format!("idle polls take {share:.2} of a processor"));
        clinic.prove()
    })?;
    Ok(vec![held, storm(run)?])
}

/// Lets many clients of one key poll again as soon as they are answered, and another key read.
fn storm(run: &Run) -> Result<Finding> {
    let time = run.sizes.time(STORM);
    let finding = Finding::of("polls of one key without a pause", format!("{CLIENTS} clients on each server"));
    run.measured(finding, |part| {
        let clinic = Clinic::new()?;
        let server = clinic.serve(&part.program.with(&["--api-key", "other"]))?;
        ask(&mut server.port(), Request::registration(ORDINARY))?;
        let seq = ask(&mut server.port(), Request::get("/news"))?.document()?["seq"].clone();
        let news = |_, _| Request::get(format!("/news?after={seq}&wait=2"));
        let before = server.processor()?;
        let [reads] =
            flooded(&server, CLIENTS, "other", news, || Ok(other(server.port(), [read], || for_a_while(time))?.0))?;
        let share = (server.processor()? - before).as_secs_f64() / time.as_secs_f64();
        part.note(&format!("reads {}, {share:.2} of a processor", spread(&reads)));
        part.takes("one read in a hundred waits", percentile(&reads, 99), WAIT);
        part.ends(&server)?;
        clinic.prove()
    })
}
