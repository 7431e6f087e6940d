//! Connections without a key that come and go in bursts, and a flood of the address of the figures.

use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{Bars, Sizes, crowd::allow_many};
use crate::{
    base::{
        attempt::Request,
        failure::{Failure, ensure},
        finding::Finding,
        process::Server,
        programs::Program,
        vitals::probe,
        wire::Wire,
    },
    work::{clients::ask, clinic::Clinic},
};

/// The number of threads that make bursts at once.
const ATTACKERS: usize = 2;
/// The highest number of connections of a burst.
const BURST: usize = 1_500;
/// The client with a key asks again after this time.
const PAUSE: Duration = Duration::from_millis(2);
/// A connection attempt may take this long: a server may be slow to accept.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest time in which a probe may be answered.
const PROBE: Duration = Duration::from_secs(1);

/// The requests of a burst.
const KINDS: [(&str, &str); 3] = [
    ("that ask for `/openapi.json` and leave", "GET /1.0.0/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    (
        "that ask for `/openapi.json`, stall in a body, and leave",
        "GET /1.0.0/openapi.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nstall\r\n",
    ),
    (
        "that ask for a patient, stall in a body, and leave",
        "GET /1.0.0/patient/1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nstall\r\n",
    ),
];

/// Lets connections without a key come and go beside a client with one, and floods the address of the figures.
///
/// # Errors
/// The reason why it cannot be measured. Bars that are not met are in the findings.
pub fn bursts(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    allow_many();
    let (burst, lasts) = (BURST.min(sizes.connections), Duration::from_secs(if sizes.part > 1 { 1 } else { 6 }));
    let mut findings = Vec::new();
    for (what, text) in KINDS {
        let how_often = format!("bursts of {burst} by each of {ATTACKERS} threads for {} s", lasts.as_secs());
        let mut finding = Finding::of(format!("connections without a key {what}"), how_often);
        for (name, program) in programs {
            let clinic = Clinic::new()?;
            let server = Server::start(program, &clinic.database())?;
            let (count, waits) = beside(server.address, burst, text, || fare(&server, lasts))?;
            note(&mut finding, name, &format!("{count} connections"), waits?, bars);
        }
        findings.push(finding);
    }
    findings.push(flood(burst, lasts, bars, programs)?);
    Ok(findings)
}

/// Lets clients that do not read flood the address of `--metrics`, and asks for probes there.
fn flood(burst: usize, lasts: Duration, bars: &Bars, programs: &[(&str, Program)]) -> Result<Finding, Failure> {
    const FIGURES: &str = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let how_often = format!("bursts of {burst} by each of {ATTACKERS} threads for {} s", lasts.as_secs());
    let mut finding = Finding::of("connections to the address of `--metrics` that read nothing", how_often);
    for (name, program) in programs {
        let clinic = Clinic::new()?;
        let mut program = program.clone();
        program.args.extend(["--metrics", "127.0.0.1:0"].map(str::to_owned));
        let server = Server::start(&program, &clinic.database())?;
        let figures = server.figures()?;
        let (count, measured) = beside(figures, burst, &FIGURES.repeat(20), || {
            let (mut longest, begun) = (Duration::ZERO, Instant::now());
            while begun.elapsed() < lasts {
                // `/writer` is 503 until something was written.
                for (path, healthy) in [("/alive", &[200][..]), ("/ready", &[200]), ("/writer", &[200, 503])] {
                    let (status, wait) = probe(figures, path)?;
                    ensure(healthy.contains(&status), || format!("{path} is answered {status}"))?;
                    longest = longest.max(wait);
                }
                thread::sleep(PAUSE);
            }
            Ok::<_, Failure>((longest, fare(&server, lasts)?))
        })?;
        let (longest, waits) = measured?;
        let probes = format!("{count} connections, a probe {:.0} ms at most", longest.as_secs_f64() * 1e3);
        note(&mut finding, name, &probes, waits, bars);
        finding.bar(longest <= PROBE, || format!("{name}: a probe waits {longest:?}"));
    }
    Ok(finding)
}

/// Does something while attackers make connections to this address that send the text, and drop all of a burst at once.
/// Returns how many connections they made.
fn beside<T>(address: SocketAddr, burst: usize, text: &str, act: impl FnOnce() -> T) -> Result<(usize, T), Failure> {
    let (is_over, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    let done = thread::scope(|scope| {
        for _ in 0..ATTACKERS {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let mut held = Vec::new();
                    while held.len() < burst && !is_over.load(Ordering::Relaxed) {
                        let Ok(mut connection) = TcpStream::connect_timeout(&address, PATIENCE) else {
                            break;
                        };
                        // The server may refuse or close any of them.
                        let _ = connection.set_nonblocking(true).and_then(|()| connection.write(text.as_bytes()));
                        held.push(connection);
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let done = act();
        is_over.store(true, Ordering::Relaxed);
        done
    });
    let count = count.into_inner();
    ensure(count > 0, || "no connection was made".to_owned())?;
    Ok((count, done))
}

/// Lets a client with a key write over a connection that it keeps, and returns how long it waited each time, in order.
fn fare(server: &Server, lasts: Duration) -> Result<Vec<Duration>, Failure> {
    let (mut kept, mut waits, begun) = (Wire::new(server.address), Vec::new(), Instant::now());
    // The first answer is that of a connection which is not known yet.
    ask(&mut kept, Request::new("POST", "/patient").body(r#"{"patientId":1}"#))?;
    while begun.elapsed() < lasts {
        let body = format!(r#"{{"patientId":1,"age":{}}}"#, waits.len() % 100);
        let sent = Instant::now();
        ask(&mut kept, Request::new("PUT", "/patient").body(body))?;
        waits.push(sent.elapsed());
        thread::sleep(PAUSE);
    }
    waits.sort_unstable();
    Ok(waits)
}

fn note(finding: &mut Finding, name: &str, beside: &str, waits: Vec<Duration>, bars: &Bars) {
    let of_hundred = |share| waits.get(waits.len().saturating_sub(1) * share / 100).copied().unwrap_or_default();
    let (half, most, longest) = (of_hundred(50), of_hundred(99), of_hundred(100));
    let ms = |wait: Duration| wait.as_secs_f64() * 1e3;
    let separator = if finding.found.is_empty() { "" } else { "; " };
    finding.found += &format!(
        "{separator}{name}: {beside}; of {} writes half wait {:.1} ms at most, 99 in 100 {:.0} ms, the longest {:.0} ms",
        waits.len(),
        ms(half),
        ms(most),
        ms(longest)
    );
    finding.bar(most <= bars.wait, || format!("{name}: one write in a hundred waits more than {most:?}"));
}
