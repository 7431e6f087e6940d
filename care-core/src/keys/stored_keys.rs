//! The keys that the store keeps, as what tells who presents one.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, TryLockError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use zeroize::Zeroizing;

use super::{
    auth::{Authenticator, Principal, digest, is_same},
    issued_key::{Presented, SECRET},
    wait::wait_for,
};
use crate::{model::ApiKey, service::CareService};

/// What is known of the keys is looked up again after so long, by whoever asks then.
const FRESH: Duration = Duration::from_millis(250);
/// What is older than this is not used any more while somebody looks it up: one waits for what is found.
const STALE: Duration = Duration::from_millis(700);

/// The keys that the service's store keeps, issued by a [`KeyManager`](super::KeyManager).
///
/// What is issued, rotated or revoked counts within a second, whichever process did it, and an expiry at once. Nothing
/// runs in the background: the first to present a key after a quarter of a second looks the keys up again on its own
/// thread, and the others use what is known meanwhile, without waiting for each other. When the store cannot be read,
/// what was known last stays.
///
/// A secret is hashed the first time it is presented. Afterwards it is compared with what was presented then, as long
/// as its key is valid.
///
/// ```
/// use care_core::{keys::{Authenticator, KeyManager, KeyRing, NewKey, Scopes, StoredKeys}, model::KeyName, rest::Api, service::CareService, store::MemoryStore};
///
/// # futures_executor::block_on(async {
/// let care = CareService::new(MemoryStore::new());
/// let keys = StoredKeys::new(&care);
/// let new = NewKey { name: KeyName::new("front desk")?, scopes: Scopes::ALL, expires: None };
/// let issued = KeyManager::new(&care).issue(new).await?;
/// assert!(keys.authenticate(issued.as_str().as_bytes()).is_some());
///
/// // Beside keys that are fixed.
/// let fixed = KeyRing::new().with_key("a-long-random-key", "emergency", Scopes::ALL);
/// let api = Api::new(care).with_keys((keys, fixed));
/// # let _ = api;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StoredKeys {
    care: CareService,
    known: ArcSwap<Known>,
    since: Instant,
    /// When the keys were looked up last: milliseconds after `since`, and one more.
    looked_up: AtomicU64,
    turn: Mutex<()>,
}

/// The keys as they were found, by their ids.
type Known = HashMap<Box<str>, Held>;

struct Held {
    key: ApiKey,
    principal: Principal,
    /// The secret, once it was presented and found right.
    proven: OnceLock<Zeroizing<[u8; SECRET]>>,
}

impl StoredKeys {
    /// The keys of this service's store, valid or not by its clock.
    pub fn new(care: &CareService) -> Self {
        Self {
            care: care.clone(),
            known: ArcSwap::default(),
            since: Instant::now(),
            looked_up: AtomicU64::new(0),
            turn: Mutex::new(()),
        }
    }

    /// Looks the keys up if it is time to.
    fn refresh(&self) {
        let Some(age) = self.age() else {
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            if self.age().is_none() {
                self.look_up();
            }
            return;
        };
        if age < FRESH {
            return;
        }
        let turn = match self.turn.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::WouldBlock) if age < STALE => return,
            Err(TryLockError::WouldBlock) => self.turn.lock().unwrap_or_else(PoisonError::into_inner),
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        };
        if self.age().is_none_or(|age| age >= FRESH) {
            self.look_up();
        }
        drop(turn);
    }

    /// How long ago they were looked up, if they ever were.
    fn age(&self) -> Option<Duration> {
        let at = self.looked_up.load(Ordering::Acquire).checked_sub(1)?;
        Some(self.since.elapsed().saturating_sub(Duration::from_millis(at)))
    }

    fn look_up(&self) {
        let begun = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX - 1);
        match wait_for(self.care.store().api_keys(), STALE) {
            Some(Ok(keys)) => self.learn(keys),
            Some(Err(error)) => tracing::error!(%error, "the keys could not be read; those known last stay"),
            None => tracing::error!("the keys could not be read in time; those known last stay"),
        }
        // After a failure too: not everybody who comes now should try again.
        self.looked_up.store(begun + 1, Ordering::Release);
    }

    /// Puts what was found in the place of what was known. Most of the time nothing has changed.
    fn learn(&self, keys: Vec<ApiKey>) {
        let known = self.known.load();
        let is_same = |key: &ApiKey| known.get(key.id.as_str()).is_some_and(|held| held.key == *key);
        if keys.len() == known.len() && keys.iter().all(is_same) {
            return;
        }
        let held = keys.into_iter().map(|key| {
            let before = known.get(key.id.as_str()).filter(|held| held.key.digest == key.digest);
            (Box::from(key.id.as_str()), Held::new(key, before))
        });
        self.known.store(Arc::new(held.collect()));
    }
}

impl Held {
    /// A key, with the secret that was proven `before`.
    fn new(key: ApiKey, before: Option<&Self>) -> Self {
        let principal = Principal { name: key.name.as_str().into(), scopes: key.scopes };
        // Of a key that will never be valid again nobody needs to remember the secret.
        let proven = before.filter(|_| key.revoked.is_none()).and_then(|held| held.proven.get());
        Self { principal, proven: proven.cloned().map_or_else(OnceLock::new, OnceLock::from), key }
    }

    /// Whether this is its secret.
    fn proves(&self, secret: &[u8; SECRET]) -> bool {
        self.proven.get().is_some_and(|proven| is_same(&proven[..], secret).into())
    }
}

impl Authenticator for StoredKeys {
    fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        // That a key has another form says nothing of those that there are.
        let Presented { id, secret } = Presented::parse(key)?;
        self.refresh();
        let known = self.known.load();
        let held = known.get(id);
        let is_right = held.is_some_and(|held| held.proves(secret)) || {
            // Whatever else is wrong costs one hash and one comparison: a key that nobody knows is held against a digest
            // that no secret has.
            let due = held.map_or(&[0; 32], |held| held.key.digest.as_bytes());
            is_same(due, &digest(secret)).into()
        };
        let held = held.filter(|held| is_right && held.key.is_valid_at(self.care.now()))?;
        held.proven.get_or_init(|| Zeroizing::new(*secret));
        Some(held.principal.clone())
    }
}

impl fmt::Debug for StoredKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.load();
        f.debug_list().entries(known.values().map(|held| &held.principal)).finish()
    }
}
