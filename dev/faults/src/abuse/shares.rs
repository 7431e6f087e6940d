//! Every operation and every interaction of FHIR, asked for by many connections of one key, and another key that asks
//! for something else meanwhile: short requests, and long ones.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use care_core::operation::Operation;

use super::{
    WAIT,
    cost::{
        dearest::{Maker, Pair},
        heavy::{self, FREE, VISITED},
        requests::number_of,
    },
    measured::Measured,
    other::{Turn, change, flooded, for_a_while, other, read},
};
use crate::{Finding, Place, Request, Result, Run, Server, Wire, ask, becomes, issue, ms, percentile};

/// The short run measures long requests beside one in this many floods.
const SKIPPED: usize = 16;
/// The connections of the busy key.
const CONNECTIONS: usize = 64;
/// The time of one measurement.
const TIME: Duration = Duration::from_secs(3);
/// The measurements of which the one in the middle counts.
const ROUNDS: u64 = 3;
/// The others may wait this many times as long as beside as many connections that ask who they are.
const TIMES: u32 = 3;
/// The number of times that each long request is asked for while the other key is busy.
const LONG_TURNS: u64 = 5;

/// The short requests of the other key.
const SHORT: [(&str, Turn); 3] =
    [("reads", read), ("lists", |_| Request::get("/patient?limit=50")), ("writes", change)];

/// The long requests of the other key.
const LONG: [(&str, Turn); 4] = [
    ("day", |_| Request::get("/today")),
    ("report", |_| Request::get("/restock")),
    ("history", |_| Request::get(format!("/history/{VISITED}"))),
    ("FHIR", |_| Request::get("/fhir/Patient?_count=500")),
];

/// Something that a busy key asks for.
struct Flood {
    what: String,
    /// A line of the dearest requests.
    line: String,
}

/// Asks for the dearest request of each operation, and for each interaction of FHIR, from many connections of one key,
/// while another key asks for something short, and for something long.
pub(crate) fn shares(run: &Run) -> Result<Vec<Finding>> {
    care_testkit::allow_many_files();
    let connections = (CONNECTIONS / run.sizes.part as usize).max(8);
    let mut floods = operations()?;
    floods.extend(interactions(run)?);
    let often = format!(
        "{connections} connections of one key on each server, beside another key; the median of {ROUNDS} (and beside \
         as many that ask for `/key`)"
    );
    let mut findings: Vec<_> = floods.iter().map(|flood| Finding::of(flood.what.clone(), &often)).collect();
    for (name, program) in &run.programs {
        let place = Place::new()?;
        heavy::fill(&place.database(), &run.sizes)?;
        let program = program.with(&["--fhir"]);
        let server = Server::start(&program, &place.database())?;
        let (_, key) = issue(Path::new("/"), &place.database().to_string_lossy(), "Busy", "all")?;
        becomes(&mut Wire::with_key(server.address, &key), &Request::get("/key"), 200, Duration::from_secs(5))?;
        let mut bench =
            Bench { server: &server, place: &place, key: &key, connections, run, number: FREE, measured: 0 };
        let control = bench.rounds(|bench| bench.short(&[Request::get("/key")]))?;
        let alone = bench.alone()?;
        for (flood, finding) in floods.iter().zip(&mut findings) {
            let mut part = Measured { name, program: &program, run, finding };
            if let Err(failure) = bench.measure(flood, (&control, &alone), &mut part) {
                part.note("not measured");
                part.bar(false, || failure.to_string());
            }
            eprintln!("{}: {}", flood.what, part.finding.found);
        }
        server.kill()?;
    }
    Ok(findings)
}

/// Returns the dearest requests of all operations, of which each has at least one.
fn operations() -> Result<Vec<Flood>> {
    let pairs = Pair::all()?;
    let of = |operation: Operation| pairs.iter().filter(move |pair| pair.operation == operation);
    let flood =
        |pair: &Pair| Flood { what: format!("`{}`: {}", pair.operation.id(), pair.what), line: pair.dearest.clone() };
    Ok(Operation::all().flat_map(of).map(flood).collect())
}

/// Returns a request of each interaction that the statement of the facade names, with each of its parameters.
fn interactions(run: &Run) -> Result<Vec<Flood>> {
    let Some((_, program)) = run.programs.first() else { return Ok(Vec::new()) };
    let place = Place::new()?;
    let server = Server::start(&program.with(&["--fhir"]), &place.database())?;
    let statement = ask(&mut server.port(), Request::get("/fhir/metadata"))?.document()?;
    server.kill()?;
    let mut paths = vec!["metadata".to_owned(), format!("Patient/{VISITED}/$everything")];
    for resource in statement["rest"][0]["resource"].as_array().into_iter().flatten() {
        let kind = resource["type"].as_str().unwrap_or_default();
        paths.push(format!("{kind}?patient={VISITED}&_count=500"));
        paths.push(format!("{kind}?_count=500"));
        for parameter in resource["searchParam"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            paths.push(format!("{kind}?patient={VISITED}&{name}=nobody&_count=500"));
        }
        for id in [VISITED.to_string(), "0".repeat(64), format!("{VISITED}-allergies")] {
            paths.push(format!("{kind}/{id}"));
            paths.push(format!("{kind}/{id}/_history"));
            paths.push(format!("{kind}/{id}/_history/1"));
        }
    }
    Ok(paths
        .into_iter()
        .map(|path| Flood { what: format!("FHIR `{path}`"), line: format!("GET /fhir/{path}") })
        .collect())
}

/// A server, a busy key, and the clinic that they are asked about.
struct Bench<'a> {
    server: &'a Server,
    place: &'a Place,
    key: &'a str,
    connections: usize,
    run: &'a Run,
    number: u64,
    /// The floods that were measured.
    measured: usize,
}

impl Bench<'_> {
    fn measure(
        &mut self,
        flood: &Flood,
        (control, alone): (&[Duration], &[Duration]),
        part: &mut Measured<'_>,
    ) -> Result<()> {
        let requests = self.requests(&flood.line)?;
        let waits = self.rounds(|bench| bench.short(&requests))?;
        let mut words = Vec::new();
        for (((kind, _), waits), control) in SHORT.iter().zip(&waits).zip(control) {
            words.push(format!("{kind} {:.0} ms ({:.0})", ms(*waits), ms(*control)));
            part.takes(&format!("one in a hundred {kind} waits"), *waits, WAIT.max(*control * TIMES));
        }
        self.measured += 1;
        // The short run skips most of them, each of which takes as long as all others.
        if self.run.sizes.are_short() && !self.measured.is_multiple_of(SKIPPED) {
            part.note(&words.join(", "));
            return Ok(());
        }
        let long = self.long(&requests)?;
        for (((kind, _), wait), alone) in LONG.iter().zip(&long).zip(alone) {
            words.push(format!("{kind} {:.0} ms ({:.0})", ms(*wait), ms(*alone)));
            part.takes(&format!("a {kind} takes"), *wait, WAIT + *alone * TIMES);
        }
        part.note(&words.join(", "));
        Ok(())
    }

    /// Returns a request for each connection.
    fn requests(&mut self, line: &str) -> Result<Vec<Request>> {
        let database = self.place.database();
        let last = number_of(&database, "SELECT max(seq) FROM journal")?;
        let tracked =
            number_of(&database, "SELECT ifnull(min(seq), 0) FROM skip_pointer WHERE kind = 'Stock' AND seq > 0")?;
        let mut port = self.server.port();
        let mut maker = Maker { port: &mut port, sizes: &self.run.sizes, last, tracked, is_first: true };
        let count = self.connections.min(8 / self.run.sizes.part.min(4) as usize);
        let made = (0..count).map(|nth| {
            self.number += 1;
            maker.is_first = nth == 0;
            maker.request(line, self.number)
        });
        made.collect()
    }

    /// Returns the medians of some rounds.
    fn rounds(&mut self, mut round: impl FnMut(&mut Self) -> Result<Vec<Duration>>) -> Result<Vec<Duration>> {
        let rounds = if self.run.sizes.are_short() { 1 } else { ROUNDS };
        let all = (0..rounds).map(|_| round(self)).collect::<Result<Vec<_>>>()?;
        let of = |kind: usize| {
            let mut waits: Vec<_> = all.iter().filter_map(|waits| waits.get(kind).copied()).collect();
            waits.sort_unstable();
            percentile(&waits, 50)
        };
        Ok((0..SHORT.len()).map(of).collect())
    }

    /// Returns the time of one measurement.
    fn time(&self) -> Duration {
        if self.run.sizes.are_short() { TIME / 100 } else { TIME }
    }

    /// Returns how long one in a hundred of each kind of short request waits.
    fn short(&self, requests: &[Request]) -> Result<Vec<Duration>> {
        let time = self.time();
        let waits = self.beside(requests, || {
            thread::sleep(time / 4);
            Ok(other(self.server.port(), SHORT.map(|(_, turn)| turn), || for_a_while(time))?.0)
        })?;
        Ok(waits.iter().map(|waits| percentile(waits, 99)).collect())
    }

    /// Returns how long each kind of long request takes, in the middle of some turns.
    fn long(&self, requests: &[Request]) -> Result<Vec<Duration>> {
        self.beside(requests, || {
            thread::sleep(self.time() / 4);
            self.alone()
        })
    }

    /// Returns how long each kind of long request takes now.
    fn alone(&self) -> Result<Vec<Duration>> {
        let mut wire = self.server.port();
        let mut took = |turn: Turn| {
            let turns = (0..LONG_TURNS.div_ceil(self.run.sizes.part)).map(|number| {
                let sent = Instant::now();
                ask(&mut wire, turn(number))?;
                Ok(sent.elapsed())
            });
            let mut turns = turns.collect::<Result<Vec<_>>>()?;
            turns.sort_unstable();
            Ok(percentile(&turns, 50))
        };
        LONG.iter().map(|(_, turn)| took(*turn)).collect()
    }

    fn beside<T>(&self, requests: &[Request], act: impl FnOnce() -> Result<T>) -> Result<T> {
        let of = |client: u64, turn: u64| {
            let all = requests.len().max(1) as u64;
            requests[((client + turn) % all) as usize].clone()
        };
        flooded(self.server, self.connections, self.key, of, act)
    }
}
