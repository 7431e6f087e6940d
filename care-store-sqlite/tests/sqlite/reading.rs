//! The snapshots of reads, none of which blocks the log for long.

use std::{thread, time::Duration};

use care_core::{
    error::StoreErrorKind,
    model::Patient,
    store::{Change, Journal, Limit, List, Records, Seq},
};
use futures_executor::block_on;

use crate::bench::{Bench, commit, has, kind, patient, try_has};

/// A time slightly longer than a snapshot is held.
const HELD: Duration = Duration::from_millis(60);

#[test]
fn what_a_stranger_writes_is_seen_soon() {
    let bench = Bench::new();
    let store = bench.open();
    let stranger = bench.stranger();
    for number in 1..=5 {
        assert!(!has(&store, number));
        stranger.execute("INSERT INTO patient (version, patient_id) VALUES (1, ?)", [number]).unwrap();
        thread::sleep(HELD);
        assert!(has(&store, number));
    }
}

#[test]
fn no_snapshot_outlives_its_time() {
    let bench = Bench::new();
    let store = bench.open();
    commit(&store, vec![Change::put(patient(1))]).unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(has(&store, 1)));
        }
    });
    let stranger = bench.stranger();
    let is_free = || {
        let truncate = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy = stranger.query_row(truncate, [], |row| row.get::<_, i64>(0));
        busy.unwrap() == 0
    };
    stranger.busy_timeout(Duration::ZERO).unwrap();
    let mut tries = 0;
    while !is_free() {
        tries += 1;
        assert!(tries < 100, "a snapshot is still held");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_damaged_row_is_an_error_and_no_more() {
    let bench = Bench::new();
    let store = bench.open();
    commit(&store, vec![Change::put(patient(1)), Change::put(patient(2))]).unwrap();
    bench
        .stranger()
        .execute_batch(
            "PRAGMA ignore_check_constraints = 1; UPDATE patient SET age = -1 WHERE patient_id = 1;
             UPDATE journal SET changes = '[{}]' WHERE seq = 1;",
        )
        .unwrap();
    thread::sleep(HELD);
    assert_eq!(kind(try_has(&store, 1)), StoreErrorKind::Broken);
    assert!(has(&store, 2));
    let all = List::<Patient>::all(None);
    let error = block_on(store.list(&all, Limit::items(10))).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Broken);
    let error = block_on(store.journal(Seq::ZERO, Limit::items(10))).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Broken);
    // The store works with all other rows, does not overwrite the unreadable one, and sees when the row is repaired.
    commit(&store, vec![Change::put(patient(3))]).unwrap();
    assert_eq!(kind(commit(&store, vec![Change::put(patient(1))])), StoreErrorKind::Broken);
    bench.stranger().execute_batch("UPDATE patient SET age = NULL WHERE patient_id = 1").unwrap();
    thread::sleep(HELD);
    assert!(has(&store, 1));
    assert_eq!(block_on(store.list(&all, Limit::items(10))).unwrap().items.len(), 3);
}
