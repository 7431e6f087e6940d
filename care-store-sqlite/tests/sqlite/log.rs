//! The write-ahead log stays short while the store is in use.

use std::{
    fs,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use care_core::{
    error::Error,
    model::{Address, Patient},
    store::Change,
};

use crate::bench::{Bench, commit, has, patient};

const BOUND: u64 = 64 << 20;

#[test]
fn the_log_is_bounded_while_all_read_and_write() {
    let bench = Bench::new();
    let store = bench.open();
    // Each patient has four kilobytes, in the record and again in the journal, which cannot be packed.
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let large = |number: i64| {
        let sign = |at| char::from_u32(0x2_0000 + (hasher.hash_one((number, at)) % 0xA000) as u32).unwrap();
        let address: String = (0..Address::MAX).map(sign).collect();
        Change::put(Patient { address: Some(Address::new(address).unwrap()), ..patient(number) })
    };
    let length = |name| fs::metadata(bench.path(name)).unwrap().len();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    has(&store, 1);
                    thread::sleep(Duration::from_millis(1));
                }
            });
        }
        let longest = (0..40)
            .map(|_| {
                commit(&store, (1..=500).map(large).collect())?;
                Ok(length("care.db-wal"))
            })
            .try_fold(0, |longest: u64, length: Result<_, Error>| length.map(|length| longest.max(length)));
        done.store(true, Ordering::SeqCst);
        assert!(longest.unwrap() <= BOUND);
    });
    drop(store);
    // All data have gone through the log.
    assert!(length("care.db") > BOUND);
}
