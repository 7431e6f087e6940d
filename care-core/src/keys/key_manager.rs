//! Issuing keys, and ending them.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::issued_key::IssuedKey;
use crate::{
    error::StoreError,
    model::{ApiKey, KeyId, KeyName, Scopes, SecretDigest, Timestamp},
    service::{Clock, SystemClock},
    store::ApiKeys,
};

/// Issues keys, and ends them. Nothing that it does is in the journal: keys are the operator's data.
#[derive(Clone)]
pub struct KeyManager {
    keys: Arc<dyn ApiKeys>,
    clock: Arc<dyn Clock>,
}

/// What a new key is to be.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Whose it is, as the journal will call them.
    pub name: KeyName,
    /// What it may.
    pub scopes: Scopes,
    /// From when it is not valid any more.
    pub expires: Option<Timestamp>,
}

/// Why a key was not issued, rotated or revoked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KeyError {
    /// No key has this id.
    #[error("no key has this id")]
    Unknown,
    /// The key was revoked, or has expired.
    #[error("the key was revoked or has expired")]
    Ended,
    /// The journal could not tell two holders of one name apart.
    #[error("a valid key has this name")]
    NameTaken,
    /// It would never be valid.
    #[error("the key would have expired already")]
    InThePast,
    /// The system has no randomness to give.
    #[error("the system has no randomness to make a key from")]
    NoRandomness,
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl fmt::Debug for KeyManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyManager").finish_non_exhaustive()
    }
}

impl KeyManager {
    /// Returns a manager of the keys of this store, by the system's clock.
    pub fn new(keys: Arc<dyn ApiKeys>) -> Self {
        Self { keys, clock: Arc::new(SystemClock) }
    }

    /// Returns the same manager, by another clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Every key that was ever issued, the oldest first.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        let mut keys = self.keys.api_keys().await?;
        keys.sort_by_key(|key| key.created);
        Ok(keys)
    }

    /// Issues a key.
    ///
    /// # Errors
    /// [`KeyError`]; then there is no such key.
    pub async fn issue(&self, new: NewKey) -> Result<IssuedKey, KeyError> {
        let now = self.clock.now();
        if new.expires.is_some_and(|expires| expires <= now) {
            return Err(KeyError::InThePast);
        }
        let (issued, digest) = IssuedKey::random().map_err(|_| KeyError::NoRandomness)?;
        let key = made(&issued, digest, new, now);
        self.decide(move |keys| {
            let is_taken = keys.iter().any(|other| other.name == key.name && other.is_valid_at(now));
            if is_taken {
                return Err(KeyError::NameTaken);
            }
            Ok(vec![unused(keys, &key)?])
        })
        .await?;
        Ok(issued)
    }

    /// Issues a key in the place of another one, with its name and scopes. The old one goes on for `overlap`, or until
    /// it expires if that is sooner. The new one expires like the old one unless said otherwise.
    ///
    /// # Errors
    /// [`KeyError`]; then nothing has changed.
    pub async fn rotate(
        &self,
        id: &KeyId,
        overlap: Duration,
        expires: Option<Timestamp>,
    ) -> Result<IssuedKey, KeyError> {
        let now = self.clock.now();
        if expires.is_some_and(|expires| expires <= now) {
            return Err(KeyError::InThePast);
        }
        let overlap = i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX);
        let end = Timestamp::from_unix_millis(now.unix_millis().saturating_add(overlap)).ok();
        let (issued, digest) = IssuedKey::random().map_err(|_| KeyError::NoRandomness)?;
        let (id, successor) = (id.clone(), issued.id().clone());
        self.decide(move |keys| {
            let old = keys.iter().find(|key| key.id == id).ok_or(KeyError::Unknown)?;
            if !old.is_valid_at(now) {
                return Err(KeyError::Ended);
            }
            let new = ApiKey {
                id: successor.clone(),
                digest,
                created: now,
                expires: expires.or(old.expires),
                replaces: Some(id.clone()),
                ..old.clone()
            };
            let ends = old.expires.into_iter().chain(end).min();
            Ok(vec![ApiKey { expires: ends, ..old.clone() }, unused(keys, &new)?])
        })
        .await?;
        Ok(issued)
    }

    /// Revokes a key. Answers it as it then is; one that was revoked before stays as it was.
    ///
    /// # Errors
    /// [`KeyError::Unknown`], or the store's failure.
    pub async fn revoke(&self, id: &KeyId) -> Result<ApiKey, KeyError> {
        let (id, now) = (id.clone(), self.clock.now());
        let mut kept = self
            .decide(move |keys| {
                let key = keys.iter().find(|key| key.id == id).ok_or(KeyError::Unknown)?;
                Ok(vec![ApiKey { revoked: key.revoked.or(Some(now)), ..key.clone() }])
            })
            .await?;
        kept.pop().ok_or(KeyError::Unknown)
    }

    /// Runs a decision in the store, which may run it on another thread: its answer is left where both sides find it.
    async fn decide(
        &self,
        mut decision: impl FnMut(&[ApiKey]) -> Result<Vec<ApiKey>, KeyError> + Send + 'static,
    ) -> Result<Vec<ApiKey>, KeyError> {
        let answer = Arc::new(Mutex::new(Ok(Vec::new())));
        let left = Arc::clone(&answer);
        let run = move |keys: &[ApiKey]| {
            let decided = decision(keys);
            let kept = decided.clone().unwrap_or_default();
            *left.lock().unwrap_or_else(PoisonError::into_inner) = decided;
            kept
        };
        self.keys.decide_keys(Box::new(run)).await?;
        let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *answer, Ok(Vec::new()))
    }
}

fn made(issued: &IssuedKey, digest: SecretDigest, new: NewKey, now: Timestamp) -> ApiKey {
    let NewKey { name, scopes, expires } = new;
    ApiKey { id: issued.id().clone(), name, scopes, digest, created: now, expires, revoked: None, replaces: None }
}

/// A key whose id no other has: 60 random bits that meet twice were none.
fn unused(keys: &[ApiKey], key: &ApiKey) -> Result<ApiKey, KeyError> {
    match keys.iter().any(|other| other.id == key.id) {
        true => Err(KeyError::NoRandomness),
        false => Ok(key.clone()),
    }
}
