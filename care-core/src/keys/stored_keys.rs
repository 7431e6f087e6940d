//! The stored keys as an authenticator.

use std::{
    collections::HashMap,
    fmt,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use async_trait::async_trait;
use futures_timer::Delay;
use futures_util::{
    future::{Either, select},
    lock::Mutex,
};
use subtle::ConstantTimeEq;

use super::{
    auth::{Authenticator, Principal, digest},
    issued_key::PresentedKey,
};
use crate::{
    error::StoreError,
    model::{ApiKey, KeyId, Timestamp},
    service::{Clock, SystemClock},
    store::{ApiKeys, KeyPlan},
};

/// The age after which a request looks the keys up again, 250 ms.
const FRESH: Duration = Duration::from_millis(250);
/// The age after which all requests wait for the look-up, 700 ms. Until then the others use the known keys.
const STALE: Duration = Duration::from_millis(700);
/// The time after a failure during which no key is marked as ended in the store, 60 s.
const PATIENCE: Duration = Duration::from_secs(60);

/// The keys that a store keeps, issued by a [`KeyManager`](super::KeyManager).
///
/// A key that is issued, rotated or revoked by any process takes effect within a second, and an expiry at once. There
/// is no background work: the first request after a quarter of a second looks the keys up again, and the others use the
/// known keys meanwhile, without waiting. When the store cannot be read, the last known keys stay.
///
/// A key that has ended stays ended when the clock is set back: once a request has seen its expiry, it is refused from
/// then on, and marked as ended in the store, for other processes and the next start. When the mark cannot be written,
/// the log says so, and the mark is tried again a minute later.
///
/// ```
/// use std::sync::Arc;
///
/// use care_core::{keys::{Authenticator, KeyManager, KeyRing, NewKey, Scopes, StoredKeys}, model::KeyName,
/// store::MemoryStore};
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(MemoryStore::new());
/// let keys = StoredKeys::new(store.clone());
/// let new = NewKey::new(KeyName::new("front desk")?, Scopes::ALL);
/// let issued = KeyManager::new(store).issue(new).await?;
/// assert!(keys.authenticate(issued.as_str().as_bytes()).await.is_some());
///
/// // Fixed keys can stand beside the stored ones.
/// let fixed = KeyRing::new().with_key("a-long-random-key", "emergency", Scopes::ALL);
/// let both = (keys, fixed);
/// assert!(both.authenticate(b"a-long-random-key").await.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StoredKeys {
    keys: Arc<dyn ApiKeys>,
    clock: Arc<dyn Clock>,
    known: ArcSwap<KeyTable>,
    since: Instant,
    /// The time of the last look-up: milliseconds after `since`, plus 1; 0 before the first one.
    looked_up: AtomicU64,
    turn: Mutex<()>,
    /// The time from which keys may be marked as ended: milliseconds after `since`.
    marks_from: AtomicU64,
}

/// The found keys by their ids.
type KeyTable = HashMap<Box<str>, KnownKey>;

struct KnownKey {
    key: ApiKey,
    principal: Principal,
    /// Whether a request has ever seen the key's expiry. Later look-ups of the key share this.
    has_ended: Arc<AtomicBool>,
}

impl KnownKey {
    /// Returns whether the key is valid at this instant, and was valid at every instant of an earlier call.
    fn is_valid_at(&self, now: Timestamp) -> bool {
        if !self.key.is_valid_at(now) {
            self.has_ended.store(true, Ordering::Relaxed);
        }
        !self.has_ended.load(Ordering::Relaxed)
    }

    /// Returns whether the store does not know yet that the key has ended.
    fn is_unmarked_at(&self, now: Timestamp) -> bool {
        self.key.revoked.is_none() && !self.is_valid_at(now)
    }
}

impl StoredKeys {
    /// Returns an authenticator for the keys of this store, with the system's clock.
    pub fn new(keys: Arc<dyn ApiKeys>) -> Self {
        Self {
            keys,
            clock: Arc::new(SystemClock),
            known: ArcSwap::default(),
            since: Instant::now(),
            looked_up: AtomicU64::new(0),
            turn: Mutex::new(()),
            marks_from: AtomicU64::new(0),
        }
    }

    /// Sets the clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Looks the keys up if that is due. One request does so at a time; a request that is dropped meanwhile leaves its
    /// turn to the next.
    async fn refresh(&self) {
        let turn = match self.age() {
            Some(age) if age < FRESH => return,
            Some(age) if age < STALE => match self.turn.try_lock() {
                Some(turn) => turn,
                None => return,
            },
            _ => self.turn.lock().await,
        };
        if self.age().is_none_or(|age| age >= FRESH) {
            self.look_up().await;
            // Other requests need not wait for a write.
            drop(turn);
            self.mark_ended().await;
        }
    }

    /// Returns the time since the last look-up, or `None` before the first one.
    fn age(&self) -> Option<Duration> {
        let at = self.looked_up.load(Ordering::Acquire).checked_sub(1)?;
        Some(self.since.elapsed().saturating_sub(Duration::from_millis(at)))
    }

    /// Returns the milliseconds since `since`.
    fn elapsed(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }

    async fn look_up(&self) {
        let begun = self.elapsed();
        match within(STALE, pin!(self.keys.api_keys())).await {
            Some(Ok(keys)) => self.learn(keys),
            Some(Err(error)) => tracing::error!(%error, "the keys could not be read; those known last stay"),
            None => tracing::error!("the keys could not be read in time; those known last stay"),
        }
        // This follows a failure too, so that not every request tries again.
        self.looked_up.store(begun + 1, Ordering::Release);
    }

    /// Replaces the known keys by the found ones, which are equal most of the time.
    fn learn(&self, keys: Vec<ApiKey>) {
        let known = self.known.load();
        let is_same = |key: &ApiKey| known.get(key.id.as_str()).is_some_and(|found| found.key == *key);
        if keys.len() == known.len() && keys.iter().all(is_same) {
            return;
        }
        let keys = keys.into_iter().map(|key| {
            let (name, id) = (Arc::from(key.name.as_str()), Arc::from(key.id.as_str()));
            // A stored name may follow an earlier rule.
            let principal = Principal { name, id, scopes: key.scopes, expires: key.expires };
            let has_ended = known.get(key.id.as_str()).map(|known| Arc::clone(&known.has_ended)).unwrap_or_default();
            (Box::from(key.id.as_str()), KnownKey { key, principal, has_ended })
        });
        self.known.store(Arc::new(keys.collect()));
    }

    /// Marks in the store the keys whose expiry was seen. Most of the time there are none.
    async fn mark_ended(&self) {
        let now = self.clock.now();
        let known = self.known.load_full();
        let ended: Vec<KeyId> =
            known.values().filter(|known| known.is_unmarked_at(now)).map(|known| known.key.id.clone()).collect();
        if ended.is_empty() || self.elapsed() < self.marks_from.load(Ordering::Relaxed) {
            return;
        }
        let mark = move |keys: &[ApiKey]| {
            let ended = keys.iter().filter(|key| ended.contains(&key.id));
            KeyPlan { keys: ended.filter_map(|key| key.ended_at(key.expires?)).collect(), entry: None }
        };
        let failure = match within(FRESH, pin!(self.keys.decide_keys(Box::new(mark)))).await {
            Some(Ok(())) => return,
            Some(Err(error)) => error.to_string(),
            None => "the store takes too long".to_owned(),
        };
        tracing::warn!(error = failure, "keys that have expired could not be marked as ended");
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
        self.marks_from.store(self.elapsed().saturating_add(patience), Ordering::Relaxed);
    }
}

#[async_trait]
impl Authenticator for StoredKeys {
    async fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        // This early answer depends only on the form of the presented key, not on the stored keys.
        let PresentedKey { id, secret } = PresentedKey::parse(key)?;
        self.refresh().await;
        let known = self.known.load();
        let found = known.get(id);
        // An unknown id costs one hash and one comparison too, with a digest that no secret has.
        let due = found.map_or(&[0; 32], |found| found.key.digest.as_bytes());
        let is_right: bool = due.ct_eq(&digest(&*secret)).into();
        let found = found.filter(|_| is_right)?;
        let had_ended = found.has_ended.load(Ordering::Relaxed);
        if found.is_valid_at(self.clock.now()) {
            return Some(found.principal.clone());
        }
        if !had_ended {
            // The mark is stored before the holder is answered.
            self.mark_ended().await;
        }
        None
    }
}

/// Awaits a future for at most this time.
async fn within<T>(
    limit: Duration,
    answer: Pin<&mut (impl Future<Output = Result<T, StoreError>> + Send)>,
) -> Option<Result<T, StoreError>> {
    match select(answer, Delay::new(limit)).await {
        Either::Left((answer, _)) => Some(answer),
        Either::Right(_) => None,
    }
}

impl fmt::Debug for StoredKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.load();
        f.debug_list().entries(known.values().map(|known| &known.principal)).finish()
    }
}
