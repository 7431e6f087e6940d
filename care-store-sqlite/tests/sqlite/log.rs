//! The write-ahead log stays short while the store is in use.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use care_core::store::Change;

use crate::bench::{Bench, commit, has, large_patient};

#[test]
fn the_log_is_bounded_while_all_read_and_write() {
    let bench = Bench::new();
    let store = bench.open();
    let done = AtomicBool::new(false);
    let mut written = 0;
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    has(&store, 1);
                }
            });
        }
        // Each replaces half a thousand pages.
        for _ in 0..60 {
            commit(
                &store,
                (1..=1500).map(|n| Change::put(large_patient(n))).collect(),
            )
            .unwrap();
            let length = fs::metadata(bench.path("care.db-wal")).unwrap().len();
            assert!(length <= 64 << 20, "{length} bytes");
            written += 500 * 4096;
        }
        done.store(true, Ordering::SeqCst);
    });
    // It would have been longer than that, had it never been started over.
    assert!(written > 64 << 20);
}
