//! Asking whether a write would succeed now.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use crate::bench::Bench;

#[test]
fn without_a_server_the_database_itself_is_asked() {
    let bench = Bench::with_clinic();
    assert_eq!(bench.admin(&["ready"]).done(), "ready\n");
    let said = bench.admin(&["ready", "--database", "no.db"]).refused();
    assert_eq!(said, "care-admin: the database no.db does not exist\n");
    assert!(!bench.path("no.db").exists());
}

#[test]
fn a_database_that_another_program_holds_is_not_ready_and_not_waited_for() {
    let bench = Bench::with_clinic();
    let held = Connection::open(bench.path("care.db")).unwrap();
    held.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    let said = bench.admin(&["ready"]).refused();
    assert_eq!(said, "care-admin: not ready: the store is busy, or locked by another process\n");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn an_absent_or_foreign_server_is_reported() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let other = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let head = BufReader::new(&stream).lines().map(Result::unwrap).take_while(|line| !line.is_empty());
        assert_eq!(head.collect::<Vec<_>>()[0], "GET /ready HTTP/1.1");
        stream.write_all(b"HTTP/1.1 404 Not Found\r\n\r\nready").unwrap();
    });
    let said = bench.admin(&["ready", "--metrics", &address]).refused();
    assert_eq!(said, "care-admin: not ready: the answer does not come from a server's --metrics address\n");
    other.join().unwrap();
    let said = bench.admin(&["ready", "--metrics", &address]).refused();
    assert!(said.starts_with(&format!("care-admin: no server answers at {address}: ")), "{said}");
}
