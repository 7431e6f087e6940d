//! Receivers of webhooks that answer 103 without end, beside a good one.

use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use care_testkit::until;

use super::other::spread;
use crate::{
    Failure, Finding, Place, Port as _, Program, Request, Run, Server, ensure, lock, percentile,
    runs::relay::{self, Received},
};

/// The number of ill receivers.
const ILL: u64 = 8;
/// The messages to the good receiver, and the pause between two of them.
const MESSAGES: u64 = 300;
const PAUSE: Duration = Duration::from_millis(50);
/// The time after which half of the ill receivers take the message: within that in which a relay waits for an answer.
const LATE: Duration = Duration::from_secs(17);
/// The longest wait for a message.
const PATIENCE: Duration = Duration::from_secs(60);

const HINTS: &[u8] = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n";

/// The times of a good receiver, sorted.
struct Times {
    /// From the write of an event to its receipt.
    events: Vec<Duration>,
    /// From a look at the relay's probe to its answer.
    probes: Vec<Duration>,
    /// The processor time of the relay.
    spent: Duration,
}

/// Measures the way of events to a good receiver, and the relay's probe, alone and beside receivers that answer 103 as
/// fast as they can.
pub(crate) fn receivers(run: &Run) -> Result<Vec<Finding>, Failure> {
    let messages = MESSAGES / run.sizes.part;
    let what = "eight receivers of webhooks that answer 103 without end, half of them for 17 s";
    let (alone, beside) = (measure(messages, 0)?, measure(messages, ILL)?);
    let said = |Times { events, probes, spent }: &Times| {
        let (events, probes) = (spread(events), spread(probes));
        format!("events {events}, `/alive` {probes}, {:.1} s of processor", spent.as_secs_f64())
    };
    let mut finding = Finding::of(what, format!("{messages} events to a good receiver, alone and beside them"))
        .found(format!("alone: {}; beside them: {}", said(&alone), said(&beside)));
    for (name, times) in [("an event", &beside.events), ("`/alive`", &beside.probes)] {
        finding.takes(name, "one in a hundred waits", percentile(times, 99), run.bars.wait);
    }
    Ok(vec![finding])
}

fn measure(messages: u64, ill: u64) -> Result<Times, Failure> {
    let place = Place::on_disk()?;
    let state = place.path("relay.db");
    let server = Server::start(&Program::poem()?, &place.database())?;
    let received = Received::default();
    relay::add(&state, "good", relay::listen(&received)?)?;
    for number in 0..ill {
        let ends = number.is_multiple_of(2);
        relay::add(&state, &format!("ill{number}"), relay::serve_each(move |stream| flood(&stream, ends))?)?;
    }
    let relay = relay::start(&state, server.address, &["--metrics", "127.0.0.1:0"])?;
    let (probe, mut wire) = (relay.metrics()?, server.port());
    let (mut events, mut probes) = (Vec::new(), Vec::new());
    for seq in 1..=messages {
        let written = Instant::now();
        let answer = wire.ask(&Request::new("POST", "/patient").body("{}"));
        ensure(answer.status() == Some(201), || format!("a patient was not registered: {answer:?}"))?;
        let last = || lock(&received).last().copied().filter(|&(_, last)| last >= seq);
        ensure(until(PATIENCE, || last().is_some()), || format!("event {seq} was not received"))?;
        events.extend(last().map(|(at, _)| at - written));
        let asked = Instant::now();
        let alive = care_testkit::get(probe, "/alive", "")?;
        ensure(alive.starts_with("HTTP/1.1 200 "), || alive)?;
        probes.push(asked.elapsed());
        thread::sleep(PAUSE);
    }
    events.sort_unstable();
    probes.sort_unstable();
    Ok(Times { events, probes, spent: relay.processor()? })
}

/// Answers the message of a connection with 103 without end, or for 17 s and then with 204.
fn flood(mut stream: &TcpStream, ends: bool) {
    let (begun, many) = (Instant::now(), HINTS.repeat(1000));
    // The relay has had enough at some point.
    let mut sent = stream.read(&mut [0; 4096]).map(drop);
    while sent.is_ok() && !(ends && begun.elapsed() >= LATE) {
        sent = stream.write_all(&many);
    }
    if sent.is_ok() {
        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
    }
}
