//! A load generator: clients on persistent connections, each of which sends its next request as soon as it is answered.
//!
//! All clients share one thread, so that the load takes as little as possible of the machine from the server.

mod client;
mod requests;

use std::{
    io::ErrorKind,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use care_conformance::Dice;
use mio::{Events, Interest, Poll, Token};

use crate::Failure;
use client::Client;

pub(crate) use requests::{KEY, Kind, Requests, get};

/// Longest time for an answer. A slower one ends the measurement.
const PATIENCE: Duration = Duration::from_secs(20);

/// Clients of one kind.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// The servers, among which the clients are divided.
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) clients: usize,
    pub(crate) requests: Requests,
}

/// The number of runs. Each run sends different requests, because writing a patient again with the same values would
/// change nothing.
static RUNS: AtomicU64 = AtomicU64::new(1);

/// The answers to a group.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnswerCount {
    /// The time of each answer in microseconds, the shortest first.
    pub(crate) micros: Vec<u32>,
    pub(crate) seconds: f64,
}

impl AnswerCount {
    pub(crate) fn per_second(&self) -> f64 {
        self.micros.len() as f64 / self.seconds
    }

    /// Returns the time in microseconds that this share of the answers, in thousandths, did not exceed.
    pub(crate) fn permille(&self, permille: usize) -> f64 {
        let index = (self.micros.len().saturating_sub(1)) * permille / 1000;
        self.micros.get(index).map_or(f64::NAN, |micros| f64::from(*micros))
    }
}

/// Lets groups of clients send requests for this time, and returns the answers to each.
pub(crate) fn run(groups: &[Group], time: Duration) -> Result<Vec<AnswerCount>, Failure> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(1024);
    let mut clients = Vec::new();
    let run = RUNS.fetch_add(1, Ordering::Relaxed) << 16;
    for (index, group) in groups.iter().enumerate() {
        for address in group.addresses.iter().cycle().take(group.clients) {
            let dice = Dice::new(run + clients.len() as u64);
            let mut client = Client::connect(*address, group.requests.clone(), dice, index)?;
            poll.registry().register(client.stream(), Token(clients.len()), Interest::READABLE)?;
            clients.push(client);
        }
    }
    let mut answered = vec![AnswerCount::default(); groups.len()];
    let started = Instant::now();
    for client in &mut clients {
        client.ask()?;
    }
    let mut waiting = clients.len();
    while waiting > 0 {
        match poll.poll(&mut events, Some(PATIENCE)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            polled => polled?,
        }
        if events.is_empty() {
            return Err("a server no longer answers".into());
        }
        for event in &events {
            let Some(client) = clients.get_mut(event.token().0) else {
                continue;
            };
            if let Some(took) = client.answer()? {
                if let Some(answered) = answered.get_mut(client.group) {
                    answered.micros.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
                }
                if started.elapsed() < time {
                    client.ask()?;
                } else {
                    // Outstanding requests are answered before the connection is closed.
                    waiting -= 1;
                }
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    for answered in &mut answered {
        answered.micros.sort_unstable();
        answered.seconds = seconds;
    }
    Ok(answered)
}
