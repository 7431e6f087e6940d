//! What the dearest request of each operation costs, beside an ordinary one.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::{
    Bars, Sizes,
    crowd::end,
    dearest::{Make, Maker, PAIRS, Pair},
    heavy::{self, FREE},
};
use crate::{
    asked::Request, clients::ask, failure::Failure, finding::Finding, power::in_memory, process::Server,
    programs::Program, wire::Wire,
};

/// So much processor time is enough to tell, in the steps of the system.
const ENOUGH: Duration = Duration::from_millis(200);
/// Fewer batches than these are measured.
const BATCHES: u64 = 6;
/// A step of the system's count.
const STEP: Duration = Duration::from_millis(10);
/// The other client writes again so soon.
const PAUSE: Duration = Duration::from_millis(2);

/// What requests of one kind cost, each of them.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    processor: Duration,
    /// Bytes that were sent and answered.
    bytes: f64,
    /// By how many bytes the file grew for each that was sent.
    growth: f64,
}

/// Measures every operation on both servers over the same clinic.
///
/// # Errors
/// What cannot be measured; bars that are not met are in the findings.
pub fn requests(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let mut findings: Vec<Finding> =
        PAIRS.iter().map(|pair| Finding::of(format!("`{}`: {}", pair.operation, pair.what), often(pair))).collect();
    for (name, program) in programs {
        let folder = in_memory()?;
        let database = folder.path().join("care.db");
        heavy::fill(&database, sizes)?;
        let mut number = FREE;
        for (pair, finding) in PAIRS.iter().zip(&mut findings) {
            let one = measure(pair, sizes, bars, program, &database, &mut number);
            let (words, missed) = one.unwrap_or_else(|failure| ("not measured".to_owned(), vec![failure.to_string()]));
            let separator = if finding.found.is_empty() { "" } else { "; " };
            finding.found += &format!("{separator}{name}: {words}");
            finding.missed.extend(missed.into_iter().map(|missed| format!("{name}: {missed}")));
        }
    }
    Ok(findings)
}

fn often(pair: &Pair) -> String {
    format!("{} and more beside {} ordinary ones", pair.most.1, pair.most.0)
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
    let maker = Maker { port: &mut port, sizes, last, is_first: true };
    let mut scales = Scales { server: &server, database, wire: Wire::new(server.address), maker, number };
    let ordinary = scales.weigh(pair.ordinary, pair.most.0)?;
    let memory = scales.memory(pair.dearest)?;
    let dearest = scales.weigh(pair.dearest, pair.most.1)?;
    let batch = scales.batch(pair.dearest, pair.most.1.div_ceil(sizes.part))?;
    let wait = wait(&server, &mut scales.wire, &batch)?;
    drop(scales);

    let (times, growth) = (dearest.processor.as_secs_f64() / ordinary.processor.as_secs_f64(), dearest.growth);
    let of_its_bytes = times / (dearest.bytes / ordinary.bytes).max(1.0);
    let words = format!(
        "{:.2} ms ({times:.1}, {of_its_bytes:.1}), {:.1} MiB, {growth:.1} bytes, {:.0} ms",
        dearest.processor.as_secs_f64() * 1e3,
        memory as f64 / f64::from(1 << 20),
        wait.as_secs_f64() * 1e3,
    );
    let mut held = Finding::default();
    held.bar(of_its_bytes <= bars.times, || format!("{of_its_bytes:.1} times an ordinary one of its bytes"));
    held.bar(memory <= bars.memory, || format!("{memory} bytes of memory"));
    held.bar(growth <= bars.growth, || format!("the file grows by {growth:.1} bytes for each byte sent"));
    held.bar(wait <= bars.wait, || format!("another's write waits {wait:?}"));
    let ended = end(server)?;
    held.bar(ended <= bars.stop, || format!("it ended after {ended:?}"));
    Ok((words, held.missed))
}

/// What requests are weighed with.
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

    /// What each of them costs; batches of so many until that is known well enough.
    fn weigh(&mut self, make: Make, count: u64) -> Result<Cost, Failure> {
        let (mut total, mut requests, mut sent, mut grown) = (Cost::default(), 0, 0, 0);
        let part = self.maker.sizes.part;
        for _ in 0..BATCHES.div_ceil(part) {
            let batch = self.batch(make, count.div_ceil(part))?;
            let (before, length) = (self.server.processor()?, pages(self.database)?);
            for request in &batch {
                let written = Wire::written(request).len();
                total.bytes += (written + ask(&mut self.wire, request.clone())?.body.len()) as f64;
                sent += written;
            }
            total.processor += self.server.processor()? - before;
            grown += pages(self.database)?.saturating_sub(length);
            requests += batch.len() as u32;
            if total.processor > ENOUGH {
                break;
            }
        }
        let (bytes, growth) = (total.bytes / f64::from(requests), grown as f64 / sent as f64);
        Ok(Cost { processor: total.processor.max(STEP / 2) / requests, bytes, growth })
    }

    /// What memory the first one takes: it shows only once.
    fn memory(&mut self, make: Make) -> Result<u64, Failure> {
        let first = self.batch(make, 1)?;
        let resident = self.server.memory()?;
        self.server.forget_peak()?;
        first.into_iter().try_for_each(|request| ask(&mut self.wire, request).map(drop))?;
        Ok(self.server.peak()?.saturating_sub(resident))
    }
}

/// How long another client waits at most for the answer to a write while these are asked for.
pub(crate) fn wait(server: &Server, wire: &mut Wire, batch: &[Request]) -> Result<Duration, Failure> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let other = scope.spawn(|| -> Result<Duration, Failure> {
            let (mut wire, mut longest) = (Wire::new(server.address), Duration::ZERO);
            for phone in 1_u64.. {
                let body = format!(r#"{{"patientId":{},"phone":{}}}"#, heavy::ORDINARY, phone % 999 + 1);
                let sent = Instant::now();
                ask(&mut wire, Request::new("PUT", "/patient").body(body))?;
                longest = longest.max(sent.elapsed());
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                thread::sleep(PAUSE);
            }
            Ok(longest)
        });
        let asked = batch.iter().try_for_each(|request| ask(wire, request.clone()).map(drop));
        is_over.store(true, Ordering::Relaxed);
        asked?;
        other.join().map_err(|_| Failure::new("the other client panicked"))?
    })
}

/// How long the file is, with what only the log has of it.
pub(crate) fn pages(database: &Path) -> Result<u64, Failure> {
    Ok(number_of(database, "PRAGMA page_count")? * 4096)
}

fn number_of(database: &Path, question: &str) -> Result<u64, Failure> {
    let conn = Connection::open(database).map_err(|error| Failure::new(error.to_string()))?;
    let number = conn.query_row(question, [], |row| row.get::<_, i64>(0));
    number.map(i64::unsigned_abs).map_err(|error| Failure::new(error.to_string()))
}
