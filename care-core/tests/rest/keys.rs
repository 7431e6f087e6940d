//! Stored keys from their issue to their end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use care_core::{
    error::{StoreError, StoreErrorKind},
    keys::{Authenticator, IssuedKey, KeyError, KeyManager, NewKey, StoredKeys},
    model::{ApiKey, KeyId, KeyName, Scope, Scopes, Timestamp},
    rest::Api,
    service::{CareService, Clock},
    store::{ApiKeys, KeyDecision, MemoryStore},
};
use futures_executor::block_on;

use crate::text;

/// The time limit within which a change of keys must take effect.
const LIMIT: Duration = Duration::from_secs(1);

struct Desk {
    store: Arc<MemoryStore>,
    keys: StoredKeys,
    manager: KeyManager,
    now: Arc<AtomicI64>,
}

/// A store whose keys can be read, but not written.
struct ReadOnly(Arc<MemoryStore>);

#[async_trait]
impl ApiKeys for ReadOnly {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        self.0.api_keys().await
    }

    async fn decide_keys(&self, _: KeyDecision) -> Result<(), StoreError> {
        Err(StoreErrorKind::Full.into())
    }
}

impl Desk {
    fn new() -> Self {
        let now = Arc::new(AtomicI64::new(1_773_576_000_000));
        let store = Arc::new(MemoryStore::new());
        let keys = StoredKeys::new(store.clone()).with_clock(clock(&now));
        let manager = KeyManager::new(store.clone()).with_clock(clock(&now));
        Self { store, keys, manager, now }
    }

    /// Returns the desk after a restart, without its memory.
    fn restarted(self) -> Self {
        Self { keys: StoredKeys::new(self.store.clone()).with_clock(clock(&self.now)), ..self }
    }

    fn pass(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }

    fn after(&self, millis: i64) -> Timestamp {
        Timestamp::from_unix_millis(self.now.load(Ordering::SeqCst) + millis).unwrap()
    }

    fn issue(&self, name: &str) -> Result<IssuedKey, KeyError> {
        block_on(self.manager.issue(new(name)))
    }

    /// Returns the name of the key's principal, or `None` when the key is refused.
    fn name(&self, key: &IssuedKey) -> Option<String> {
        let principal = block_on(self.keys.authenticate(key.as_str().as_bytes()));
        principal.map(|principal| principal.name().to_owned())
    }

    /// Waits until a key is valid or not, for the promised time at most.
    fn turns(&self, key: &IssuedKey, is_in: bool) {
        let begun = Instant::now();
        while self.name(key).is_some() != is_in {
            assert!(begun.elapsed() < LIMIT, "it takes too long");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn clock(now: &Arc<AtomicI64>) -> impl Clock + Clone + 'static {
    let ticking = Arc::clone(now);
    move || Timestamp::from_unix_millis(ticking.load(Ordering::SeqCst)).unwrap()
}

fn new(name: &str) -> NewKey {
    NewKey::new(KeyName::new(name).unwrap(), Scopes::ALL)
}

fn refused<T>(outcome: Result<T, KeyError>) -> KeyError {
    match outcome {
        Err(error) => error,
        Ok(_) => panic!("it was not refused"),
    }
}

#[test]
fn a_key_is_valid_from_its_issue_until_it_is_revoked() {
    let desk = Desk::new();
    let first = desk.issue("front desk").unwrap();
    assert_eq!(desk.name(&first).as_deref(), Some("front desk"));
    // The keys are known by now. A new key, and its end, must still be noticed.
    let second = desk.issue("ward").unwrap();
    desk.turns(&second, true);
    let revoked = block_on(desk.manager.revoke(second.id())).unwrap();
    assert_eq!(revoked.revoked, Some(desk.after(0)));
    desk.turns(&second, false);
    assert_eq!(desk.name(&first).as_deref(), Some("front desk"));
    // Only the first revocation counts.
    desk.now.fetch_add(1000, Ordering::SeqCst);
    assert_eq!(block_on(desk.manager.revoke(second.id())).unwrap(), revoked);
}

#[test]
fn a_key_ends_at_once_when_it_expires() {
    let desk = Desk::new();
    let expires = Some(desk.after(10));
    let key = block_on(desk.manager.issue(new("guest").until(expires))).unwrap();
    desk.now.fetch_add(9, Ordering::SeqCst);
    assert!(desk.name(&key).is_some());
    desk.now.fetch_add(1, Ordering::SeqCst);
    assert_eq!(desk.name(&key), None);
    assert!(matches!(refused(block_on(desk.manager.issue(new("other").until(expires)))), KeyError::InThePast));
}

#[test]
fn after_a_rotation_both_are_valid_for_a_while() {
    let desk = Desk::new();
    let end = desk.after(1_000_000);
    let old = block_on(desk.manager.issue(new("lab").until(end))).unwrap();
    desk.now.fetch_add(1, Ordering::SeqCst);
    let new = block_on(desk.manager.rotate(old.id(), Duration::from_secs(60), None)).unwrap();
    desk.turns(&new, true);
    desk.now.fetch_add(59_999, Ordering::SeqCst);
    assert_eq!((desk.name(&old), desk.name(&new)), (Some("lab".to_owned()), Some("lab".to_owned())));
    desk.now.fetch_add(1, Ordering::SeqCst);
    assert_eq!((desk.name(&old), desk.name(&new)), (None, Some("lab".to_owned())));
    let keys = block_on(desk.manager.keys()).unwrap();
    let [before, after] = &keys[..] else { panic!("{keys:?}") };
    assert_eq!((&before.id, before.revoked), (old.id(), before.expires));
    assert_eq!((after.replaces.as_ref(), after.expires, after.scopes), (Some(old.id()), Some(end), before.scopes));

    // An ended key cannot be rotated, and an overlap never outlasts the key.
    let again = block_on(desk.manager.rotate(old.id(), Duration::ZERO, None));
    assert!(matches!(refused(again), KeyError::Ended));
    let last = block_on(desk.manager.rotate(new.id(), Duration::MAX, Some(desk.after(5_000_000)))).unwrap();
    let keys = block_on(desk.manager.keys()).unwrap();
    assert_eq!(keys.iter().find(|key| key.id == *new.id()).unwrap().expires, Some(end));
    desk.turns(&last, true);
}

/// An hour and a day, in milliseconds.
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

#[test]
fn an_ended_key_stays_ended_when_the_clock_goes_back() {
    let desk = Desk::new();
    let expires = Some(desk.after(HOUR));
    let expired = block_on(desk.manager.issue(new("expired").until(expires))).unwrap();
    let (rotated, overlapped, revoked) =
        (desk.issue("rotated").unwrap(), desk.issue("overlapped").unwrap(), desk.issue("revoked").unwrap());
    let valid = block_on(desk.manager.rotate(rotated.id(), Duration::ZERO, None)).unwrap();
    drop(block_on(desk.manager.rotate(overlapped.id(), Duration::from_secs(60), None)).unwrap());
    block_on(desk.manager.revoke(revoked.id())).unwrap();
    let (ended, later) = ([&rotated, &revoked], [&expired, &overlapped]);
    desk.pass(HOUR - 1);
    assert_eq!((desk.name(&expired).is_some(), desk.name(&overlapped)), (true, None));
    // The mark is set once, at the instant of the end.
    desk.pass(1);
    assert_eq!(desk.name(&expired), None);
    let desk = [0, -DAY, -DAY].into_iter().fold(desk, |desk, passed| {
        desk.pass(passed);
        assert!(ended.iter().chain(&later).all(|key| desk.name(key).is_none()), "{passed}");
        let desk = desk.restarted();
        assert!(ended.iter().chain(&later).all(|key| desk.name(key).is_none()), "{passed}, after a restart");
        assert!(desk.name(&valid).is_some());
        desk
    });
    for key in ended.into_iter().chain(later) {
        let again = block_on(desk.manager.rotate(key.id(), Duration::ZERO, None));
        assert!(matches!(refused(again), KeyError::Ended));
    }
}

#[test]
fn a_key_that_no_request_presents_is_seen_to_end_by_other_requests_and_by_the_manager() {
    for by_request in [true, false] {
        let desk = Desk::new();
        let expires = Some(desk.after(HOUR));
        let expired = block_on(desk.manager.issue(new("expired").until(expires))).unwrap();
        let other = desk.issue("other").unwrap();
        desk.pass(HOUR);
        if by_request {
            assert!(desk.name(&other).is_some());
        } else {
            // A refused decision sets the mark too.
            assert!(matches!(refused(desk.issue("other")), KeyError::NameTaken));
        }
        desk.pass(-DAY);
        let desk = desk.restarted();
        assert_eq!((desk.name(&expired), desk.name(&other).is_some()), (None, true));
        let kept = block_on(desk.manager.keys()).unwrap();
        assert_eq!(kept.iter().find(|key| key.id == *expired.id()).unwrap().revoked, expires);
        // The name is free again, and the new key is independent of the old one.
        let new = block_on(desk.manager.issue(new("expired").until(expires))).unwrap();
        desk.turns(&new, true);
    }
}

#[test]
fn the_end_of_a_key_is_kept_in_mind_where_it_cannot_be_written() {
    let desk = Desk::new();
    let keys = StoredKeys::new(Arc::new(ReadOnly(desk.store.clone()))).with_clock(clock(&desk.now));
    let manager = KeyManager::new(Arc::new(ReadOnly(desk.store.clone()))).with_clock(clock(&desk.now));
    let expires = Some(desk.after(HOUR));
    let key = block_on(desk.manager.issue(new("guest").until(expires))).unwrap();
    let other = desk.issue("other").unwrap();
    let is_in = |key: &IssuedKey| block_on(keys.authenticate(key.as_str().as_bytes())).is_some();
    assert!(is_in(&key));
    desk.pass(HOUR);
    assert!(!is_in(&key) && is_in(&other));
    assert_eq!(block_on(manager.keys()).unwrap().iter().filter(|key| key.revoked.is_some()).count(), 1);
    desk.pass(-DAY);
    assert!(!is_in(&key) && is_in(&other));
    // The key is still refused after the next look-up.
    thread::sleep(Duration::from_millis(300));
    assert!(!is_in(&key) && is_in(&other));
}

#[test]
fn two_valid_keys_of_one_name_are_those_of_a_rotation() {
    let desk = Desk::new();
    let key = desk.issue("desk").unwrap();
    assert!(matches!(refused(desk.issue("desk")), KeyError::NameTaken));
    for same in ["Desk", "DE\u{200b}SK", "de\u{ad}sk"] {
        assert!(matches!(refused(desk.issue(same)), KeyError::SpeltAlike), "{same:?}");
    }
    assert_eq!(block_on(desk.manager.keys()).unwrap().len(), 1);
    block_on(desk.manager.revoke(key.id())).unwrap();
    // A holder whose keys have all ended is still known by every spelling.
    for same in ["Desk", "DE\u{200b}SK", "de\u{ad}sk"] {
        assert!(matches!(refused(desk.issue(same)), KeyError::SpeltAlike), "{same:?}");
    }
    assert!(desk.issue("desk").is_ok());
    let nobody = KeyId::new("nobody000000").unwrap();
    assert!(matches!(refused(block_on(desk.manager.revoke(&nobody))), KeyError::Unknown));
    assert!(matches!(refused(block_on(desk.manager.rotate(&nobody, Duration::ZERO, None))), KeyError::Unknown));
}

#[test]
fn a_key_may_what_its_scopes_say() {
    let desk = Desk::new();
    let scopes = [Scope::PatientRead].into_iter().collect();
    let key = block_on(desk.manager.issue(NewKey::new(KeyName::new("reader").unwrap(), scopes))).unwrap();
    let api = Api::new(CareService::new(MemoryStore::new())).with_keys(desk.keys);
    let status = |path: &str| {
        let request = http::Request::get(format!("/1.0.0{path}")).header("api_key", key.as_str());
        block_on(api.handle(request.body(bytes::Bytes::new()).unwrap())).status().as_u16()
    };
    assert_eq!((status("/patient/1"), status("/journal")), (404, 403));
}

#[test]
fn nothing_of_a_secret_is_kept_or_shown() {
    let desk = Desk::new();
    let key = desk.issue("desk").unwrap();
    assert!(desk.name(&key).is_some());
    let secret = key.as_str().split('_').nth(2).unwrap().to_owned();
    let kept = serde_json::to_string(&block_on(desk.manager.keys()).unwrap()).unwrap();
    let shown = format!("{kept} {:?} {:?}", desk.keys, block_on(desk.manager.keys()));
    assert!(!shown.contains(&secret) && shown.contains(key.id().as_str()));
    // The stored digest is not a valid key.
    let [ref only] = block_on(desk.manager.keys()).unwrap()[..] else { panic!("one key") };
    let digest: String = only.digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(block_on(desk.keys.authenticate(digest.as_bytes())).is_none());
}

#[test]
fn the_journal_shows_what_becomes_of_keys_and_events_do_not() {
    let desk = Desk::new();
    let scopes = [Scope::PatientRead].into_iter().collect();
    let key = block_on(desk.manager.issue(NewKey::new(KeyName::new("reader").unwrap(), scopes))).unwrap();
    let admin = desk.issue("admin").unwrap();
    block_on(desk.manager.revoke(key.id())).unwrap();
    let api = Api::new(CareService::new(desk.store.clone())).with_keys(desk.keys);
    let get = |path: &str, accept: &str| {
        let request = http::Request::get(format!("/1.0.0{path}")).header("api_key", admin.as_str());
        let request = request.header("accept", accept).body(bytes::Bytes::new()).unwrap();
        text(&block_on(api.handle(request))).to_owned()
    };
    let journal: serde_json::Value = serde_json::from_str(&get("/journal", "application/json")).unwrap();
    let revoked =
        serde_json::json!({"name": "reader", "scopes": ["patient:read"], "revoked": "2026-03-15T12:00:00.000Z"});
    let change = serde_json::json!({"change": "put", "record": "Key", "id": key.id().as_str(), "value": revoked});
    assert_eq!(journal["items"][2]["changes"], serde_json::json!([change]));
    assert_eq!(
        (&journal["items"][2]["operation"], &journal["items"][2]["actor"]),
        (&"revokeKey".into(), &"service".into())
    );
    assert!(get("/journal", "application/xml").contains("<scopes>patient:read</scopes><revoked>2026-03-15"));
    assert!(get("/events", "application/json").starts_with(r#"{"items":[]"#));
    let news = get("/news?after=0", "application/json");
    assert!(news.contains(r#""seq":3"#) && !news.contains("Key"), "{news}");
    block_on(care_core::audit::verify_with_keys(&desk.store, &desk.store, None)).unwrap();
}
