//! A clock that goes back a day, to 1970, to 2100, and then to the right time again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::Duration,
};

use care_conformance::Dice;
use care_core::{
    keys::{KeyManager, NewKey, Scopes, StoredKeys},
    model::{KeyId, KeyName, Timestamp},
    service::CareService,
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{Clinic, Failure, Finding, Inside, NOTHING, Request, Run, stock, told};

/// 2026-03-15T23:30:00Z.
const NOW: i64 = 1_773_617_400_000;
const HOUR: i64 = 3_600_000;
/// The clock's times in milliseconds since 1970: right, a day back, in 1970, in 2100, right again.
const TRAVEL: [i64; 5] = [NOW, NOW - 24 * HOUR, HOUR, NOW + 74 * 8766 * HOUR, NOW + 2 * HOUR];
/// Longest time in which a server must follow a change of keys: a second, and some slack.
const FOLLOWS: Duration = Duration::from_millis(1100);

/// Lets clients write at each of the clock's times. No write is lost, and expired or revoked keys stay invalid.
pub(crate) fn travel(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (mut acknowledged, mut answers) = (0, 0);
    run.play(|_, dice| {
        let (writes, refused) = one(dice)?;
        acknowledged += writes;
        answers += refused;
        Ok(())
    })?;
    let often = format!("{} times; {acknowledged} writes acknowledged", run.rounds);
    Ok(vec![Finding::new(often).found(format!("{NOTHING}; {answers} answers to ended keys, each 401"))])
}

fn one(dice: &mut Dice) -> Result<(u64, u64), Failure> {
    let mut clinic = Clinic::new()?;
    let clock = Arc::new(AtomicI64::new(NOW));
    let mut ended: Vec<String> = Vec::new();
    let mut refused = 0;
    for (stop, at) in TRAVEL.into_iter().enumerate() {
        let (store, read) = (Arc::new(SqliteStore::open(clinic.database())?), Arc::clone(&clock));
        let now = move || {
            let at = Timestamp::from_unix_millis(read.load(Ordering::SeqCst));
            at.expect("an instant within the years 1900 to 9999")
        };
        let care = CareService::new(Arc::clone(&store)).with_clock(now.clone());
        let keys = StoredKeys::new(store.clone()).with_clock(now.clone());
        let inside = Inside::with_issued_keys(care, keys);
        stock(&mut inside.clone())?;
        if stop == 0 {
            ended = ended_keys(&KeyManager::new(store).with_clock(now), &clock, &inside)?;
        }
        clock.store(at, Ordering::SeqCst);
        clinic.write_for(Duration::from_millis(100), inside.ports(4), dice)?;
        thread::sleep(FOLLOWS);
        for (key, how) in ended.iter().zip(["was rotated", "has expired"]) {
            told(&mut inside.by(key), &Request::get("/inventory/Ibuprofen"), 401)
                .map_err(|failure| failure.when(format!("at stop {stop} of the clock, by a key that {how}")))?;
            refused += 1;
        }
    }
    clinic.prove()?;
    Ok((clinic.storm.acknowledged(), refused))
}

/// Issues two keys and makes both invalid: rotates one without an overlap, and lets the other expire. Returns both once
/// the service refuses them.
fn ended_keys(manager: &KeyManager, clock: &AtomicI64, inside: &Inside) -> Result<Vec<String>, Failure> {
    let issue = |name: &str, expires: Option<i64>| -> Result<String, Failure> {
        let name = KeyName::new(name)?;
        let expires = expires.map(Timestamp::from_unix_millis).transpose()?;
        let new = NewKey { name, scopes: Scopes::ALL, expires };
        Ok(block_on(manager.issue(new))?.as_str().to_owned())
    };
    let rotated = issue("Rotated", None)?;
    let expired = issue("Expired", Some(NOW + HOUR))?;
    let id = rotated.split('_').nth(1).unwrap_or_default();
    let id = KeyId::new(id)?;
    drop(block_on(manager.rotate(&id, Duration::ZERO, None))?);
    clock.store(NOW + 2 * HOUR, Ordering::SeqCst);
    thread::sleep(FOLLOWS);
    for key in [&rotated, &expired] {
        told(&mut inside.by(key), &Request::get("/inventory/Ibuprofen"), 401)?;
    }
    Ok(vec![rotated, expired])
}
