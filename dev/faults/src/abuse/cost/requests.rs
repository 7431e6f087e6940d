//! The cost of the most expensive request of each operation, compared with an ordinary one.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{
    dearest::{Make, Maker, PAIRS, Pair},
    heavy::{self, FREE},
};
use crate::{
    abuse::{Bars, Sizes},
    base::{attempt::Request, failure::Failure, finding::Finding, process::Server, programs::Program, wire::Wire},
    runs::power::in_memory,
    work::clients::ask,
};

/// Enough processor time to measure in the system's steps.
const ENOUGH: Duration = Duration::from_millis(200);
/// Most batches that are measured.
const BATCHES: u64 = 6;
/// The step of the system's processor clock.
const STEP: Duration = Duration::from_millis(10);
/// Pause of the other client between two writes.
const PAUSE: Duration = Duration::from_millis(2);
/// The bytes that a request counts for besides its own when the growth of the file is measured. A request without a
/// body writes what was sent earlier: an invoice is a copy of its patient and its prescription.
const REQUEST: usize = 1024;

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

/// The waits of another client for the answers to its writes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WaitTimes {
    pub(crate) median: Duration,
    pub(crate) longest: Duration,
}

/// Measures every operation on both servers, in the same clinic.
///
/// # Errors
/// The reason why it cannot be measured. Bars that are missed are in the findings.
pub fn requests(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let what = "writes of another client while nothing else is asked, for comparison with the waits below";
    let mut quiet = Finding::of(what, "1 s on each server");
    let mut findings: Vec<Finding> = PAIRS
        .iter()
        .map(|pair| Finding::of(format!("`{}`: {}", pair.operation.id(), pair.what), often(pair)))
        .collect();
    for (name, program) in programs {
        let folder = in_memory()?;
        let database = folder.path().join("care.db");
        heavy::fill(&database, sizes)?;
        let server = Server::start(program, &database)?;
        let waited = wait(&server, || {
            thread::sleep(Duration::from_secs(1) / sizes.part as u32);
            Ok(())
        })?;
        server.end()?;
        note(&mut quiet, name, &said(waited));
        let mut number = FREE;
        for (pair, finding) in PAIRS.iter().zip(&mut findings) {
            let one = measure(pair, sizes, bars, program, &database, &mut number);
            let (words, missed) = one.unwrap_or_else(|failure| ("not measured".to_owned(), vec![failure.to_string()]));
            // This shows progress, because the table is printed only much later.
            eprintln!("`{}` on {name}: {words}", pair.operation.id());
            note(finding, name, &words);
            finding.missed.extend(missed.into_iter().map(|missed| format!("{name}: {missed}")));
        }
    }
    findings.insert(0, quiet);
    Ok(findings)
}

fn often(pair: &Pair) -> String {
    format!("{} and more beside {} ordinary ones", pair.most.1, pair.most.0)
}

/// Notes what was found on one server.
pub(crate) fn note(finding: &mut Finding, name: &str, words: &str) {
    let separator = if finding.found.is_empty() { "" } else { "; " };
    finding.found += &format!("{separator}{name}: {words}");
}

/// Puts waits into words.
pub(crate) fn said(WaitTimes { median, longest }: WaitTimes) -> String {
    let [median, longest] = [median, longest].map(|wait| wait.as_secs_f64() * 1e3);
    format!("{median:.1} ms, {longest:.0} ms at most")
}

fn measure(
    pair: &Pair,
    sizes: &Sizes,
    bars: &Bars,
    program: &Program,
    database: &Path,
    number: &mut u64,
) -> Result<(String, Vec<String>), Failure> {
    let server = Server::start(program, database)?;
    let mut port = Wire::new(server.address);
    let last = number_of(database, "SELECT max(seq) FROM journal")?;
    let tracked = number_of(database, "SELECT ifnull(min(seq), 0) FROM skip_pointer WHERE kind = 'Stock' AND seq > 0")?;
    let maker = Maker { port: &mut port, sizes, last, tracked, is_first: true };
    let mut scales = Scales { server: &server, database, wire: Wire::new(server.address), maker, number };
    let memory = scales.memory(pair.dearest)?;
    let [ordinary, alike, dearest] =
        scales.weigh([(pair.ordinary, pair.most.0), (pair.alike, pair.most.1), (pair.dearest, pair.most.1)])?;
    let batch = scales.batch(pair.dearest, pair.most.1.div_ceil(sizes.part))?;
    let wire = &mut scales.wire;
    let waited = wait(&server, || batch.iter().try_for_each(|request| ask(wire, request.clone()).map(drop)))?;
    drop(scales);

    let times = |other: Cost| dearest.each() / other.each();
    let of_its_bytes = times(alike) / (pair.parts)(sizes) as f64;
    let growth = dearest.grown as f64 / dearest.sent as f64;
    let words = format!(
        "{:.2} ms ({:.1}, {of_its_bytes:.1}), {:.1} MiB, {growth:.1} bytes, {}",
        dearest.each() * 1e3,
        times(ordinary),
        memory as f64 / f64::from(1 << 20),
        said(waited),
    );
    let mut held = Finding::default();
    held.bar(of_its_bytes <= bars.times, || format!("{of_its_bytes:.1} times an ordinary one of its bytes"));
    held.bar(memory <= bars.memory, || format!("{memory} bytes of memory"));
    held.bar(growth <= bars.growth, || format!("the file grows by {growth:.1} bytes for each byte sent"));
    held.bar(waited.longest <= bars.wait, || format!("another's write waits {:?}", waited.longest));
    let ended = server.end()?.after;
    held.bar(ended <= bars.stop, || format!("it ended after {ended:?}"));
    Ok((words, held.missed))
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
    fn batch(&mut self, make: Make, count: u64) -> Result<Vec<Request>, Failure> {
        let made = (0..count).map(|nth| {
            *self.number += 1;
            self.maker.is_first = nth == 0;
            make(&mut self.maker, *self.number)
        });
        made.collect()
    }

    /// Returns the cost of each kind. Batches of the kinds take turns until the costs are known well enough.
    fn weigh(&mut self, kinds: [(Make, u64); 3]) -> Result<[Cost; 3], Failure> {
        let mut costs = [Cost::default(); 3];
        let part = self.maker.sizes.part;
        for _ in 0..BATCHES.div_ceil(part) {
            for ((make, count), cost) in kinds.into_iter().zip(&mut costs) {
                if cost.processor > ENOUGH {
                    continue;
                }
                let batch = self.batch(make, count.div_ceil(part))?;
                let (before, length) = (self.server.processor()?, pages(self.database)?);
                for request in &batch {
                    cost.sent += Wire::written(request).len() + REQUEST;
                    ask(&mut self.wire, request.clone())?;
                }
                cost.processor += self.server.processor()? - before;
                cost.grown += pages(self.database)?.saturating_sub(length);
                cost.requests += batch.len() as u32;
            }
        }
        Ok(costs)
    }

    /// Returns the memory that the first request takes, which shows only once.
    fn memory(&mut self, make: Make) -> Result<u64, Failure> {
        let first = self.batch(make, 1)?;
        memory(self.server, || first.into_iter().try_for_each(|request| ask(&mut self.wire, request).map(drop)))
    }
}

/// Returns the most additional memory that a server takes for this work, in bytes.
pub(crate) fn memory(server: &Server, work: impl FnOnce() -> Result<(), Failure>) -> Result<u64, Failure> {
    let resident = server.memory()?;
    server.forget_peak()?;
    work()?;
    Ok(server.peak()?.saturating_sub(resident))
}

/// Returns how long another client waits for the answers to its writes during this work.
pub(crate) fn wait(server: &Server, work: impl FnOnce() -> Result<(), Failure>) -> Result<WaitTimes, Failure> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let other = scope.spawn(|| -> Result<WaitTimes, Failure> {
            let (mut wire, mut waits) = (Wire::new(server.address), Vec::new());
            for phone in 1_u64.. {
                let body = format!(r#"{{"patientId":{},"phone":{}}}"#, heavy::ORDINARY, phone % 999 + 1);
                let sent = Instant::now();
                ask(&mut wire, Request::new("PUT", "/patient").body(body))?;
                waits.push(sent.elapsed());
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                thread::sleep(PAUSE);
            }
            waits.sort_unstable();
            let (median, longest) = (waits[waits.len() / 2], waits.last().copied().unwrap_or_default());
            Ok(WaitTimes { median, longest })
        });
        let worked = work();
        is_over.store(true, Ordering::Relaxed);
        worked?;
        other.join().map_err(|_| Failure::new("the other client panicked"))?
    })
}

/// Returns the length of the file, including the pages that are only in the log.
pub(crate) fn pages(database: &Path) -> Result<u64, Failure> {
    Ok(number_of(database, "PRAGMA page_count")? * 4096)
}

pub(crate) fn number_of(database: &Path, question: &str) -> Result<u64, Failure> {
    let conn = Connection::open(database).map_err(|error| Failure::new(error.to_string()))?;
    let number = conn.query_row(question, [], |row| row.get::<_, i64>(0));
    number.map(i64::unsigned_abs).map_err(|error| Failure::new(error.to_string()))
}
