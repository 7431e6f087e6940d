//! Thousands of connections in each stage of a request, and a client with a key beside them.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use care_testkit::{allow_many_files, until};

use super::{Bars, Sizes};
use crate::{
    base::{attempt::Request, failure::Failure, finding::Finding, process::Server, programs::Program, wire::Wire},
    work::{clients::ask, clinic::Clinic},
};

/// Requests of the client with a key beside each crowd.
const MEASURED: u64 = 200;
/// Connections that are opened before the server has accepted them: as many as the system's queue holds.
const AT_A_TIME: usize = 100;
/// Longer than a server takes to close a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// The progress of a crowd's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    NoHead,
    HalfAHead,
    HeadersWithoutBody,
    StalledBehindTheDocument,
    StalledWithAForeignKey,
    StalledWithAKey,
    ChunkedWithAKey,
    AnswersUnread,
}

impl Stage {
    const ALL: [Self; 8] = [
        Self::NoHead,
        Self::HalfAHead,
        Self::HeadersWithoutBody,
        Self::StalledBehindTheDocument,
        Self::StalledWithAForeignKey,
        Self::StalledWithAKey,
        Self::ChunkedWithAKey,
        Self::AnswersUnread,
    ];

    const fn what(self) -> &'static str {
        match self {
            Self::NoHead => "that send nothing",
            Self::HalfAHead => "with half a head",
            Self::HeadersWithoutBody => "with a head that promises a body, without a key",
            Self::StalledBehindTheDocument => {
                "with a chunked body that stalls behind `GET /openapi.json`, without a key"
            }
            Self::StalledWithAForeignKey => "with a body that stalls, and a key that is none",
            Self::StalledWithAKey => "with a body that stalls, and a key",
            Self::ChunkedWithAKey => "with a chunked body that stalls, and a key",
            Self::AnswersUnread => "that read no answers, without a key",
        }
    }

    fn sent(self) -> String {
        let head = |line: &str, more: &str| format!("{line} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n");
        let json = "Content-Type: application/json\r\n";
        let chunked = "Transfer-Encoding: chunked\r\n";
        match self {
            Self::NoHead => String::new(),
            Self::HalfAHead => "POST /1.0.0/patient HTTP/1.1\r\nHost: localh".to_owned(),
            Self::HeadersWithoutBody => head("POST /1.0.0/patient", &format!("{json}Content-Length: 60000\r\n")),
            Self::StalledBehindTheDocument => head("GET /1.0.0/openapi.json", chunked) + "5\r\nstall\r\n",
            Self::StalledWithAForeignKey => {
                head("POST /1.0.0/patient", &format!("api_key: foreign\r\n{json}Content-Length: 60000\r\n")) + "{"
            }
            Self::StalledWithAKey => {
                head("POST /1.0.0/patient", &format!("api_key: secret\r\n{json}Content-Length: 60000\r\n")) + "{"
            }
            Self::ChunkedWithAKey => {
                head("POST /1.0.0/patient", &format!("api_key: secret\r\n{json}{chunked}")) + "1\r\n{\r\n"
            }
            Self::AnswersUnread => head("GET /1.0.0/openapi.json", "").repeat(20),
        }
    }
}

/// The service that a client with a key gets.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fare {
    /// Requests that were answered correctly.
    pub(crate) answered: u64,
    /// All other requests.
    pub(crate) refused: u64,
    /// Its longest wait.
    pub(crate) longest: Duration,
}

/// Holds a crowd in each stage while a client with a key sends requests, and then tells the server to stop.
///
/// # Errors
/// The reason why it cannot be measured. Bars that are missed are in the findings.
pub fn crowds(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    allow_many_files();
    let mut findings = Vec::new();
    for stage in Stage::ALL {
        let what = format!("connections {}", stage.what());
        let mut finding = Finding::of(what, format!("{} at once on each server", sizes.connections));
        for (name, program) in programs {
            let clinic = Clinic::new()?;
            let server = Server::start(program, &clinic.database())?;
            clinic.stock(&mut Wire::new(server.address))?;
            let before = server.memory()?;
            let held = hold(&server, &stage.sent(), sizes.connections)?;
            let fared = fare(&server, MEASURED);
            let memory = server.memory()?.saturating_sub(before) / sizes.connections as u64;
            // The short run skips the stop, which takes seconds in each stage.
            let ended = if sizes.part > 1 { server.kill().map(|()| Duration::ZERO)? } else { server.end()?.after };
            drop(held);
            note(&mut finding, name, fared, bars);
            finding.found += &format!(", {memory} bytes a connection, ended after {:.1} s", ended.as_secs_f64());
            finding.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
            clinic.prove()?;
        }
        findings.push(finding);
    }
    Ok(findings)
}

/// Opens connections that have sent this text.
pub(crate) fn hold(server: &Server, text: &str, count: usize) -> Result<Vec<TcpStream>, Failure> {
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
pub(crate) fn fare(server: &Server, requests: u64) -> Fare {
    let (mut kept, mut fared) = (Wire::new(server.address), Fare::default());
    for number in 0..requests {
        let request = match number % 2 {
            0 => Request::new("POST", "/patient").body("{}"),
            _ => Request::new("GET", "/inventory/Ibuprofen"),
        };
        let mut fresh = Wire::new(server.address);
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

pub(crate) fn note(finding: &mut Finding, name: &str, fared: Fare, bars: &Bars) {
    let Fare { answered, refused, longest } = fared;
    let separator = if finding.found.is_empty() { "" } else { "; " };
    let longest_ms = longest.as_secs_f64() * 1e3;
    finding.found += &format!(
        "{separator}{name}: with a key {answered} answered, {refused} refused, the longest wait {longest_ms:.0} ms"
    );
    finding.bar(refused == 0, || format!("{name}: {refused} requests with a key are refused"));
    finding.bar(longest <= bars.wait, || format!("{name}: a request with a key waits {longest:?}"));
}

/// Waits until the server has closed the files and connections of the crowd.
pub(crate) fn let_go(server: &Server, before: usize) -> bool {
    until(PATIENCE, || server.open_files().is_ok_and(|open| open <= before))
}

/// Returns the status of an answer, if one has arrived.
pub(crate) fn status(connection: &TcpStream) -> Option<u16> {
    let (mut connection, mut line) = (connection, [0; "HTTP/1.1 200".len()]);
    let read = connection.read(&mut line).ok()?;
    std::str::from_utf8(&line[..read]).ok()?.rsplit(' ').next()?.parse().ok()
}
