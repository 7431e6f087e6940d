//! Clients that ask for the longest restock reports without a pause, and clients that do not read their answers:
//! reports, and journal pages that they waited for.

use std::{path::Path, time::Duration};

use super::{
    WAIT,
    cost::{heavy, requests::memory},
    crowd::hold,
    measured::Measured,
    other::{change, flooded, for_a_while, other, read, spread},
};
use crate::{Finding, Inside, Place, Request, Result, Run, Server, ask, bodies, ensure, mib, percentile, post};

/// Tracked medicines with all intervals and lots.
const MEDICINES: u64 = 300;
/// Intervals of regular prescriptions of each medicine.
const INTERVALS: u64 = 365;
/// Clients that read their reports and ask again.
const ASKING: usize = 16;
/// Clients that do not read their answers, and how often each of them asks.
const SILENT: usize = 64;
const REPEATED: usize = 8;
/// Clients that wait for entries of the journal and do not read them.
const FOLLOWERS: usize = 1_000;
/// Entries that they are sent, each nearly of maximum length.
const ENTRIES: u64 = 24;
/// The memory in bytes that they may hold: the 128 MiB that a server allows for unread answers, and 128 KiB for each
/// connection, because answers of at most 64 KiB do not count towards that limit.
const FOLLOWED: u64 = (128 << 20) + FOLLOWERS as u64 * (128 << 10);
/// The time for which each kind of client is active.
const TIME: Duration = Duration::from_secs(8);
/// The memory that all silent clients together may take, in bytes.
const HELD: u64 = 160 << 20;

/// Runs all kinds of readers on both servers while another client reads and writes.
pub(crate) fn readers(run: &Run) -> Result<Vec<Finding>> {
    care_testkit::allow_many_files();
    let place = Place::new()?;
    let (medicines, intervals) = (MEDICINES / run.sizes.part, INTERVALS / run.sizes.part);
    fill(&place.database(), medicines, intervals)?;
    let time = run.sizes.time(TIME);
    let often = "once on each server, reads and writes of another client beside";
    let what = format!(
        "{ASKING} clients that ask for the restock report of {medicines} medicines with 64 lots and {intervals} \
         intervals each without a pause, JSON and XML by turns"
    );
    let asking = run.measured(Finding::of(what, often), |part| {
        let server = Server::start(part.program, &place.database())?;
        let longest = longest(&server)?;
        part.bar(longest <= 1 << 20, || format!("a report has {longest} bytes"));
        note(part, &format!("{longest} bytes at most, "), &server, u64::MAX, || {
            let request = |client, turn| report(client + turn);
            flooded(&server, ASKING, "secret", request, || measure(&server, || for_a_while(time)))
        })
    })?;
    let what = format!("{SILENT} clients that ask for it {REPEATED} times each and do not read");
    let silent = run.measured(Finding::of(what, often), |part| {
        let server = Server::start(part.program, &place.database())?;
        let reports: String = (0..REPEATED as u64).map(|turn| report(turn).written("secret")).collect();
        note(part, "", &server, HELD, || {
            let _unread = hold(&server, &reports, SILENT)?;
            measure(&server, || for_a_while(time))
        })
    })?;
    let followers = FOLLOWERS / run.sizes.part as usize;
    let what = format!("{followers} clients that wait for the journal {REPEATED} times each and do not read it");
    let often = format!("once on each server, {ENTRIES} consultations of 60 kB and another client beside");
    let following = run.measured(Finding::of(what, often), |part| {
        let place = Place::new()?;
        let server = Server::start(part.program, &place.database())?;
        let mut wire = server.port();
        ask(&mut wire, Request::registration(heavy::ORDINARY))?;
        let poll = Request::get("/journal?after=1&wait=30").written("secret");
        note(part, "", &server, FOLLOWED, || {
            let _unread = hold(&server, &poll.repeat(REPEATED), followers)?;
            measure(&server, || {
                for visit in 0..ENTRIES {
                    post(&mut wire, "/consultations", bodies::consultation(heavy::ORDINARY, visit * 30, 30, 10))?;
                }
                for_a_while(TIME / 2)
            })
        })
    })?;
    Ok(vec![asking, silent, following])
}

/// Notes the waits of a client that alternates reads and writes, the memory that the server takes meanwhile, and its
/// end.
fn note(
    part: &mut Measured<'_>,
    words: &str,
    server: &Server,
    most: u64,
    work: impl FnOnce() -> Result<[Vec<Duration>; 2]>,
) -> Result<()> {
    let (taken, [reads, writes]) = memory(server, work)?;
    let (of_reads, of_writes) = (spread(&reads), spread(&writes));
    part.note(&format!("{words}reads {of_reads}, writes {of_writes}, {:.0} MiB of memory", mib(taken)));
    let last = percentile(&reads, 99).max(percentile(&writes, 99));
    part.takes("one in a hundred waits", last, WAIT);
    part.holds(taken, most);
    part.ends(server).map(drop)
}

/// Reads and writes as another client during this work.
fn measure(server: &Server, work: impl FnOnce() -> Result<()>) -> Result<[Vec<Duration>; 2]> {
    Ok(other(server.port(), [read, change], work)?.0)
}

fn report(turn: u64) -> Request {
    let form = if turn.is_multiple_of(2) { "application/json" } else { "application/xml" };
    Request::get("/restock").header("Accept", form)
}

/// Returns the length of the report in the longer of its two formats.
fn longest(server: &Server) -> Result<usize> {
    let (json, xml) = (ask(&mut server.port(), report(0))?, ask(&mut server.port(), report(1))?);
    Ok(json.body.len().max(xml.body.len()))
}

/// Fills a database with medicines whose fields all have their maximum length.
fn fill(database: &Path, medicines: u64, intervals: u64) -> Result<()> {
    let mut port = Inside::open(database)?;
    let mut post = |path: &str, body: String| post(&mut port, path, body).map(drop);
    post("/patient", format!(r#"{{"patientId":{}}}"#, heavy::ORDINARY))?;
    let lots = bodies::list(0..64, |lot| {
        format!(r#"{{"lot":"{lot:020}","expires":"{:02}/12/2990","units":1000000}}"#, lot % 28 + 1)
    });
    let stock = format!(r#"{{"unit":"{}","opening":[{lots}]}}"#, "\u{1f48a}".repeat(32));
    for medicine in 0..medicines {
        post(&format!("/inventory/Medicine-{medicine}"), "{}".to_owned())?;
        post(&format!("/inventory/Medicine-{medicine}/stock"), stock.clone())?;
    }
    for interval in 1..=intervals {
        let patient = heavy::OTHERS + interval;
        post("/patient", format!(r#"{{"patientId":{patient}}}"#))?;
        for from in (0..medicines).step_by(30) {
            let regular = |medicine| {
                format!(r#"{{"medicine":"Medicine-{medicine}","isRegular":true,"quantity":9,"everyDays":{interval}}}"#)
            };
            post("/consultations", bodies::prescribing(patient, from..medicines.min(from + 30), regular))?;
        }
    }
    ensure!(medicines > 0, "there are no medicines");
    Ok(())
}
