//! Two servers that write to one database at once, one of which is stopped in the middle.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use care_testkit::{Answer, RawRequest, Wire, sent};
use rustix::process::Signal;
use serde_json::Value;

use crate::{
    bench::{Bench, Watched},
    scratch::{Test, test},
};

/// The number of clients while a server is disturbed.
const CLIENTS: usize = 16;
/// Longest wait for what takes a moment on an idle machine; tests share theirs.
const GENEROUS: Duration = Duration::from_secs(30);

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("when_one_server_stands_still_the_other_goes_on", |server| {
            let bench = Bench::on(server.schema());
            let servers = bench.both();
            let [going, stopping] = servers.each_ref().map(|server| server.server.address);
            open_shelf(&servers[0]);
            let acknowledged = under_load([going, stopping], || {
                for _ in 0..3 {
                    thread::sleep(Duration::from_millis(500));
                    servers[1].server.signal(Signal::STOP);
                    println!("the other server went on after {:.1?}", goes_on(going));
                    servers[1].server.signal(Signal::CONT);
                }
            });
            assert!(receive(stopping).unwrap() > acknowledged, "the stopped server goes on, and nothing is lost");
            prove_gapless(going);
        }),
        test("when_one_server_is_killed_the_other_goes_on", |server| {
            let bench = Bench::on(server.schema());
            let [going, killed] = bench.both();
            open_shelf(&going);
            let (address, victim) = (going.server.address, killed.server.address);
            let acknowledged = under_load([address, victim], || {
                thread::sleep(Duration::from_millis(500));
                killed.server.kill().unwrap();
                println!("the other server went on after {:.1?}", goes_on(address));
            });
            assert!(receive(address).unwrap() > acknowledged, "nothing acknowledged is lost");
            prove_gapless(address);
        }),
    ]
}

fn open_shelf(server: &Watched) {
    let item = sent("POST", "/1.0.0/inventory/Paracetamol").body("{}");
    assert_eq!(server.answer(&item).status, 200);
    let stock = sent("POST", "/1.0.0/inventory/Paracetamol/stock").body(r#"{"unit":"tablets"}"#);
    assert_eq!(server.answer(&stock).status, 201);
}

/// Makes clients receive units through both servers while `happens` disturbs one, and returns how many units were
/// acknowledged. Each must count once.
fn under_load(servers: [SocketAddr; 2], happens: impl FnOnce()) -> u64 {
    let is_over = AtomicBool::new(false);
    let mut balances: Vec<u64> = thread::scope(|scope| {
        let client = |number: usize| {
            let (address, is_over) = (servers[number % 2], &is_over);
            scope.spawn(move || {
                let mut balances = Vec::new();
                while !is_over.load(Ordering::SeqCst) {
                    match receive(address) {
                        Some(balance) => balances.push(balance),
                        None => thread::sleep(Duration::from_millis(10)),
                    }
                }
                balances
            })
        };
        let clients: Vec<_> = (0..CLIENTS).map(client).collect();
        happens();
        is_over.store(true, Ordering::SeqCst);
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    balances.sort_unstable();
    let acknowledged = balances.len();
    balances.dedup();
    assert_eq!(balances.len(), acknowledged, "a unit was counted twice");
    acknowledged as u64
}

/// Waits until the server accepts a write again, and returns how long that took.
fn goes_on(address: SocketAddr) -> Duration {
    let since = Instant::now();
    while receive(address).is_none() {
        assert!(since.elapsed() < GENEROUS, "the other server does not go on");
    }
    since.elapsed()
}

/// Receives one unit, and returns how many there are then; `None` if the server refuses for now, or has gone.
fn receive(address: SocketAddr) -> Option<u64> {
    let receipt = sent("POST", "/1.0.0/inventory/Paracetamol/movements").body(r#"{"kind":"receipt","units":1}"#);
    let mut wire = Wire::try_open(address).ok()?;
    wire.send(receipt.written());
    let answer = wire.try_answer().ok()?;
    match answer.status {
        201 => Some(json(&answer.body)["balance"].as_u64().unwrap()),
        503 => None,
        _ => panic!("{answer:?}"),
    }
}

/// Returns the number of the last entry, after waiting up to `wait` seconds for one after `after`.
fn news(address: SocketAddr, after: u64, wait: u64) -> u64 {
    let answer = answer(address, &sent("GET", &format!("/1.0.0/news?after={after}&wait={wait}")));
    json(&answer.body)["seq"].as_u64().unwrap()
}

/// Checks that the entries of the journal are numbered without gaps.
fn prove_gapless(address: SocketAddr) {
    let mut last = 0;
    loop {
        let page = sent("GET", &format!("/1.0.0/journal?limit=500&after={last}"));
        let page = json(&answer(address, &page).body);
        let entries = page["items"].as_array().unwrap();
        for entry in entries {
            last += 1;
            assert_eq!(entry["seq"], last);
        }
        if entries.is_empty() {
            break;
        }
    }
    assert_eq!(news(address, 0, 0), last);
}

fn answer(address: SocketAddr, request: &RawRequest) -> Answer {
    request.over(&mut Wire::open(address))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}
