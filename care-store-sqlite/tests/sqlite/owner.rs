//! A database has one owner at a time, or several that all share it.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    thread,
    time::Duration,
};

use care_core::store::{Change, Journal};
use care_store_sqlite::{OpenErrorKind, SqliteStore};
use futures_executor::block_on;

use crate::bench::{Bench, act, commit, count, counted, given_database, has, patient, process, seqs};

#[test]
fn a_second_owner_is_refused() {
    let bench = Bench::new();
    let first = bench.open();
    symlink(bench.path(""), bench.path("alias")).unwrap();
    for name in ["care.db", "alias/care.db", "./care.db"] {
        let error = SqliteStore::open(bench.path(name)).unwrap_err();
        assert_eq!(error.kind(), OpenErrorKind::InUse);
        assert!(error.to_string().contains(name));
    }
    assert_eq!(SqliteStore::options().shared(true).open(bench.database()).unwrap_err().kind(), OpenErrorKind::InUse);
    commit(&first, vec![Change::put(patient(1))]).unwrap();
    drop(first);
    assert!(has(&bench.open(), 1));
}

#[test]
fn a_database_is_removed_if_it_is_empty_and_nobody_has_it() {
    let bench = Bench::new();
    let remove = || SqliteStore::remove_empty(bench.database());
    let store = bench.open();
    assert_eq!(remove().unwrap_err().kind(), OpenErrorKind::InUse);
    drop(store);
    remove().unwrap();
    assert_eq!(bench.files(), ["care.db.lock"]);
    commit(&bench.open(), vec![Change::put(patient(1))]).unwrap();
    remove().unwrap();
    assert!(has(&bench.open(), 1));
    fs::write(bench.path("other"), "text").unwrap();
    assert!(SqliteStore::remove_empty(bench.path("other")).is_err() && bench.path("other").exists());
}

#[test]
fn a_successor_waits_for_one_that_is_closing() {
    let bench = Bench::new();
    let first = bench.open();
    let closing = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(first);
    });
    drop(bench.open());
    closing.join().unwrap();
}

#[test]
fn after_a_kill_the_next_starts_with_all_that_was_answered() {
    let bench = Bench::new();
    let mut child = process("true", "owner::process_writes_for_ever", &bench.database()).spawn().unwrap();
    let mut answered = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        // The test harness prints lines of its own.
        if let Some(number) = line.unwrap().strip_prefix("answered ") {
            answered = number.parse().unwrap();
        }
        if answered == 30 {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(answered, 30);

    let store = bench.open();
    let seqs = seqs(&store);
    assert!(seqs.len() >= 30);
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    assert!((1..=30).all(|number| has(&store, number)));
}

#[test]
#[ignore = "the second process of another test"]
fn process_writes_for_ever() {
    let store = SqliteStore::open(given_database()).unwrap();
    for number in 1.. {
        commit(&store, vec![Change::put(patient(number))]).unwrap();
        println!("\nanswered {number}");
    }
}

#[test]
fn those_who_share_see_each_others_writes_at_once() {
    let bench = Bench::new();
    let open = || SqliteStore::options().shared(true).open(bench.database());
    let stores = [open().unwrap(), open().unwrap()];
    assert_eq!(SqliteStore::open(bench.database()).unwrap_err().kind(), OpenErrorKind::InUse);
    for number in 1..=100 {
        let [writer, reader] = if number % 2 == 0 { [0, 1] } else { [1, 0] };
        assert!(!has(&stores[reader], number));
        commit(&stores[writer], vec![Change::put(patient(number))]).unwrap();
        assert!(has(&stores[reader], number));
    }
    assert_eq!(seqs(&stores[0]), (1..=100).collect::<Vec<_>>());
}

#[test]
fn those_who_share_make_the_file_together() {
    let bench = Bench::new();
    let stores: Vec<_> = thread::scope(|scope| {
        let open = || SqliteStore::options().shared(true).open(bench.database()).unwrap();
        let opening: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        opening.into_iter().map(|store| store.join().unwrap()).collect()
    });
    for (number, store) in (1..).zip(&stores) {
        commit(store, vec![Change::put(patient(number))]).unwrap();
    }
    assert!(stores.iter().all(|store| (1..=8).all(|number| has(store, number))));
}

#[test]
fn processes_that_share_lose_nothing() {
    let bench = Bench::new();
    let store = SqliteStore::options().shared(true).open(bench.database()).unwrap();
    let mut child = process("true", "owner::process_counts", &bench.database()).spawn().unwrap();
    for _ in 0..50 {
        block_on(store.transact(act(), Box::new(count))).unwrap();
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(counted(&store), 100);
    assert_eq!(seqs(&store), (1..=100).collect::<Vec<_>>());
    assert!(fs::exists(bench.path("care.db.lock")).unwrap());
}

#[test]
#[ignore = "the second process of another test"]
fn process_counts() {
    let store = SqliteStore::options().shared(true).open(given_database()).unwrap();
    for _ in 0..50 {
        block_on(store.transact(act(), Box::new(count))).unwrap();
    }
}
