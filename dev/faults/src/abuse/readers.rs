//! Clients that ask for the longest restock reports without a pause, and clients that do not read their answers:
//! reports, and journal pages that they waited for.

use std::{
    io::Write as _,
    net::TcpStream,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{
    Bars, Sizes,
    cost::{
        bodies, heavy,
        requests::{memory, note},
    },
};
use crate::{
    base::{
        attempt::{Port, Request},
        failure::{Failure, ensure},
        finding::Finding,
        inside::Inside,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    runs::power::in_memory,
    work::clients::ask,
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
/// Pause of the other client between two requests.
const PAUSE: Duration = Duration::from_millis(2);
/// The memory that all silent clients together may take, in bytes.
const HELD: u64 = 160 << 20;

/// The waits of a client that alternates reads and writes.
#[derive(Debug, Default)]
pub(super) struct Waits {
    pub(super) reads: Vec<Duration>,
    writes: Vec<Duration>,
}

/// Runs both kinds of readers on both servers while another client reads and writes.
///
/// # Errors
/// The measurement that failed. Bars that are missed are in the findings.
pub fn readers(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let folder = in_memory()?;
    let database = folder.path().join("care.db");
    let (medicines, intervals) = (MEDICINES / sizes.part, INTERVALS / sizes.part);
    fill(&database, medicines, intervals)?;
    let time = TIME / u32::try_from(sizes.part).unwrap_or(u32::MAX);
    let of = format!("{medicines} medicines with 64 lots and {intervals} intervals each");
    let what =
        format!("{ASKING} clients that ask for the restock report of {of} without a pause, JSON and XML by turns");
    let mut asking = Finding::of(what, "once on each server, reads and writes of another client beside");
    let what = format!("{SILENT} clients that ask for it {REPEATED} times each and do not read");
    let mut silent = Finding::of(what, "once on each server, reads and writes of another client beside");
    let followers = FOLLOWERS / usize::try_from(sizes.part).unwrap_or(FOLLOWERS);
    let what = format!("{followers} clients that wait for the journal {REPEATED} times each and do not read it");
    let many = format!("once on each server, {ENTRIES} consultations of 60 kB and another client beside");
    let mut following = Finding::of(what, many);
    for (name, program) in programs {
        let server = Server::start(program, &database)?;
        let longest = longest(&server)?;
        let mut waits = Waits::default();
        let taken = memory(&server, || {
            waits =
                beside(&server, |is_over| ask_for_ever(&server, (ASKING, &report), is_over), || thread::sleep(time))?;
            Ok(())
        })?;
        note(&mut asking, name, &format!("{longest} bytes at most, {}, {}", waits.said(), mebibytes(taken)));
        let last = waits.p99();
        asking.bar(last <= bars.wait, || format!("{name}: one in a hundred waits {last:?}"));
        asking.bar(longest <= 1 << 20, || format!("{name}: a report has {longest} bytes"));
        server.end()?;

        let server = Server::start(program, &database)?;
        let mut waits = Waits::default();
        let taken = memory(&server, || {
            let reports: String = (0..REPEATED).map(|turn| Wire::written(&report(turn))).collect();
            let connections = leave_unread(&server, SILENT, &reports)?;
            waits = beside(&server, |_| Ok(()), || thread::sleep(time))?;
            drop(connections);
            Ok(())
        })?;
        note(&mut silent, name, &format!("{}, {}", waits.said(), mebibytes(taken)));
        let last = waits.p99();
        silent.bar(last <= bars.wait, || format!("{name}: one in a hundred waits {last:?}"));
        silent.bar(taken <= HELD, || format!("{name}: {taken} bytes of memory"));
        let ended = server.end()?.after;
        silent.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
        follow(name, program, followers, bars, &mut following)?;
    }
    Ok(vec![asking, silent, following])
}

/// Makes clients wait for journal entries that they do not read, while long entries are written.
fn follow(name: &str, program: &Program, followers: usize, bars: &Bars, finding: &mut Finding) -> Result<(), Failure> {
    care_testkit::allow_many_files();
    let folder = in_memory()?;
    let server = Server::start(program, &folder.path().join("care.db"))?;
    let mut wire = Wire::new(server.address);
    let patient = format!(r#"{{"patientId":{}}}"#, heavy::ORDINARY);
    ask(&mut wire, Request::new("POST", "/patient").body(patient))?;
    let poll = Wire::written(&Request::new("GET", "/journal?after=1&wait=30"));
    let mut waits = Waits::default();
    let taken = memory(&server, || {
        let connections = leave_unread(&server, followers, &poll.repeat(REPEATED))?;
        let visits = |_: &AtomicBool| {
            (0..ENTRIES).try_for_each(|visit| {
                let body = bodies::consultation(heavy::ORDINARY, visit * 30, 30, 10);
                ask(&mut wire, Request::new("POST", "/consultations").body(body)).map(drop)
            })
        };
        waits = beside(&server, visits, || thread::sleep(TIME / 2))?;
        drop(connections);
        Ok(())
    })?;
    note(finding, name, &format!("{}, {}", waits.said(), mebibytes(taken)));
    let last = waits.p99();
    finding.bar(last <= bars.wait, || format!("{name}: one in a hundred waits {last:?}"));
    finding.bar(taken <= FOLLOWED, || format!("{name}: {taken} bytes of memory"));
    let ended = server.end()?.after;
    finding.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
    Ok(())
}

impl Waits {
    fn sort(&mut self) {
        self.reads.sort_unstable();
        self.writes.sort_unstable();
    }

    fn p99(&self) -> Duration {
        percentile(&self.reads, 99).max(percentile(&self.writes, 99))
    }

    fn said(&self) -> String {
        let words = |waits: &[Duration]| {
            let [half, most, all] = [50, 99, 100].map(|share| percentile(waits, share).as_secs_f64() * 1e3);
            format!("{half:.1} / {most:.0} / {all:.0} ms")
        };
        format!("reads {}, writes {}", words(&self.reads), words(&self.writes))
    }
}

/// Returns this percentile of sorted waits.
pub(super) fn percentile(waits: &[Duration], share: usize) -> Duration {
    waits.get((waits.len() * share).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.0} MiB of memory", bytes as f64 / f64::from(1 << 20))
}

fn report(turn: usize) -> Request {
    let form = if turn.is_multiple_of(2) { "application/json" } else { "application/xml" };
    Request::new("GET", "/restock").header("Accept", form)
}

/// Returns the length of the report in the longer of its two formats.
fn longest(server: &Server) -> Result<usize, Failure> {
    let mut wire = Wire::new(server.address);
    let lengths = (0..2).map(|turn| Ok(ask(&mut wire, report(turn))?.body.len()));
    Ok(lengths.collect::<Result<Vec<_>, Failure>>()?.into_iter().max().unwrap_or_default())
}

/// Makes this many clients ask, each for the request of its next turn, until they are told to stop.
pub(super) fn ask_for_ever(
    server: &Server,
    (clients, request): (usize, &(dyn Fn(usize) -> Request + Sync)),
    is_over: &AtomicBool,
) -> Result<(), Failure> {
    thread::scope(|scope| {
        for client in 0..clients {
            scope.spawn(move || {
                let mut wire = Wire::new(server.address);
                for turn in client.. {
                    // A request that waits for too long is refused, and the client goes on to its next one.
                    let _ = wire.ask(&request(turn));
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
    });
    Ok(())
}

/// Opens this many connections, sends these requests over each, and returns the connections.
fn leave_unread(server: &Server, connections: usize, requests: &str) -> Result<Vec<TcpStream>, Failure> {
    let broken = |error: std::io::Error| Failure::new(error.to_string());
    let connected = (0..connections).map(|_| {
        let mut stream = TcpStream::connect(server.address).map_err(broken)?;
        stream.write_all(requests.as_bytes()).map_err(broken)?;
        Ok(stream)
    });
    connected.collect()
}

/// Reads and writes as another client for this time, while others are at work.
pub(super) fn beside(
    server: &Server,
    others: impl FnOnce(&AtomicBool) -> Result<(), Failure> + Send,
    time: impl FnOnce(),
) -> Result<Waits, Failure> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let others = scope.spawn(|| others(&is_over));
        let client = scope.spawn(|| -> Result<Waits, Failure> {
            let (mut wire, mut waits) = (Wire::new(server.address), Waits::default());
            for phone in 1_u64.. {
                let sent = Instant::now();
                ask(&mut wire, Request::new("GET", format!("/patient/{}", heavy::ORDINARY)))?;
                waits.reads.push(sent.elapsed());
                let body = format!(r#"{{"patientId":{},"phone":{}}}"#, heavy::ORDINARY, phone % 999 + 1);
                let sent = Instant::now();
                ask(&mut wire, Request::new("PUT", "/patient").body(body))?;
                waits.writes.push(sent.elapsed());
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                thread::sleep(PAUSE);
            }
            waits.sort();
            Ok(waits)
        });
        time();
        is_over.store(true, Ordering::Relaxed);
        let panicked = |_| Failure::new("a client panicked");
        others.join().map_err(panicked)??;
        client.join().map_err(panicked)?
    })
}

/// Fills a database with medicines whose fields all have their maximum length.
fn fill(database: &Path, medicines: u64, intervals: u64) -> Result<(), Failure> {
    let mut port = Inside::open(database)?;
    let mut post = |path: String, body: String| ask(&mut port, Request::new("POST", path).body(body)).map(drop);
    post("/patient".to_owned(), format!(r#"{{"patientId":{}}}"#, heavy::ORDINARY))?;
    let lots: Vec<_> = (0..64)
        .map(|lot| format!(r#"{{"lot":"{lot:020}","expires":"{:02}/12/2990","units":1000000}}"#, lot % 28 + 1))
        .collect();
    let stock = format!(r#"{{"unit":"{}","opening":[{}]}}"#, "\u{1f48a}".repeat(32), lots.join(","));
    for medicine in 0..medicines {
        post(format!("/inventory/Medicine-{medicine}"), "{}".to_owned())?;
        post(format!("/inventory/Medicine-{medicine}/stock"), stock.clone())?;
    }
    let numbers: Vec<_> = (0..medicines).collect();
    for interval in 1..=intervals {
        let patient = heavy::OTHERS + interval;
        post("/patient".to_owned(), format!(r#"{{"patientId":{patient}}}"#))?;
        for some in numbers.chunks(30) {
            let regular = |medicine: &u64| {
                format!(r#"{{"medicine":"Medicine-{medicine}","isRegular":true,"quantity":9,"everyDays":{interval}}}"#)
            };
            let list: Vec<_> = some.iter().map(regular).collect();
            let body = format!(r#"{{"patientId":{patient},"prescriptions":[{}]}}"#, list.join(","));
            post("/consultations".to_owned(), body)?;
        }
    }
    ensure(!numbers.is_empty(), || "there are no medicines".to_owned())
}
