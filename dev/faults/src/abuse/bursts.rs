//! Connections without a key that come and go in bursts, and a flood of the metrics address.

use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{
    WAIT,
    cost::heavy::ORDINARY,
    crowd::written,
    other::{change, for_a_while, other},
};
use crate::{Clinic, Finding, Over, Request, Result, Run, Server, ask, beside, ensure, ms, percentile, probe};

/// The number of threads that make bursts at once.
const ATTACKERS: usize = 2;
/// Most connections in a burst.
const BURST: usize = 1_500;
/// Longest time for a connection attempt: a server may be slow to accept.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest time in which a probe must be answered.
const PROBE: Duration = Duration::from_secs(1);

/// The requests of a burst in [short](written), and how often each is sent.
const KINDS: [(&str, &str, usize); 5] = [
    ("without a key that ask for `/openapi.json` and leave", "GET /1.0.0/openapi.json{host}\r\n", 1),
    (
        "without a key that ask for `/openapi.json`, stall in a body, and leave",
        "GET /1.0.0/openapi.json{host}{chunked}5\r\nstall\r\n",
        1,
    ),
    (
        "without a key that ask for a patient, stall in a body, and leave",
        "GET /1.0.0/patient/1{host}{chunked}5\r\nstall\r\n",
        1,
    ),
    ("with a wrong key that ask for a patient", "GET /1.0.0/patient/1{host}{foreign}\r\n", 1),
    ("to the address of `--metrics` that read nothing", "GET /metrics{host}\r\n", 20),
];

/// Opens and drops connections without a key beside a client with one, and floods the metrics address with clients that
/// do not read.
pub(crate) fn bursts(run: &Run) -> Result<Vec<Finding>> {
    care_testkit::allow_many_files();
    let (burst, lasts) = (BURST.min(run.sizes.connections), if run.sizes.are_short() { 1 } else { 6 });
    let often = format!("bursts of {burst} by each of {ATTACKERS} threads for {lasts} s");
    let lasts = Duration::from_secs(lasts);
    let rows = KINDS.into_iter().map(|(what, short, times)| {
        let (text, is_probed) = (written(short).repeat(times), short.contains("/metrics"));
        run.measured(Finding::of(format!("connections {what}"), &often), |part| {
            // The client beside them has the same address, which wrong keys lock, and was there before.
            let locks = ["--max-failed-keys", "10"];
            let program = match (is_probed, short.contains("{foreign}")) {
                (true, _) => part.program.with(&["--metrics", "127.0.0.1:0"]),
                (false, true) => part.program.with(&locks),
                (false, false) => part.program.clone(),
            };
            let clinic = Clinic::new()?;
            let server = Server::start(&program, &clinic.database())?;
            ask(&mut server.port(), Request::registration(ORDINARY))?;
            let address = if is_probed { server.metrics()? } else { server.address };
            let (count, (probed, waits)) = attack(address, burst, &text, || {
                let longest = if is_probed { Some(probes(address, lasts)?) } else { None };
                Ok((longest, fare(&server, lasts)?))
            })?;
            let words = probed.map(|longest| format!(", a probe {:.0} ms at most", ms(longest)));
            let [half, most, longest] = [50, 99, 100].map(|share| percentile(&waits, share));
            part.note(&format!(
                "{count} connections{}; of {} writes half wait {:.1} ms at most, 99 in 100 {:.0} ms, the longest \
                 {:.0} ms",
                words.unwrap_or_default(),
                waits.len(),
                ms(half),
                ms(most),
                ms(longest)
            ));
            part.takes("one write in a hundred waits more than", most, WAIT);
            part.takes("a probe waits", probed.unwrap_or_default(), PROBE);
            Ok(())
        })
    });
    rows.collect()
}

/// Probes the server for this time, and returns the longest wait.
fn probes(metrics: SocketAddr, lasts: Duration) -> Result<Duration> {
    let (mut longest, begun) = (Duration::ZERO, Instant::now());
    while begun.elapsed() < lasts {
        // `/writer` answers 503 until the server has written something.
        for (path, healthy) in [("/alive", &[200][..]), ("/ready", &[200]), ("/writer", &[200, 503])] {
            let (status, wait) = probe(metrics, path)?;
            ensure!(healthy.contains(&status), "{path} is answered {status}");
            longest = longest.max(wait);
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(longest)
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

/// Writes with a key over one kept connection, and returns how long each write waited, sorted.
fn fare(server: &Server, lasts: Duration) -> Result<Vec<Duration>> {
    let mut kept = server.port();
    // The server does not know a new connection until its first answer.
    ask(&mut kept, Request::get("/patient/1"))?;
    let ([waits], ()) = other(kept, [change], || for_a_while(lasts))?;
    Ok(waits)
}
