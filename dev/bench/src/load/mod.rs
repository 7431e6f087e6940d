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
use requests::Requests;

pub(crate) use requests::{KEY, Kind};

/// Longest time for an answer. A slower one ends the measurement.
const PATIENCE: Duration = Duration::from_secs(20);

/// Clients of one kind.
#[derive(Clone)]
pub(crate) struct Group {
    /// The servers, among which the clients are divided.
    pub(crate) addresses: Vec<SocketAddr>,
    clients: usize,
    requests: Requests,
}

impl Group {
    /// Returns clients that ask this about a clinic with this number of patients.
    pub(crate) fn of(address: SocketAddr, patients: u64, clients: usize, kind: Kind) -> Self {
        Self { addresses: vec![address], clients, requests: Requests::about(patients, kind) }
    }
}

/// The number of runs. Each run sends different requests, because writing a patient again with the same values would
/// change nothing.
static RUNS: AtomicU64 = AtomicU64::new(1);

/// Lets groups of clients send requests for this time. Returns the milliseconds that each answer to a group took, and
/// the seconds of the whole run.
pub(crate) fn run(groups: &[Group], time: Duration) -> Result<(Vec<Vec<f64>>, f64), Failure> {
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
    let mut millis = vec![Vec::new(); groups.len()];
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
                millis[client.group].push(took.as_secs_f64() * 1e3);
                if started.elapsed() < time {
                    client.ask()?;
                } else {
                    // Outstanding requests are answered before the connection is closed.
                    waiting -= 1;
                }
            }
        }
    }
    Ok((millis, started.elapsed().as_secs_f64()))
}
