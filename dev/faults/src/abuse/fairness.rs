//! One key that asks for as much as it can of what others wait for too, and another key beside it.
//!
//! Each row has a control in the same run: as many connections of the first key that do ordinary work.

use std::{path::Path, thread, time::Duration};

use super::{
    cost::heavy,
    other::{Turn, change, for_a_while, other, read},
};
use crate::{
    Finding, Over, Place, Port as _, Program, Request, Result, Run, Server, Wire, at_once, becomes, beside, bodies,
    issue, ms, percentile, post,
};

/// Clients that fill the database at once.
const FILLING: usize = 8;
/// The time for which a flood lasts.
const TIME: Duration = Duration::from_secs(8);
/// The memory of a server, in bytes, whatever one key asks for.
const MEMORY: u64 = 400 << 20;
/// The others may wait this many times as long as beside ordinary work.
const TIMES: u32 = 3;

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

/// The requests of another client, with their names.
const KINDS: [&str; 4] = ["reads", "lists", "finds", "writes"];
const OTHERS: [Turn; KINDS.len()] =
    [read, |turn| first_page(0, turn), |_| Request::get("/patient?find=ada%20ex"), change];

const FLOODS: [Flood; 6] = [
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
        request: |_, _| Request::get("/patient?limit=500"),
        ordinary: first_page,
    },
    Flood {
        what: "pages of 500 patients in FHIR, JSON and XML by turns",
        scope: "patient:read",
        connections: 64,
        request: |client, _| {
            let form = ["application/fhir+json", "application/fhir+xml"][client as usize % 2];
            Request::get("/fhir/Patient?_count=500").header("Accept", form)
        },
        ordinary: |client, _| {
            let form = ["application/json", "application/xml"][client as usize % 2];
            Request::get("/patient?limit=500").header("Accept", form)
        },
    },
    Flood {
        what: "pages of events over long entries",
        scope: "events:read",
        connections: 600,
        request: |_, _| Request::get("/events?limit=500"),
        ordinary: |_, _| Request::get("/events?limit=1"),
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
pub(crate) fn fairness(run: &Run) -> Result<Vec<Finding>> {
    fairness_in(run, "", || {
        let place = Place::new()?;
        let database = place.database().to_string_lossy().into_owned();
        Ok((place, database))
    })
}

/// Does as [`fairness`] on databases that `place` makes. They live as long as what is returned beside their addresses.
pub(crate) fn fairness_in<T>(run: &Run, on: &str, place: impl Fn() -> Result<(T, String)>) -> Result<Vec<Finding>> {
    care_testkit::allow_many_files();
    let mut findings = Vec::new();
    for flood in &FLOODS {
        let connections = (flood.connections / run.sizes.part as usize).max(8);
        let what = format!("{connections} connections of one key with one scope that ask for {}{on}", flood.what);
        let mut finding = Finding::of(what, "once on each server, another key and a control beside");
        for (name, program) in &run.programs {
            let (kept, database) = place()?;
            measure(flood, connections, run, (name, program), &database, &mut finding)?;
            drop(kept);
        }
        findings.push(finding);
    }
    Ok(findings)
}

fn measure(
    flood: &Flood,
    connections: usize,
    run: &Run,
    (name, program): (&str, &Program),
    database: &str,
    finding: &mut Finding,
) -> Result<()> {
    let server = Server::start(&program.with(&["--fhir"]), Path::new(database))?;
    fill(&server, run.sizes.patients.min(5_000))?;
    let (_, key) = issue(Path::new("/"), database, "Flood", flood.scope)?;
    // The server knows a new key within a second.
    becomes(&mut Wire::with_key(server.address, &key), &Request::get("/key"), 200, Duration::from_secs(5))?;
    let time = run.sizes.time(TIME);
    server.forget_peak()?;
    let control = during(&server, connections, &key, flood.ordinary, time)?;
    let flooded = during(&server, connections, &key, flood.request, time)?;
    let memory = server.peak()?;
    server.kill()?;
    let mut words = Vec::new();
    for (kind, (waits, control)) in KINDS.iter().zip(flooded.iter().zip(&control)) {
        let [last, beside_control] = [waits, control].map(|waits| percentile(waits, 99));
        words.push(format!("{kind} {:.0} ms ({:.0})", ms(last), ms(beside_control)));
        let what = format!("one in a hundred {kind} waits");
        finding.takes(name, &what, last, run.bars.wait.max(beside_control * TIMES));
    }
    let words = format!("99 in 100 {} beside ordinary work, {} MiB of memory", words.join(", "), memory >> 20);
    finding.note(name, &words);
    finding.holds(name, "memory", memory, MEMORY);
    Ok(())
}

/// Fills the database through the server: patients of whom a page of 500 has 1 MiB.
fn fill(server: &Server, patients: u64) -> Result<()> {
    post(&mut server.port(), "/patient", heavy::ordinary_patient(heavy::ORDINARY))?;
    at_once(FILLING, |client| {
        let mut wire = server.port();
        let mut mine = (client..patients).step_by(FILLING);
        mine.try_for_each(|number| post(&mut wire, "/patient", bodies::patient(heavy::OTHERS + number)).map(drop))
    })
    .map(drop)
}

/// Returns the waits of a client with another key, while these connections ask without a pause.
fn during(
    server: &Server,
    connections: usize,
    key: &str,
    request: fn(u64, u64) -> Request,
    time: Duration,
) -> Result<[Vec<Duration>; KINDS.len()]> {
    let flooding = |client, over: &Over| {
        let mut wire = Wire::with_key(server.address, key);
        for turn in 0.. {
            // It may be refused, and asks again.
            let _ = wire.ask(&request(client, turn));
            if over.is() {
                break;
            }
        }
        Ok(())
    };
    let (_, waits) = beside(connections, flooding, || {
        // By then all of them have asked.
        thread::sleep(time / 4);
        let (waits, ()) = other(server.port(), OTHERS, || for_a_while(time))?;
        Ok(waits)
    })?;
    Ok(waits)
}

fn first_page(_: u64, _: u64) -> Request {
    Request::get("/patient?limit=5")
}

fn dear_find(client: u64, turn: u64) -> Request {
    let word = |digit: u64| (digit % 10).to_string().repeat(31);
    let words: Vec<_> = (0..8).map(|number| word(client + turn + number)).collect();
    Request::get(format!("/patient?find={}", words.join("%20")))
}
