//! The keys that the store keeps, as what tells who presents one.

use std::{
    collections::HashMap,
    fmt,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
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
    issued_key::Presented,
};
use crate::{
    error::StoreError,
    model::ApiKey,
    service::{Clock, SystemClock},
    store::ApiKeys,
};

/// The keys that are known are looked up again once they are this old.
const FRESH: Duration = Duration::from_millis(250);
/// Keys that are older than this are no longer used while a request looks them up: the other requests wait for it.
const STALE: Duration = Duration::from_millis(700);

/// The keys that a store keeps, issued by a [`KeyManager`](super::KeyManager).
///
/// A key that is issued, rotated or revoked by any process counts within a second, and an expiry at once. Nothing runs in
/// the background: the first request after a quarter of a second looks the keys up again, and the others use what is
/// known meanwhile, without waiting for it. When the store cannot be read, the keys that were known last stay.
///
/// ```
/// use std::sync::Arc;
///
/// use care_core::{keys::{Authenticator, KeyManager, KeyRing, NewKey, Scopes, StoredKeys}, model::KeyName, store::MemoryStore};
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(MemoryStore::new());
/// let keys = StoredKeys::new(store.clone());
/// let new = NewKey { name: KeyName::new("front desk")?, scopes: Scopes::ALL, expires: None };
/// let issued = KeyManager::new(store).issue(new).await?;
/// assert!(keys.authenticate(issued.as_str().as_bytes()).await.is_some());
///
/// // Beside keys that are fixed.
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
    known: ArcSwap<Known>,
    since: Instant,
    /// When the keys were looked up last: milliseconds after `since`, plus 1; 0 before the first time.
    looked_up: AtomicU64,
    turn: Mutex<()>,
}

/// The keys as they were found, by their ids.
type Known = HashMap<Box<str>, KnownKey>;

struct KnownKey {
    key: ApiKey,
    principal: Principal,
}

impl StoredKeys {
    /// Returns the keys of this store, valid or not by the system's clock.
    pub fn new(keys: Arc<dyn ApiKeys>) -> Self {
        Self {
            keys,
            clock: Arc::new(SystemClock),
            known: ArcSwap::default(),
            since: Instant::now(),
            looked_up: AtomicU64::new(0),
            turn: Mutex::new(()),
        }
    }

    /// Returns the same keys, valid or not by another clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Looks the keys up if it is time to. One request does so at a time; a request that is dropped meanwhile leaves its
    /// turn to the next.
    async fn refresh(&self) {
        let _turn = match self.age() {
            Some(age) if age < FRESH => return,
            Some(age) if age < STALE => match self.turn.try_lock() {
                Some(turn) => turn,
                None => return,
            },
            _ => self.turn.lock().await,
        };
        if self.age().is_none_or(|age| age >= FRESH) {
            self.look_up().await;
        }
    }

    /// Returns how long ago the keys were looked up, if they ever were.
    fn age(&self) -> Option<Duration> {
        let at = self.looked_up.load(Ordering::Acquire).checked_sub(1)?;
        Some(self.since.elapsed().saturating_sub(Duration::from_millis(at)))
    }

    async fn look_up(&self) {
        let begun = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX - 1);
        match within(STALE, pin!(self.keys.api_keys())).await {
            Some(Ok(keys)) => self.learn(keys),
            Some(Err(error)) => tracing::error!(%error, "the keys could not be read; those known last stay"),
            None => tracing::error!("the keys could not be read in time; those known last stay"),
        }
        // After a failure too: not every request that comes now should try again.
        self.looked_up.store(begun + 1, Ordering::Release);
    }

    /// Puts what was found in the place of what was known. Most of the time nothing has changed.
    fn learn(&self, keys: Vec<ApiKey>) {
        let known = self.known.load();
        let is_same = |key: &ApiKey| known.get(key.id.as_str()).is_some_and(|found| found.key == *key);
        if keys.len() == known.len() && keys.iter().all(is_same) {
            return;
        }
        let keys = keys.into_iter().map(|key| {
            let principal =
                Principal { name: key.name.as_str().into(), id: key.id.as_str().into(), scopes: key.scopes };
            (Box::from(key.id.as_str()), KnownKey { key, principal })
        });
        self.known.store(Arc::new(keys.collect()));
    }
}

#[async_trait]
impl Authenticator for StoredKeys {
    async fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        // That a key has another form says nothing of those that there are.
        let Presented { id, secret } = Presented::parse(key)?;
        self.refresh().await;
        let known = self.known.load();
        let found = known.get(id);
        // An unknown id costs one hash and one comparison as well: it is held against a digest that no secret has.
        let due = found.map_or(&[0; 32], |found| found.key.digest.as_bytes());
        let is_right: bool = due.ct_eq(&digest(secret)).into();
        let found = found.filter(|found| is_right && found.key.is_valid_at(self.clock.now()))?;
        Some(found.principal.clone())
    }
}

/// Awaits an answer for at most this long.
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
