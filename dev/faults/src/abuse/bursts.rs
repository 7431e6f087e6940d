//! Connections without a key that come and go in bursts, and a flood of the metrics address.

use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{
    cost::heavy::ORDINARY,
    other::{change, for_a_while, other},
};
use crate::{Clinic, Finding, Over, Program, Request, Result, Run, Server, ask, beside, ensure, ms, percentile, probe};

/// The number of threads that make bursts at once.
const ATTACKERS: usize = 2;
/// Most connections in a burst.
const BURST: usize = 1_500;
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

/// Opens and drops connections without a key beside a client with one, and floods the metrics address with clients that
/// do not read.
pub(crate) fn bursts(run: &Run) -> Result<Vec<Finding>> {
    care_testkit::allow_many_files();
    let (burst, lasts) = (BURST.min(run.sizes.connections), if run.sizes.part > 1 { 1 } else { 6 });
    let often = format!("bursts of {burst} by each of {ATTACKERS} threads for {lasts} s");
    let lasts = Duration::from_secs(lasts);
    let mut findings = Vec::new();
    for (what, text) in KINDS {
        let mut finding = Finding::of(format!("connections without a key {what}"), &often);
        for (name, program) in &run.programs {
            let (clinic, server) = Clinic::known(program)?;
            let (count, waits) = attack(server.address, burst, text, || fare(&server, lasts))?;
            note(&mut finding, name, &format!("{count} connections"), &waits, run);
            drop(clinic);
        }
        findings.push(finding);
    }
    let figures = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(20);
    let mut finding = Finding::of("connections to the address of `--metrics` that read nothing", &often);
    for (name, program) in &run.programs {
        let (clinic, server) = Clinic::known(&program.with(&["--metrics", "127.0.0.1:0"]))?;
        let address = server.metrics()?;
        let (count, (longest, waits)) = attack(address, burst, &figures, || {
            let (mut longest, begun) = (Duration::ZERO, Instant::now());
            while begun.elapsed() < lasts {
                // `/writer` answers 503 until the server has written something.
                for (path, healthy) in [("/alive", &[200][..]), ("/ready", &[200]), ("/writer", &[200, 503])] {
                    let (status, wait) = probe(address, path)?;
                    ensure!(healthy.contains(&status), "{path} is answered {status}");
                    longest = longest.max(wait);
                }
                thread::sleep(Duration::from_millis(2));
            }
            Ok((longest, fare(&server, lasts)?))
        })?;
        note(&mut finding, name, &format!("{count} connections, a probe {:.0} ms at most", ms(longest)), &waits, run);
        finding.takes(name, "a probe waits", longest, run.bars.probe);
        drop(clinic);
    }
    findings.push(finding);
    Ok(findings)
}

/// Runs `act` while attackers open connections to this address, send the text, and drop a whole burst at once. Returns
/// how many connections they made.
fn attack<T>(address: SocketAddr, burst: usize, text: &str, act: impl FnOnce() -> Result<T>) -> Result<(usize, T)> {
    let count = AtomicUsize::new(0);
    let attacker = |_, over: &Over| {
        while !over.is() {
            let mut held = Vec::new();
            while held.len() < burst && !over.is() {
                let Ok(mut connection) = TcpStream::connect_timeout(&address, PATIENCE) else {
                    break;
                };
                // The server may refuse or close any of them.
                let _ = connection.set_nonblocking(true).and_then(|()| connection.write(text.as_bytes()));
                held.push(connection);
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    let (_, done) = beside(ATTACKERS, attacker, act)?;
    let count = count.into_inner();
    ensure!(count > 0, "no connection was made");
    Ok((count, done))
}

impl Clinic {
    /// Starts a server on a new database that has the ordinary patient.
    fn known(program: &Program) -> Result<(Self, Server)> {
        let clinic = Self::new()?;
        let server = Server::start(program, &clinic.database())?;
        ask(&mut server.port(), Request::registration(ORDINARY))?;
        Ok((clinic, server))
    }
}

/// Writes with a key over one kept connection, and returns how long each write waited, sorted.
fn fare(server: &Server, lasts: Duration) -> Result<Vec<Duration>> {
    let mut kept = server.port();
    // The server does not know a new connection until its first answer.
    ask(&mut kept, Request::get("/patient/1"))?;
    let ([waits], ()) = other(kept, [change], || for_a_while(lasts))?;
    Ok(waits)
}

fn note(finding: &mut Finding, name: &str, beside: &str, waits: &[Duration], run: &Run) {
    let [half, most, longest] = [50, 99, 100].map(|share| percentile(waits, share));
    let words = format!(
        "{beside}; of {} writes half wait {:.1} ms at most, 99 in 100 {:.0} ms, the longest {:.0} ms",
        waits.len(),
        ms(half),
        ms(most),
        ms(longest)
    );
    finding.note(name, &words);
    finding.takes(name, "one write in a hundred waits more than", most, run.bars.wait);
}
