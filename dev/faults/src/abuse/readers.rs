//! Clients that ask for the longest restock reports without a pause, and clients that do not read their answers:
//! reports, and journal pages that they waited for.

use std::{io::Write as _, net::TcpStream, path::Path, time::Duration};

use super::{
    cost::{heavy, requests::memory},
    other::{change, for_a_while, other, read, spread},
};
use crate::{
    Finding, Inside, Over, Place, Port, Request, Result, Run, Server, ask, beside, bodies, ensure, mib, percentile,
    post,
};

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

/// Runs both kinds of readers on both servers while another client reads and writes.
pub(crate) fn readers(run: &Run) -> Result<Vec<Finding>> {
    let place = Place::new()?;
    let (medicines, intervals) = (MEDICINES / run.sizes.part, INTERVALS / run.sizes.part);
    fill(&place.database(), medicines, intervals)?;
    let time = run.sizes.time(TIME);
    let of = format!("{medicines} medicines with 64 lots and {intervals} intervals each");
    let what =
        format!("{ASKING} clients that ask for the restock report of {of} without a pause, JSON and XML by turns");
    let mut asking = Finding::of(what, "once on each server, reads and writes of another client beside");
    let what = format!("{SILENT} clients that ask for it {REPEATED} times each and do not read");
    let mut silent = Finding::of(what, "once on each server, reads and writes of another client beside");
    let followers = FOLLOWERS / run.sizes.part as usize;
    let what = format!("{followers} clients that wait for the journal {REPEATED} times each and do not read it");
    let many = format!("once on each server, {ENTRIES} consultations of 60 kB and another client beside");
    let mut following = Finding::of(what, many);
    for (name, program) in &run.programs {
        let server = Server::start(program, &place.database())?;
        let longest = longest(&server)?;
        asking.bar(longest <= 1 << 20, || format!("{name}: a report has {longest} bytes"));
        note(&mut asking, (name, &format!("{longest} bytes at most, ")), &server, run, u64::MAX, || {
            ask_for_ever(&server, ASKING, report, || measure(&server, || for_a_while(time)))
        })?;

        let server = Server::start(program, &place.database())?;
        note(&mut silent, (name, ""), &server, run, HELD, || {
            let reports: String = (0..REPEATED as u64).map(|turn| report(turn).written("secret")).collect();
            let connections = leave_unread(&server, SILENT, &reports)?;
            let waits = measure(&server, || for_a_while(time))?;
            drop(connections);
            Ok(waits)
        })?;

        care_testkit::allow_many_files();
        let folder = Place::new()?;
        let server = Server::start(program, &folder.database())?;
        let mut wire = server.port();
        ask(&mut wire, Request::registration(heavy::ORDINARY))?;
        note(&mut following, (name, ""), &server, run, FOLLOWED, || {
            let poll = Request::get("/journal?after=1&wait=30").written("secret");
            let connections = leave_unread(&server, followers, &poll.repeat(REPEATED))?;
            let waits = measure(&server, || {
                for visit in 0..ENTRIES {
                    post(&mut wire, "/consultations", bodies::consultation(heavy::ORDINARY, visit * 30, 30, 10))?;
                }
                for_a_while(TIME / 2)
            })?;
            drop(connections);
            Ok(waits)
        })?;
    }
    Ok(vec![asking, silent, following])
}

/// Notes the waits of a client that alternates reads and writes, the memory that the server takes meanwhile, and its
/// end.
fn note(
    finding: &mut Finding,
    (name, words): (&str, &str),
    server: &Server,
    run: &Run,
    most: u64,
    work: impl FnOnce() -> Result<[Vec<Duration>; 2]>,
) -> Result<()> {
    let (taken, [reads, writes]) = memory(server, work)?;
    let (of_reads, of_writes) = (spread(&reads), spread(&writes));
    let waits = format!("{words}reads {of_reads}, writes {of_writes}, {:.0} MiB of memory", mib(taken));
    finding.note(name, &waits);
    let last = percentile(&reads, 99).max(percentile(&writes, 99));
    finding.takes(name, "one in a hundred waits", last, run.bars.wait);
    finding.holds(name, "memory", taken, most);
    finding.takes(name, "ended after", server.end()?.after, run.bars.stop);
    Ok(())
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

/// Makes this many clients ask, each for the request of its next turn, until `act` has ended. Returns its result.
pub(super) fn ask_for_ever<T>(
    server: &Server,
    clients: usize,
    request: impl Fn(u64) -> Request + Sync,
    act: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let client = |client, over: &Over| {
        let mut wire = server.port();
        for turn in client.. {
            // A request that waits for too long is refused, and the client goes on to its next one.
            let _ = wire.ask(&request(turn));
            if over.is() {
                break;
            }
        }
        Ok(())
    };
    Ok(beside(clients, client, act)?.1)
}

/// Opens this many connections, sends these requests over each, and returns the connections.
fn leave_unread(server: &Server, connections: usize, requests: &str) -> Result<Vec<TcpStream>> {
    let connected = (0..connections).map(|_| {
        let mut stream = TcpStream::connect(server.address)?;
        stream.write_all(requests.as_bytes())?;
        Ok(stream)
    });
    connected.collect()
}

/// Fills a database with medicines whose fields all have their maximum length.
fn fill(database: &Path, medicines: u64, intervals: u64) -> Result<()> {
    let mut port = Inside::open(database)?;
    let mut post = |path: &str, body: String| post(&mut port, path, body).map(drop);
    post("/patient", format!(r#"{{"patientId":{}}}"#, heavy::ORDINARY))?;
    let lots: Vec<_> = (0..64)
        .map(|lot| format!(r#"{{"lot":"{lot:020}","expires":"{:02}/12/2990","units":1000000}}"#, lot % 28 + 1))
        .collect();
    let stock = format!(r#"{{"unit":"{}","opening":[{}]}}"#, "\u{1f48a}".repeat(32), lots.join(","));
    for medicine in 0..medicines {
        post(&format!("/inventory/Medicine-{medicine}"), "{}".to_owned())?;
        post(&format!("/inventory/Medicine-{medicine}/stock"), stock.clone())?;
    }
    let numbers: Vec<_> = (0..medicines).collect();
    for interval in 1..=intervals {
        let patient = heavy::OTHERS + interval;
        post("/patient", format!(r#"{{"patientId":{patient}}}"#))?;
        for some in numbers.chunks(30) {
            let regular = |medicine: &u64| {
                format!(r#"{{"medicine":"Medicine-{medicine}","isRegular":true,"quantity":9,"everyDays":{interval}}}"#)
            };
            let list: Vec<_> = some.iter().map(regular).collect();
            let body = format!(r#"{{"patientId":{patient},"prescriptions":[{}]}}"#, list.join(","));
            post("/consultations", body)?;
        }
    }
    ensure!(!numbers.is_empty(), "there are no medicines");
    Ok(())
}
