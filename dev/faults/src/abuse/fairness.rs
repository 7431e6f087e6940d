//! One key that asks for as much as it can of what others wait for too, and another key beside it.
//!
//! Each row has a control in the same run: as many connections of the first key that do ordinary work.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{
    Bars, Sizes,
    cost::{bodies, heavy, requests::note},
};
use crate::{
    base::{
        admin::admin,
        attempt::{Port as _, Request},
        failure::{Failure, ensure},
        finding::Finding,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    runs::power::in_memory,
    work::clients::ask,
};

/// Clients that fill the database at once.
const FILLING: u64 = 8;
/// The time for which a flood lasts.
const TIME: Duration = Duration::from_secs(8);
/// Pause of the other client between two requests.
const PAUSE: Duration = Duration::from_millis(5);
/// The memory of a server, in bytes, whatever one key asks for.
const MEMORY: u64 = 400 << 20;
/// The others may wait this many times as long as beside ordinary work.
const TIMES: u32 = 3;
/// The stack of a client of the flood, which does little.
const STACK: usize = 256 << 10;

/// A flood of requests from one key.
struct Flood {
    what: &'static str,
    /// The only scope of the key.
    scope: &'static str,
    connections: usize,
    /// The request of a client, in turn.
    request: fn(u64, u64) -> Request,
    /// The ordinary request that the control sends instead.
    ordinary: fn(u64, u64) -> Request,
}

/// The kinds of requests of another client.
const KINDS: [&str; 4] = ["reads", "lists", "finds", "writes"];

const FLOODS: [Flood; 5] = [
    Flood {
        what: "finds of eight words of 31 equal digits",
        scope: "patient:read",
        connections: 64,
        request: dear_find,
        ordinary: first_page,
    },
    Flood {
        what: "finds of eight words of 31 equal digits",
        scope: "patient:read",
        connections: 1_500,
        request: dear_find,
        ordinary: first_page,
    },
    Flood {
        what: "pages of 1 MiB, which they read",
        scope: "patient:read",
        connections: 1_000,
        request: |_, _| Request::new("GET", "/patient?limit=500"),
        ordinary: first_page,
    },
    Flood {
        what: "pages of events over long entries",
        scope: "events:read",
        connections: 600,
        request: |_, _| Request::new("GET", "/events?limit=500"),
        ordinary: |_, _| Request::new("GET", "/events?limit=1"),
    },
    Flood {
        what: "visits with 30 prescriptions",
        scope: "prescriptions:write",
        connections: 600,
        request: |client, turn| {
            let medicine = |number: u64| format!(r#"{{"medicine":"{client} {turn} {number}"}}"#);
            let medicines: Vec<_> = (0..30).map(medicine).collect();
            let patient = heavy::OTHERS + client;
            let body = format!(r#"{{"patientId":{patient},"prescriptions":[{}]}}"#, medicines.join(","));
            Request::new("POST", "/consultations").body(body)
        },
        ordinary: |client, _| {
            let body = format!(r#"{{"patientId":{},"diseases":["Gout"]}}"#, heavy::OTHERS + client);
            Request::new("POST", "/consultations").body(body)
        },
    },
];

/// Lets one key ask for each of these without a pause on each server, while another one reads, lists, finds and writes.
///
/// # Errors
/// The reason why it cannot be measured. Bars that are missed are in the findings.
pub fn fairness(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let place = || {
        let folder = in_memory()?;
        let database = folder.path().join("care.db");
        Ok((folder, database.to_string_lossy().into_owned()))
    };
    fairness_in(sizes, bars, programs, "", place)
}

/// Does as [`fairness`] on databases that `place` makes. They live as long as what is returned beside their addresses.
pub(crate) fn fairness_in<T>(
    sizes: &Sizes,
    bars: &Bars,
    programs: &[(&str, Program)],
    on: &str,
    place: impl Fn() -> Result<(T, String), Failure>,
) -> Result<Vec<Finding>, Failure> {
    care_testkit::allow_many_files();
    let mut findings = Vec::new();
    for flood in &FLOODS {
        let connections = (flood.connections / usize::try_from(sizes.part).unwrap_or(1)).max(8);
        let what = format!("{connections} connections of one key with one scope that ask for {}{on}", flood.what);
        let mut finding = Finding::of(what, "once on each server, another key and a control beside");
        for (name, program) in programs {
            let (kept, database) = place()?;
            let found = beside(flood, connections, sizes, program, &database)?;
            drop(kept);
            note(&mut finding, name, &found.said());
            found.judge(&mut finding, name, bars);
        }
        findings.push(finding);
    }
    Ok(findings)
}

/// The waits of another client, sorted, by kind: beside a flood, and beside ordinary work.
struct Fare {
    flooded: [Vec<Duration>; KINDS.len()],
    control: [Vec<Duration>; KINDS.len()],
    /// The most memory of the server.
    memory: u64,
}

impl Fare {
    fn said(&self) -> String {
        let ms = |waits: &[Duration]| p99(waits).as_secs_f64() * 1e3;
        let kinds = KINDS.iter().zip(self.flooded.iter().zip(&self.control));
        let kinds = kinds.map(|(kind, (waits, control))| format!("{kind} {:.0} ms ({:.0})", ms(waits), ms(control)));
        let kinds: Vec<_> = kinds.collect();
        format!("99 in 100 {} beside ordinary work, {} MiB of memory", kinds.join(", "), self.memory >> 20)
    }

    fn judge(&self, finding: &mut Finding, name: &str, bars: &Bars) {
        for (kind, (waits, control)) in KINDS.iter().zip(self.flooded.iter().zip(&self.control)) {
            let (last, most) = (p99(waits), bars.wait.max(p99(control) * TIMES));
            finding.bar(last <= most, || format!("{name}: one in a hundred {kind} waits {last:?}"));
        }
        finding.bar(self.memory <= MEMORY, || format!("{name}: {} bytes of memory", self.memory));
    }
}

fn p99(waits: &[Duration]) -> Duration {
    waits.get((waits.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

fn beside(
    flood: &Flood,
    connections: usize,
    sizes: &Sizes,
    program: &Program,
    database: &str,
) -> Result<Fare, Failure> {
    let server = Server::start(program, Path::new(database))?;
    fill(&server, sizes)?;
    let issue = ["keys", "issue", "--name", "Flood", "--scope", flood.scope, "--database", database];
    let issued = admin(Path::new("/"), &issue)?;
    ensure(issued.is_done(), || format!("no key is issued: {issued:?}"))?;
    let key = issued.out.trim().to_owned();
    // The server knows a new key within a second.
    care_testkit::until(Duration::from_secs(5), || {
        Wire::with_key(server.address, &key).ask(&Request::new("GET", "/key")).status() == Some(200)
    });
    let time = TIME / u32::try_from(sizes.part).unwrap_or(u32::MAX);
    server.forget_peak()?;
    let control = during(&server, connections, &key, flood.ordinary, time)?;
    let flooded = during(&server, connections, &key, flood.request, time)?;
    let memory = server.peak()?;
    server.kill()?;
    Ok(Fare { flooded, control, memory })
}

/// Fills the database through the server: patients of whom a page of 500 has 1 MiB.
fn fill(server: &Server, sizes: &Sizes) -> Result<(), Failure> {
    let mut wire = Wire::new(server.address);
    ask(&mut wire, Request::new("POST", "/patient").body(heavy::ordinary_patient(heavy::ORDINARY)))?;
    let patients = sizes.patients.min(5_000);
    thread::scope(|scope| {
        let filling: Vec<_> = (0..FILLING)
            .map(|client| {
                scope.spawn(move || {
                    let mut wire = Wire::new(server.address);
                    (0..patients).filter(|number| number % FILLING == client).try_for_each(|number| {
                        let body = bodies::patient(heavy::OTHERS + number);
                        ask(&mut wire, Request::new("POST", "/patient").body(body)).map(drop)
                    })
                })
            })
            .collect();
        filling.into_iter().try_for_each(|client| client.join().map_err(|_| Failure::new("the filling panicked"))?)
    })
}

/// Returns the waits of a client with another key, while these connections ask without a pause.
fn during(
    server: &Server,
    connections: usize,
    key: &str,
    request: fn(u64, u64) -> Request,
    time: Duration,
) -> Result<[Vec<Duration>; KINDS.len()], Failure> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut clients = Vec::new();
        for client in 0..connections as u64 {
            let is_over = &is_over;
            let flooding = move || {
                let mut wire = Wire::with_key(server.address, key);
                for turn in 0.. {
                    // It may be refused, and asks again.
                    let _ = wire.ask(&request(client, turn));
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            };
            clients.push(thread::Builder::new().stack_size(STACK).spawn_scoped(scope, flooding)?);
        }
        // By then all of them have asked.
        thread::sleep(time / 4);
        let waits = other(server, time);
        is_over.store(true, Ordering::Relaxed);
        waits
    })
}

/// Reads, lists, finds and writes in turn for this time, and returns the waits of each, sorted.
fn other(server: &Server, time: Duration) -> Result<[Vec<Duration>; KINDS.len()], Failure> {
    let (mut wire, begun) = (Wire::new(server.address), Instant::now());
    let mut waits = [const { Vec::new() }; KINDS.len()];
    for turn in 1_u64.. {
        let phone = format!(r#"{{"patientId":{},"phone":{}}}"#, heavy::ORDINARY, turn % 999 + 1);
        let requests = [
            Request::new("GET", format!("/patient/{}", heavy::ORDINARY)),
            first_page(0, turn),
            Request::new("GET", "/patient?find=ada%20ex"),
            Request::new("PUT", "/patient").body(phone),
        ];
        for (request, waits) in requests.into_iter().zip(&mut waits) {
            let sent = Instant::now();
            ask(&mut wire, request)?;
            waits.push(sent.elapsed());
        }
        if begun.elapsed() >= time {
            break;
        }
        thread::sleep(PAUSE);
    }
    waits.iter_mut().for_each(|waits| waits.sort_unstable());
    Ok(waits)
}

fn first_page(_: u64, _: u64) -> Request {
    Request::new("GET", "/patient?limit=5")
}

fn dear_find(client: u64, turn: u64) -> Request {
    let word = |digit: u64| (digit % 10).to_string().repeat(31);
    let words: Vec<_> = (0..8).map(|number| word(client + turn + number)).collect();
    Request::new("GET", format!("/patient?find={}", words.join("%20")))
}
