//! Keys that have ended, across restarts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use care_core::{
    keys::{Authenticator, IssuedKey, KeyManager, NewKey, Scopes, StoredKeys},
    model::{KeyName, Timestamp},
};
use futures_executor::block_on;

use crate::bench::Bench;

const HOUR: i64 = 3_600_000;

#[test]
fn an_ended_key_stays_ended_after_a_restart_with_the_clock_back() {
    let bench = Bench::new();
    let now = Arc::new(AtomicI64::new(1_773_576_000_000));
    let ticking = Arc::clone(&now);
    let clock = move || Timestamp::from_unix_millis(ticking.load(Ordering::SeqCst)).unwrap();
    let is_in = |keys: &StoredKeys, key: &IssuedKey| block_on(keys.authenticate(key.as_str().as_bytes())).is_some();
    let open = || {
        let store = Arc::new(bench.open());
        let keys = StoredKeys::new(store.clone()).with_clock(clock.clone());
        (keys, KeyManager::new(store).with_clock(clock.clone()))
    };

    let (keys, manager) = open();
    let issue = |name: &str, expires: Option<i64>| {
        let expires = expires.map(|millis| Timestamp::from_unix_millis(millis).unwrap());
        block_on(manager.issue(NewKey { name: KeyName::new(name).unwrap(), scopes: Scopes::ALL, expires })).unwrap()
    };
    let expired = issue("expired", Some(now.load(Ordering::SeqCst) + HOUR));
    let (rotated, overlapped) = (issue("rotated", None), issue("overlapped", None));
    let valid = block_on(manager.rotate(rotated.id(), Duration::ZERO, None)).unwrap();
    drop(block_on(manager.rotate(overlapped.id(), Duration::from_secs(60), None)).unwrap());
    now.fetch_add(HOUR, Ordering::SeqCst);
    // The look-up that finds the end of one key finds that of the other too.
    assert!(!is_in(&keys, &expired));
    drop((keys, manager));

    now.fetch_sub(24 * HOUR, Ordering::SeqCst);
    for _ in 0..2 {
        let (keys, manager) = open();
        for ended in [&expired, &rotated, &overlapped] {
            assert!(!is_in(&keys, ended));
        }
        assert!(is_in(&keys, &valid));
        assert_eq!(block_on(manager.keys()).unwrap().iter().filter(|key| key.revoked.is_some()).count(), 3);
    }
}
