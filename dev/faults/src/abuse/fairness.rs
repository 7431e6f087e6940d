//! One key that asks for as much as it can of what others wait for too, and another key beside it.
//!
//! Each row has a control in the same run: as many connections of the first key that do ordinary work.

use std::{path::Path, thread, time::Duration};

use super::{
    WAIT,
    cost::heavy,
    measured::Measured,
    other::{Turn, change, flooded, for_a_while, other, read},
};
use crate::{
    Finding, Place, Request, Result, Run, Server, Wire, at_once, becomes, bodies, issue, ms, percentile, post,
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
    /// The numbers of its connections, each for a row of its own.
    connections: &'static [usize],
    /// The request of a client, in turn.
    request: fn(u64, u64) -> Request,
    /// The ordinary request that the control sends instead.
    ordinary: fn(u64, u64) -> Request,
}

/// The requests of another client, with their names.
const KINDS: [&str; 4] = ["reads", "lists", "finds", "writes"];
const OTHERS: [Turn; KINDS.len()] =
    [read, |turn| first_page(0, turn), |_| Request::get("/patient?find=ada%20ex"), change];

const FLOODS: [Flood; 5] = [
    Flood {
        what: "finds of eight words of 31 equal digits",
        scope: "patient:read",
        connections: &[64, 1_500],
        request: dear_find,
        ordinary: first_page,
    },
    Flood {
        what: "pages of 1 MiB, which they read",
        scope: "patient:read",
        connections: &[1_000],
        request: |_, _| Request::get("/patient?limit=500"),
        ordinary: first_page,
    },
    Flood {
        what: "pages of 500 patients in FHIR, JSON and XML by turns",
        scope: "patient:read",
        connections: &[64],
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
        connections: &[600],
        request: |_, _| Request::get("/events?limit=500"),
        ordinary: |_, _| Request::get("/events?limit=1"),
    },
    Flood {
        what: "visits with 30 prescriptions",
        scope: "prescriptions:write",
        connections: &[600],
        request: |client, turn| {
            let medicine = |number: u64| format!(r#"{{"medicine":"{client} {turn} {number}"}}"#);
            let body = bodies::prescribing(heavy::OTHERS + client, 0..heavy::AT_ONCE, medicine);
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
    let rows = FLOODS.iter().flat_map(|flood| flood.connections.iter().map(move |connections| (flood, connections)));
    let measured = rows.map(|(flood, connections)| {
        let connections = (connections / run.sizes.part as usize).max(8);
        let what = format!("{connections} connections of one key with one scope that ask for {}{on}", flood.what);
        run.measured(Finding::of(what, "once on each server, another key and a control beside"), |part| {
            let (_kept, database) = place()?;
            measure(flood, connections, &database, part)
        })
    });
    measured.collect()
}

fn measure(flood: &Flood, connections: usize, database: &str, part: &mut Measured<'_>) -> Result<()> {
    let server = Server::start(&part.program.with(&["--fhir"]), Path::new(database))?;
    fill(&server, part.run.sizes.patients.min(5_000))?;
    let (_, key) = issue(Path::new("/"), database, "Flood", flood.scope)?;
    // The server knows a new key within a second.
    becomes(&mut Wire::with_key(server.address, &key), &Request::get("/key"), 200, Duration::from_secs(5))?;
    let time = part.run.sizes.time(TIME);
    server.forget_peak()?;
    let control = during(&server, connections, &key, flood.ordinary, time)?;
    let flooded = during(&server, connections, &key, flood.request, time)?;
    let memory = server.peak()?;
    server.kill()?;
    let mut words = Vec::new();
    for (kind, (waits, control)) in KINDS.iter().zip(flooded.iter().zip(&control)) {
        let [last, beside_control] = [waits, control].map(|waits| percentile(waits, 99));
        words.push(format!("{kind} {:.0} ms ({:.0})", ms(last), ms(beside_control)));
        part.takes(&format!("one in a hundred {kind} waits"), last, WAIT.max(beside_control * TIMES));
    }
    part.note(&format!("99 in 100 {} beside ordinary work, {} MiB of memory", words.join(", "), memory >> 20));
    part.holds(memory, MEMORY);
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
    flooded(server, connections, key, request, || {
        // By then all of them have asked.
        thread::sleep(time / 4);
        Ok(other(server.port(), OTHERS, || for_a_while(time))?.0)
    })
}

fn first_page(_: u64, _: u64) -> Request {
    Request::get("/patient?limit=5")
}

fn dear_find(client: u64, turn: u64) -> Request {
    let word = |digit: u64| (digit % 10).to_string().repeat(31);
    let words: Vec<_> = (0..8).map(|number| word(client + turn + number)).collect();
    Request::get(format!("/patient?find={}", words.join("%20")))
}
