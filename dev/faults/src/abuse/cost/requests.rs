//! The cost of the most expensive request of each operation, compared with an ordinary one.

use std::{path::Path, time::Duration};

use rusqlite::Connection;

use super::{
    dearest::{Maker, Pair},
    heavy::{self, FREE},
};
use crate::{
    Finding, Place, Request, Result, Run, Server, Wire,
    abuse::{
        MEMORY, WAIT,
        measured::Measured,
        other::{change, for_a_while, median, other},
    },
    ask, mib, percentile,
};

/// Enough processor time to measure in the system's steps.
const ENOUGH: Duration = Duration::from_millis(200);
/// Most batches that are measured.
const BATCHES: u64 = 6;
/// The step of the system's processor clock.
const STEP: Duration = Duration::from_millis(10);
/// The bytes that a request counts for besides its own when the growth of the file is measured. A request without a
/// body writes what was sent earlier: an invoice is a copy of its patient and its prescription.
pub(super) const REQUEST: usize = 1024;
/// The highest ratio of the processor time of an operation's most expensive request to that of an ordinary one with as
/// many bytes.
const TIMES: f64 = 20.0;
/// The bytes by which the file may grow for each byte that was sent.
const GROWTH: f64 = 12.0;

/// The cost of one kind of request.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    processor: Duration,
    requests: u32,
    /// Bytes that were sent, including [`REQUEST`] for each.
    sent: usize,
    /// Bytes by which the file grew.
    grown: u64,
}

/// Measures every operation on both servers, in the same clinic.
pub(crate) fn requests(run: &Run) -> Result<Vec<Finding>> {
    let what = "writes of another client while nothing else is asked, for comparison with the waits below";
    let mut findings = vec![Finding::of(what, "1 s on each server")];
    let pairs = Pair::all()?;
    findings.extend(pairs.iter().map(|pair| {
        let often = format!("{} and more beside {} ordinary ones", pair.most.1, pair.most.0);
        Finding::of(format!("`{}`: {}", pair.operation.id(), pair.what), often)
    }));
    for (name, program) in &run.programs {
        let place = Place::new()?;
        heavy::fill(&place.database(), &run.sizes)?;
        let server = Server::start(program, &place.database())?;
        let ([waits], ()) = other(server.port(), [change], || for_a_while(run.sizes.time(Duration::from_secs(1))))?;
        server.end()?;
        Measured { name, program, run, finding: &mut findings[0] }.note(&median(&waits));
        let mut number = FREE;
        for (pair, finding) in pairs.iter().zip(&mut findings[1..]) {
            let mut part = Measured { name, program, run, finding };
            if let Err(failure) = measure(pair, &place.database(), &mut number, &mut part) {
                part.note("not measured");
                part.bar(false, || failure.to_string());
            }
            // This shows progress, because the table is printed only much later.
            eprintln!("`{}`: {}", pair.operation.id(), part.finding.found);
        }
    }
    Ok(findings)
}

fn measure(pair: &Pair, database: &Path, number: &mut u64, part: &mut Measured<'_>) -> Result<()> {
    let server = Server::start(part.program, database)?;
    let (mut port, sizes) = (server.port(), &part.run.sizes);
    let last = number_of(database, "SELECT max(seq) FROM journal")?;
    let tracked = number_of(database, "SELECT ifnull(min(seq), 0) FROM skip_pointer WHERE kind = 'Stock' AND seq > 0")?;
    let maker = Maker { port: &mut port, sizes, last, tracked, is_first: true };
    let mut scales = Scales { server: &server, database, wire: server.port(), maker, number };
    let first = scales.batch(&pair.dearest, 1)?;
    let (memory, ()) =
        memory(&server, || first.into_iter().try_for_each(|request| ask(&mut scales.wire, request).map(drop)))?;
    let [ordinary, alike, dearest] =
        scales.weigh([(&*pair.ordinary, pair.most.0), (&*pair.alike, pair.most.1), (&*pair.dearest, pair.most.1)])?;
    let batch = scales.batch(&pair.dearest, pair.most.1.div_ceil(sizes.part))?;
    let wire = &mut scales.wire;
    let ([waits], ()) =
        other(server.port(), [change], || batch.into_iter().try_for_each(|request| ask(wire, request).map(drop)))?;
    drop(scales);

    let times = |other: Cost| dearest.each() / other.each();
    let of_its_bytes = times(alike) / pair.parts(sizes) as f64;
    let growth = dearest.grown as f64 / dearest.sent as f64;
    part.note(&format!(
        "{:.2} ms ({:.1}, {of_its_bytes:.1}), {:.1} MiB, {growth:.1} bytes, {}",
        dearest.each() * 1e3,
        times(ordinary),
        mib(memory),
        median(&waits),
    ));
    part.bar(of_its_bytes <= TIMES, || format!("{of_its_bytes:.1} times an ordinary one of its bytes"));
    part.holds(memory, MEMORY);
    part.bar(growth <= GROWTH, || format!("the file grows by {growth:.1} bytes for each byte sent"));
    part.takes("another's write waits", percentile(&waits, 100), WAIT);
    part.ends(&server).map(drop)
}

impl Cost {
    /// Returns the processor time of one request, in seconds.
    fn each(self) -> f64 {
        self.processor.max(STEP / 2).as_secs_f64() / f64::from(self.requests.max(1))
    }
}

/// The measurement of requests on one server.
struct Scales<'a> {
    server: &'a Server,
    database: &'a Path,
    wire: Wire,
    maker: Maker<'a>,
    number: &'a mut u64,
}

impl Scales<'_> {
    fn batch(&mut self, line: &str, count: u64) -> Result<Vec<Request>> {
        let made = (0..count).map(|nth| {
            *self.number += 1;
            self.maker.is_first = nth == 0;
            self.maker.request(line, *self.number)
        });
        made.collect()
    }

    /// Returns the cost of each kind. Batches of the kinds take turns until the costs are known well enough.
    fn weigh(&mut self, kinds: [(&str, u64); 3]) -> Result<[Cost; 3]> {
        let mut costs = [Cost::default(); 3];
        let part = self.maker.sizes.part;
        for _ in 0..BATCHES.div_ceil(part) {
            for ((line, count), cost) in kinds.into_iter().zip(&mut costs) {
                if cost.processor > ENOUGH {
                    continue;
                }
                let batch = self.batch(line, count.div_ceil(part))?;
                let (before, length) = (self.server.processor()?, pages(self.database)?);
                for request in &batch {
                    cost.sent += request.written("secret").len() + REQUEST;
                    ask(&mut self.wire, request.clone())?;
                }
                cost.processor += self.server.processor()? - before;
                cost.grown += pages(self.database)?.saturating_sub(length);
                cost.requests += batch.len() as u32;
            }
        }
        Ok(costs)
    }
}

/// Returns the most additional memory that a server takes for this work, in bytes, and the work's result.
pub(crate) fn memory<T>(server: &Server, work: impl FnOnce() -> Result<T>) -> Result<(u64, T)> {
    let resident = server.memory()?;
    server.forget_peak()?;
    let done = work()?;
    Ok((server.peak()?.saturating_sub(resident), done))
}

/// Returns the length of the file, including the pages that are only in the log.
pub(crate) fn pages(database: &Path) -> Result<u64> {
    Ok(number_of(database, "PRAGMA page_count")? * 4096)
}

pub(crate) fn number_of(database: &Path, question: &str) -> Result<u64> {
    let number: i64 = Connection::open(database)?.query_row(question, [], |row| row.get(0))?;
    Ok(number.unsigned_abs())
}
