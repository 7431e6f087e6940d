//! Thousands of connections in each stage of a request, and a client with a key beside them.

use std::{
    net::TcpStream,
    time::{Duration, Instant},
};

use care_testkit::{allow_many_files, until};

use super::{WAIT, measured::Measured};
use crate::{Clinic, Finding, Request, Result, Run, Server, Wire, ask, ms};

/// Requests of the client with a key beside each crowd.
const MEASURED: u64 = 200;
/// Connections that are opened before the server has accepted them: as many as the system's queue holds.
const AT_A_TIME: usize = 100;

/// The progress of a crowd's requests: what it is called, what is sent in [short](written), and how often.
const STAGES: [(&str, &str, usize); 9] = [
    ("that send nothing", "", 1),
    ("with half a head", "POST /1.0.0/patient HTTP/1.1\r\nHost: localh", 1),
    ("with a head that promises a body, without a key", "POST /1.0.0/patient{host}{promise}", 1),
    (
        "with a chunked body that stalls behind `GET /openapi.json`, without a key",
        "GET /1.0.0/openapi.json{host}{chunked}5\r\nstall\r\n",
        1,
    ),
    ("with a body that stalls, and a key that is none", "POST /1.0.0/patient{host}{foreign}{promise}{", 1),
    ("with a body that stalls, and a key", "POST /1.0.0/patient{host}{secret}{promise}{", 1),
    (
        "with all but the last bytes of a body of 60 kB, and a key",
        "POST /1.0.0/patient{host}{secret}{promise}{most}",
        1,
    ),
    ("with a chunked body that stalls, and a key", "POST /1.0.0/patient{host}{secret}{chunked}1\r\n{\r\n", 1),
    ("that read no answers, without a key", "GET /1.0.0/openapi.json{host}\r\n", 20),
];
/// The words of a request that is written in short.
const WORDS: [(&str, &str); 5] = [
    ("{host}", " HTTP/1.1\r\nHost: localhost\r\n"),
    ("{foreign}", "api_key: foreign\r\n"),
    ("{secret}", "api_key: crowd\r\n"),
    ("{promise}", "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"),
    ("{chunked}", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"),
];

/// The memory of all unfinished bodies of a key, in bytes, with what the servers hold beside the 60 MiB that count.
const BODIES: u64 = 256 << 20;

/// Returns a request as it is sent.
pub(super) fn written(short: &str) -> String {
    let text = WORDS.iter().fold(short.to_owned(), |text, (word, meaning)| text.replace(word, meaning));
    text.replace("{most}", &" ".repeat(59_990))
}

/// Holds a crowd in each stage while a client with a key sends requests, and then tells the server to stop.
pub(crate) fn crowds(run: &Run) -> Result<Vec<Finding>> {
    allow_many_files();
    let connections = run.sizes.connections;
    let rows = STAGES.into_iter().map(|(what, short, times)| {
        let finding = Finding::of(format!("connections {what}"), format!("{connections} at once on each server"));
        run.measured(finding, |part| {
            let clinic = Clinic::new()?;
            // The crowd has a key of its own, of whose requests no more than its share are under way.
            let server = clinic.serve(&part.program.with(&["--api-key", "crowd"]))?;
            let before = server.memory()?;
            let held = hold(&server, &written(short).repeat(times), connections)?;
            fare(part, &server, MEASURED);
            let taken = server.memory()?.saturating_sub(before);
            if short.contains("{most}") {
                part.holds(taken, BODIES);
            }
            let memory = taken / connections as u64;
            // The short run skips the stop, which takes seconds in each stage.
            let is_short = run.sizes.are_short();
            let ended = if is_short { server.kill().map(|()| Duration::ZERO)? } else { part.ends(&server)? };
            drop(held);
            part.finding.found += &format!(", {memory} bytes a connection, ended after {:.1} s", ended.as_secs_f64());
            clinic.prove()
        })
    });
    rows.collect()
}

/// Opens connections that have sent this text.
pub(super) fn hold(server: &Server, text: &str, count: usize) -> Result<Vec<TcpStream>> {
    let before = server.open_files()?;
    let mut held = Vec::new();
    for number in 1..=count {
        held.push(Wire::left(server.address, text)?);
        if number % AT_A_TIME == 0 {
            // Some of them may already have been answered and closed.
            until(Duration::from_millis(200), || server.open_files().is_ok_and(|open| open >= before + number));
        }
    }
    Ok(held)
}

/// Writes and reads with a key, over a new connection each time and over one that is kept, and notes how that goes.
pub(super) fn fare(part: &mut Measured<'_>, server: &Server, requests: u64) {
    let (mut kept, mut answered, mut refused, mut longest) = (server.port(), 0, 0, Duration::ZERO);
    for number in 0..requests {
        let request = match number % 2 {
            0 => Request::new("POST", "/patient").body("{}"),
            _ => Request::get("/inventory/Ibuprofen"),
        };
        let mut fresh = server.port();
        let sent = Instant::now();
        let is_answered = ask(if number % 4 < 2 { &mut kept } else { &mut fresh }, request).is_ok();
        longest = longest.max(sent.elapsed());
        *(if is_answered { &mut answered } else { &mut refused }) += 1;
        if sent.elapsed() > Duration::from_secs(5) {
            // There is no need to wait that long two hundred times.
            break;
        }
    }
    let waits = ms(longest);
    part.note(&format!("with a key {answered} answered, {refused} refused, the longest wait {waits:.0} ms"));
    part.bar(refused == 0, || format!("{refused} requests with a key are refused"));
    part.takes("a request with a key waits", longest, WAIT);
}
