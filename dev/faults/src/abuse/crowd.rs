//! Thousands of connections in each stage of a request, and a client with a key beside them.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use care_testkit::{allow_many_files, until};

use crate::{Clinic, Finding, Request, Result, Run, Server, Wire, ask, ms};

/// Requests of the client with a key beside each crowd.
const MEASURED: u64 = 200;
/// Connections that are opened before the server has accepted them: as many as the system's queue holds.
const AT_A_TIME: usize = 100;

/// The progress of a crowd's requests: what it is called, the head as far as it is sent, and what is sent of the body.
const STAGES: [(&str, &str, &str); 8] = [
    ("that send nothing", "", ""),
    ("with half a head", "POST /1.0.0/patient HTTP/1.1\r\nHost: localh", ""),
    (
        "with a head that promises a body, without a key",
        "POST /1.0.0/patient HTTP/1.1\r\nHost: localhost\r\n{promise}",
        "",
    ),
    (
        "with a chunked body that stalls behind `GET /openapi.json`, without a key",
        "GET /1.0.0/openapi.json HTTP/1.1\r\nHost: localhost\r\n{chunked}",
        "5\r\nstall\r\n",
    ),
    (
        "with a body that stalls, and a key that is none",
        "POST /1.0.0/patient HTTP/1.1\r\nHost: localhost\r\napi_key: foreign\r\n{promise}",
        "{",
    ),
    (
        "with a body that stalls, and a key",
        "POST /1.0.0/patient HTTP/1.1\r\nHost: localhost\r\napi_key: secret\r\n{promise}",
        "{",
    ),
    (
        "with a chunked body that stalls, and a key",
        "POST /1.0.0/patient HTTP/1.1\r\nHost: localhost\r\napi_key: secret\r\n{chunked}",
        "1\r\n{\r\n",
    ),
    (UNREAD, "GET /1.0.0/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", ""),
];
/// The stage whose request is sent again and again.
const UNREAD: &str = "that read no answers, without a key";

/// Returns what a connection in this stage has sent.
fn sent((what, head, body): (&str, &str, &str)) -> String {
    let promise = "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n";
    let chunked = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let text = head.replace("{promise}", promise).replace("{chunked}", chunked) + body;
    if what == UNREAD { text.repeat(20) } else { text }
}

/// The service that a client with a key gets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fare {
    /// Requests that were answered correctly.
    pub(super) answered: u64,
    /// All other requests.
    pub(super) refused: u64,
    /// Its longest wait.
    pub(super) longest: Duration,
}

/// Holds a crowd in each stage while a client with a key sends requests, and then tells the server to stop.
pub(crate) fn crowds(run: &Run) -> Result<Vec<Finding>> {
    allow_many_files();
    let (mut findings, connections) = (Vec::new(), run.sizes.connections);
    for stage in STAGES {
        let what = format!("connections {}", stage.0);
        let mut finding = Finding::of(what, format!("{connections} at once on each server"));
        for (name, program) in &run.programs {
            let clinic = Clinic::new()?;
            let server = clinic.serve(program)?;
            let before = server.memory()?;
            let held = hold(&server, &sent(stage), connections)?;
            note(&mut finding, name, fare(&server, MEASURED), run);
            let memory = server.memory()?.saturating_sub(before) / connections as u64;
            // The short run skips the stop, which takes seconds in each stage.
            let ended = if run.sizes.part > 1 { server.kill().map(|()| Duration::ZERO)? } else { server.end()?.after };
            drop(held);
            finding.found += &format!(", {memory} bytes a connection, ended after {:.1} s", ended.as_secs_f64());
            finding.takes(name, "ended after", ended, run.bars.stop);
            clinic.prove()?;
        }
        findings.push(finding);
    }
    Ok(findings)
}

/// Opens connections that have sent this text.
pub(super) fn hold(server: &Server, text: &str, count: usize) -> Result<Vec<TcpStream>> {
    let before = server.open_files()?;
    let mut held = Vec::new();
    for number in 1..=count {
        let mut connection = Wire::connected(server.address)?;
        connection.set_nonblocking(true)?;
        match connection.write(text.as_bytes()) {
            Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error.into()),
            _ => held.push(connection),
        }
        if number % AT_A_TIME == 0 {
            // Some of them may already have been answered and closed.
            until(Duration::from_millis(200), || server.open_files().is_ok_and(|open| open >= before + number));
        }
    }
    Ok(held)
}

/// Writes and reads with a key, over a new connection each time and over one that is kept.
pub(super) fn fare(server: &Server, requests: u64) -> Fare {
    let (mut kept, mut fared) = (server.port(), Fare::default());
    for number in 0..requests {
        let request = match number % 2 {
            0 => Request::new("POST", "/patient").body("{}"),
            _ => Request::get("/inventory/Ibuprofen"),
        };
        let mut fresh = server.port();
        let sent = Instant::now();
        let is_answered = ask(if number % 4 < 2 { &mut kept } else { &mut fresh }, request).is_ok();
        fared.longest = fared.longest.max(sent.elapsed());
        match is_answered {
            true => fared.answered += 1,
            false => fared.refused += 1,
        }
        if sent.elapsed() > Duration::from_secs(5) {
            // There is no need to wait that long two hundred times.
            break;
        }
    }
    fared
}

pub(super) fn note(finding: &mut Finding, name: &str, Fare { answered, refused, longest }: Fare, run: &Run) {
    let waits = ms(longest);
    let words = format!("with a key {answered} answered, {refused} refused, the longest wait {waits:.0} ms");
    finding.note(name, &words);
    finding.bar(refused == 0, || format!("{name}: {refused} requests with a key are refused"));
    finding.takes(name, "a request with a key waits", longest, run.bars.wait);
}

/// Returns the status of an answer, if one has arrived.
pub(super) fn status(connection: &TcpStream) -> Option<u16> {
    let (mut connection, mut line) = (connection, [0; "HTTP/1.1 200".len()]);
    let read = connection.read(&mut line).ok()?;
    std::str::from_utf8(&line[..read]).ok()?.rsplit(' ').next()?.parse().ok()
}
