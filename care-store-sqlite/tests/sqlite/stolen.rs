//! A file that is removed or replaced while it is in use gets no further writes.

use std::{fs, thread::sleep, time::Duration};

use care_core::{
    error::{Error, StoreErrorKind},
    store::Change,
};
use care_store_sqlite::{OpenErrorKind, SqliteStore};

use crate::bench::{Bench, commit, has, patient};

/// The theft of a file from a bench with an open store.
type Theft = fn(&Bench);

const THEFTS: [(&str, Theft); 6] = [
    ("the database is moved", |bench| fs::rename(bench.database(), bench.path("moved.db")).unwrap()),
    ("the database is removed", |bench| fs::remove_file(bench.database()).unwrap()),
    ("the database is exchanged", |bench| {
        fs::copy(bench.path("other.db"), bench.path("exchange.db")).unwrap();
        fs::rename(bench.path("exchange.db"), bench.database()).unwrap();
    }),
    ("the log is removed", |bench| fs::remove_file(bench.path("care.db-wal")).unwrap()),
    ("the lock is removed", |bench| fs::remove_file(bench.path("care.db.lock")).unwrap()),
    ("the lock is exchanged", |bench| {
        fs::remove_file(bench.path("care.db.lock")).unwrap();
        fs::write(bench.path("care.db.lock"), "").unwrap();
    }),
];

fn bench() -> (Bench, SqliteStore) {
    let bench = Bench::new();
    drop(SqliteStore::open(bench.path("other.db")).unwrap());
    let store = bench.open();
    commit(&store, vec![Change::put(patient(1))]).unwrap();
    (bench, store)
}

fn is_stopped(store: &SqliteStore, number: i64) -> bool {
    match commit(store, vec![Change::put(patient(number))]) {
        Err(Error::Store(error)) => error.kind() == StoreErrorKind::Stopped,
        _ => false,
    }
}

#[test]
fn the_next_commit_is_refused_and_reads_go_on() {
    for (what, theft) in THEFTS {
        let (bench, store) = bench();
        theft(&bench);
        assert!(is_stopped(&store, 2), "{what}");
        assert!(has(&store, 1) && !has(&store, 2), "{what}");
    }
}

#[test]
fn a_store_that_nobody_writes_to_notices() {
    for (what, theft) in THEFTS {
        let (bench, store) = bench();
        let away = bench.path("away");
        fs::create_dir(&away).unwrap();
        for name in ["care.db", "care.db-wal", "care.db.lock"] {
            fs::hard_link(bench.path(name), away.join(name)).unwrap();
        }
        theft(&bench);
        sleep(Duration::from_secs(2));
        // The files are put back, so that only the earlier detection counts.
        for name in ["care.db", "care.db-wal", "care.db.lock"] {
            fs::rename(away.join(name), bench.path(name)).unwrap();
        }
        fs::remove_dir_all(away).unwrap();
        assert!(is_stopped(&store, 2), "{what}");
        // A restart heals it.
        drop(store);
        commit(&bench.open(), vec![Change::put(patient(2))]).unwrap();
    }
}

#[test]
fn a_guest_notices_too() {
    let (bench, store) = bench();
    let guest = SqliteStore::options().beside(true).open(bench.database()).unwrap();
    fs::rename(bench.database(), bench.path("moved.db")).unwrap();
    assert!(is_stopped(&guest, 2) && is_stopped(&store, 3));
}

#[test]
fn without_its_lock_file_a_database_in_use_gets_no_second_owner() {
    let (bench, store) = bench();
    for _ in 0..2 {
        let _ = fs::remove_file(bench.path("care.db.lock"));
        for shared in [false, true] {
            let second = SqliteStore::options().shared(shared).open(bench.database());
            assert_eq!(second.unwrap_err().kind(), OpenErrorKind::InUse);
        }
    }
    drop(store);
    assert!(has(&bench.open(), 1));
}
