//! Tools beside the servers of a file.

use std::{
    io::{BufRead, BufReader},
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use care_core::{
    error::{Conflict, Error},
    model::Patient,
    store::{Change, Decision, Journal as _, Limit, List, Maintenance, Outcome, Records as _, Seen, Seq, Transaction},
};
use care_store_sqlite::{OpenErrorKind, SqliteStore};
use futures_executor::block_on;

use crate::bench::{Bench, act, commit, given_database, has, patient, process, seqs, wanting};

fn guest(bench: &Bench) -> SqliteStore {
    let options = SqliteStore::options().beside(true);
    options.open(bench.database()).unwrap()
}

/// Runs work in a transaction of its own.
fn alone(
    store: &SqliteStore,
    work: impl FnOnce(&mut dyn Transaction) -> Result<(), Error> + Send + 'static,
) -> Result<(), Error> {
    block_on(store.alone(Box::new(work)))
}

fn register(bulk: &mut dyn Transaction, numbers: impl IntoIterator<Item = i64>) -> Result<(), Error> {
    for number in numbers {
        bulk.decide(&act(), &mut wanting(vec![Change::put(patient(number))]))?;
    }
    Ok(())
}

/// Waits until the store sees a patient, for as long as a held snapshot may last, with some extra time for slow
/// machines.
fn comes_to_see(store: &SqliteStore, number: i64) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(5) {
        if has(store, number) {
            return true;
        }
        thread::sleep(Duration::from_millis(1));
    }
    false
}

#[test]
fn an_owner_and_a_guest_see_each_others_writes() {
    let bench = Bench::new();
    let (owner, guest) = (bench.open(), guest(&bench));
    for number in 1..=20 {
        if number % 2 == 0 {
            commit(&owner, vec![Change::put(patient(number))]).unwrap();
            assert!(has(&guest, number));
        } else {
            assert!(!has(&owner, number));
            commit(&guest, vec![Change::put(patient(number))]).unwrap();
            assert!(comes_to_see(&owner, number));
        }
    }
    let all: Vec<_> = (1..=20).collect();
    assert_eq!((seqs(&owner), seqs(&guest)), (all.clone(), all));
}

#[test]
fn the_owner_sees_a_guests_write_within_fifty_milliseconds() {
    let bench = Bench::new();
    let (owner, guest) = (bench.open(), guest(&bench));
    // The owner's snapshot is as young as possible.
    assert!(!has(&owner, 1));
    commit(&guest, vec![Change::put(patient(1))]).unwrap();
    thread::sleep(Duration::from_millis(50));
    assert!(has(&owner, 1));
}

#[test]
fn what_one_connection_has_shown_of_a_guest_every_other_shows() {
    let bench = Bench::new();
    let owner = SqliteStore::options().readers(NonZero::new(4).unwrap()).open(bench.database()).unwrap();
    let guest = guest(&bench);
    let ways: [fn(&SqliteStore, i64) -> bool; 3] = [
        // A list, which has a snapshot of its own.
        |store, _| block_on(store.list(&List::<Patient>::all(None), Limit::ALL)).is_ok(),
        // A decision that refuses, and one that writes nothing.
        |store, number| {
            let refusing: Decision =
                Box::new(move |seen: &Seen| match seen.get::<Patient>(patient(number).patient_id)? {
                    Some(_) => Err(Conflict::PatientExists.into()),
                    None => Ok(Outcome::default()),
                });
            block_on(store.transact(act(), refusing)).is_err()
        },
        |store, number| {
            let read = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&read);
            alone(store, move |bulk| {
                let mut looking: Decision = Box::new(move |known: &Seen| {
                    let is_there = known.get::<Patient>(patient(number).patient_id)?.is_some();
                    seen.store(is_there, Ordering::SeqCst);
                    Ok(Outcome::default())
                });
                bulk.decide(&act(), &mut looking).map(drop)
            })
            .unwrap();
            read.load(Ordering::SeqCst)
        },
    ];
    for (way, number) in ways.into_iter().zip(1..) {
        // All of them hold a snapshot from before.
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert!(!has(&owner, number)));
            }
        });
        commit(&guest, vec![Change::put(patient(number))]).unwrap();
        let is_shown = way(&owner, number);
        let are_later: Vec<_> = thread::scope(|scope| {
            let later: Vec<_> = (0..8).map(|_| scope.spawn(|| has(&owner, number))).collect();
            later.into_iter().map(|read| read.join().unwrap()).collect()
        });
        assert!(is_shown && !are_later.contains(&false), "way {number}: {is_shown}, {are_later:?}");
    }
}

#[test]
fn what_one_reader_has_shown_of_a_guest_every_other_shows() {
    let bench = Bench::new();
    let owner = SqliteStore::options().readers(NonZero::new(4).unwrap()).open(bench.database()).unwrap();
    let guest = guest(&bench);
    // One reader has a snapshot, and the others have none yet.
    assert!(!has(&owner, 1));
    commit(&guest, vec![Change::put(patient(1))]).unwrap();
    let is_shown = (0..16).any(|_| thread::scope(|scope| scope.spawn(|| has(&owner, 1)).join().unwrap()));
    assert!(is_shown && has(&owner, 1), "{is_shown}");
}

#[test]
fn a_guest_keeps_no_server_out() {
    let bench = Bench::new();
    let guest = guest(&bench);
    let owner = bench.open();
    assert_eq!(SqliteStore::open(bench.database()).unwrap_err().kind(), OpenErrorKind::InUse);
    commit(&guest, vec![Change::put(patient(1))]).unwrap();
    drop(owner);
    let shared = SqliteStore::options().shared(true);
    let first = shared.clone().open(bench.database()).unwrap();
    let second = shared.open(bench.database()).unwrap();
    commit(&guest, vec![Change::put(patient(2))]).unwrap();
    assert!(has(&first, 2) && has(&second, 2));
}

#[test]
fn a_guest_makes_a_file_that_is_not_there() {
    let bench = Bench::new();
    commit(&guest(&bench), vec![Change::put(patient(1))]).unwrap();
    assert!(has(&bench.open(), 1));
}

#[test]
fn everybody_counts_on_from_the_last_entry() {
    let bench = Bench::new();
    let (owner, guest) = (bench.open(), guest(&bench));
    thread::scope(|scope| {
        for (store, parity) in [(&owner, 0), (&guest, 1)] {
            scope.spawn(move || {
                for number in 1..=100 {
                    let changes = vec![Change::put(patient(2 * number + parity))];
                    commit(store, changes).unwrap();
                }
            });
        }
    });
    assert_eq!(seqs(&guest), (1..=200).collect::<Vec<_>>());
}

#[test]
fn a_guest_in_another_process_works_beside_the_owner_and_is_gone_without_a_trace() {
    let bench = Bench::new();
    let owner = bench.open();
    commit(&owner, vec![Change::put(patient(1))]).unwrap();
    let mut child = process("true", "guest::process_registers", &bench.database()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let registered = lines.map(Result::unwrap).filter(|line| line == "registered").count();
    assert!(child.wait().unwrap().success());
    assert_eq!(registered, 1);
    assert!(comes_to_see(&owner, 3));
    // The tool was not the last to close the file, so the log is still the owner's.
    commit(&owner, vec![Change::put(patient(4))]).unwrap();
    drop(owner);
    assert_eq!(seqs(&bench.open()), [1, 2, 3, 4]);
}

#[test]
#[ignore = "the second process of another test"]
fn process_registers() {
    let guest = SqliteStore::options().beside(true).open(given_database()).unwrap();
    alone(&guest, |bulk| register(bulk, [2, 3])).unwrap();
    println!("\nregistered");
}

#[test]
fn a_guest_stops_writing_once_the_file_is_newer() {
    let bench = Bench::new();
    let guest = guest(&bench);
    commit(&guest, vec![Change::put(patient(1))]).unwrap();
    let version: i32 = bench.stranger().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    bench.stranger().pragma_update(None, "user_version", 1000).unwrap();
    assert!(commit(&guest, vec![Change::put(patient(2))]).is_err());
    bench.stranger().pragma_update(None, "user_version", version).unwrap();
    assert_eq!(commit(&guest, vec![Change::put(patient(2))]).unwrap(), Some(Seq::new(2)));
}

#[test]
fn a_failure_that_the_work_hides_takes_everything_back() {
    let bench = Bench::new();
    let store = bench.open();
    // The database refuses a consultation without a patient, and the closure does not pass the error on.
    let hidden = alone(&store, |bulk| {
        register(bulk, [1]).ok();
        let of = care_conformance::samples::consultation_forms(1, 77).swap_remove(0);
        bulk.decide(&act(), &mut wanting(vec![Change::put(of)])).ok();
        Ok(())
    });
    assert!(hidden.is_err());
    assert!(seqs(&store).is_empty() && !has(&store, 1));
    commit(&store, vec![Change::put(patient(1))]).unwrap();
}

#[test]
fn others_get_their_turn_beside_bulk_work() {
    let bench = Bench::new();
    let (owner, guest) = (bench.open(), guest(&bench));
    thread::scope(|scope| {
        let bulk = scope.spawn(|| {
            for batch in 0..20 {
                let numbers = 1000 + batch * 200..1000 + (batch + 1) * 200;
                alone(&guest, move |bulk| register(bulk, numbers)).unwrap();
            }
        });
        let mut number = 1;
        while !bulk.is_finished() {
            commit(&owner, vec![Change::put(patient(number))]).unwrap();
            number += 1;
        }
        assert!(number > 10, "the owner wrote only {number} times");
    });
}

#[test]
fn a_guest_gets_its_turn_beside_an_owner_that_is_never_without_work() {
    let bench = Bench::new();
    let (owner, guest) = (bench.open(), guest(&bench));
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for client in 0..4 {
            let (owner, is_over) = (&owner, &is_over);
            scope.spawn(move || {
                for turn in 0.. {
                    let change = Change::put(patient(1000 * (client + 1) + turn));
                    let slow: Decision = Box::new(move |_| {
                        thread::sleep(Duration::from_millis(5));
                        Ok(vec![change.clone()].into())
                    });
                    block_on(owner.transact(act(), slow)).unwrap();
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        thread::sleep(Duration::from_millis(100));
        let begun = Instant::now();
        for number in 1..=3 {
            commit(&guest, vec![Change::put(patient(number))]).unwrap();
        }
        let after = begun.elapsed();
        is_over.store(true, Ordering::Relaxed);
        // Less than the five seconds after which its patience would be over, even on a slow machine.
        assert!(after < Duration::from_secs(4), "{after:?}");
    });
}
