//! Connections without a key that come and go in bursts, and a flood of the metrics address.

use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{Bars, Sizes};
use crate::{
    base::{
        attempt::Request,
        failure::{Failure, ensure},
        finding::Finding,
        process::{Server, probe},
        programs::Program,
        wire::Wire,
    },
    work::{clients::ask, clinic::Clinic},
};

/// The number of threads that make bursts at once.
const ATTACKERS: usize = 2;
/// Most connections in a burst.
const BURST: usize = 1_500;
/// Pause of the client with a key between two requests.
const PAUSE: Duration = Duration::from_millis(2);
/// Longest time for a connection attempt: a server may be slow to accept.
const PATIENCE: Duration = Duration::from_secs(1);

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

/// Opens and drops connections without a key beside a client with one, and floods the metrics address.
///
/// # Errors
/// The reason why it cannot be measured. Bars that are missed are in the findings.
pub fn bursts(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    care_testkit::allow_many_files();
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

/// Floods the address of `--metrics` with clients that do not read, and sends probes there.
fn flood(burst: usize, lasts: Duration, bars: &Bars, programs: &[(&str, Program)]) -> Result<Finding, Failure> {
    const FIGURES: &str = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let how_often = format!("bursts of {burst} by each of {ATTACKERS} threads for {} s", lasts.as_secs());
    let mut finding = Finding::of("connections to the address of `--metrics` that read nothing", how_often);
    for (name, program) in programs {
        let clinic = Clinic::new()?;
        let mut program = program.clone();
        program.args.extend(["--metrics", "127.0.0.1:0"].map(str::to_owned));
        let server = Server::start(&program, &clinic.database())?;
        let figures = server.metrics()?;
        let (count, measured) = beside(figures, burst, &FIGURES.repeat(20), || {
            let (mut longest, begun) = (Duration::ZERO, Instant::now());
            while begun.elapsed() < lasts {
                // `/writer` answers 503 until the server has written something.
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
        finding.bar(longest <= bars.probe, || format!("{name}: a probe waits {longest:?}"));
    }
    Ok(finding)
}

/// Runs `act` while attackers open connections to this address, send the text, and drop a whole burst at once. Returns
/// how many connections they made.
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

/// Writes with a key over one kept connection, and returns how long each write waited, sorted.
fn fare(server: &Server, lasts: Duration) -> Result<Vec<Duration>, Failure> {
    let (mut kept, mut waits, begun) = (Wire::new(server.address), Vec::new(), Instant::now());
    // The server does not know a new connection until its first answer.
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
        "{separator}{name}: {beside}; of {} writes half wait {:.1} ms at most, 99 in 100 {:.0} ms, the longest {:.0} \
         ms",
        waits.len(),
        ms(half),
        ms(most),
        ms(longest)
    );
    finding.bar(most <= bars.wait, || format!("{name}: one write in a hundred waits more than {most:?}"));
}
