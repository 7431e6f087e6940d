//! Issuing and ending keys.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::issued_key::IssuedKey;
use crate::{
    error::StoreError,
    model::{ApiKey, KeyId, KeyName, KeyRecord, Scopes, Timestamp, new_value},
    operation::JournalOperation,
    service::{Clock, SystemClock},
    store::{Act, ApiKeys, Change, Decision, KeyPlan, Outcome, Seen},
};

/// Issues and ends stored keys, and enters that into the journal, without the secrets.
///
/// It marks each key that has expired as ended, so that the key stays ended when the clock is set back.
#[derive(Clone)]
pub struct KeyManager {
    keys: Arc<dyn ApiKeys>,
    clock: Arc<dyn Clock>,
    actor: Arc<str>,
}

/// The properties of a new key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NewKey {
    /// The name of its holder in the journal.
    #[serde(deserialize_with = "new_value")]
    pub name: KeyName,
    /// The scopes of the key.
    pub scopes: Scopes,
    /// The first instant at which it is no longer valid; `None` for a key without an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

impl NewKey {
    /// Returns a key for this holder, without an end.
    pub const fn new(name: KeyName, scopes: Scopes) -> Self {
        Self { name, scopes, expires: None }
    }

    /// Sets the first instant at which the key is no longer valid.
    #[must_use]
    pub fn until(self, expires: impl Into<Option<Timestamp>>) -> Self {
        Self { expires: expires.into(), ..self }
    }
}

/// The reason why a key was not issued, rotated or revoked.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The id is unknown.
    #[error("no key has this id")]
    Unknown,
    /// The key was revoked, or has expired.
    #[error("the key was revoked or has expired")]
    Ended,
    /// A valid key has the name, so that the journal could not distinguish the two.
    #[error("a valid key has this name")]
    NameTaken,
    /// A key, valid or not, has the name in another spelling, such as other letter case, which readers of the journal
    /// would take for another holder.
    #[error("a key has or had this name in another spelling")]
    SpeltAlike,
    /// The key would never be valid.
    #[error("the key would have expired already")]
    InThePast,
    /// The name of the actor breaks the rule of [`KeyName::check`].
    #[error("the name of the actor breaks the rule for names")]
    Actor,
    /// The system provides no random numbers.
    #[error("the system provides no random numbers for a key")]
    NoRandomness,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl fmt::Debug for KeyManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyManager").finish_non_exhaustive()
    }
}

impl KeyManager {
    /// Returns a manager of the keys of this store, with the system's clock.
    pub fn new(keys: Arc<dyn ApiKeys>) -> Self {
        Self { keys, clock: Arc::new(SystemClock), actor: Arc::from(KeyName::SERVICE) }
    }

    /// Sets the clock.
    #[must_use]
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Sets the actor, whom the journal records with every change. Its name follows the rule of [`KeyName::check`].
    #[must_use]
    pub fn acting_as(self, actor: impl Into<Arc<str>>) -> Self {
        Self { actor: actor.into(), ..self }
    }

    /// Returns every key that was ever issued, the oldest first.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        let now = self.clock.now();
        let mut keys = self.keys.api_keys().await?;
        if mark(&mut keys, now) {
            // A failure to store the marks does not change the answer.
            if let Err(error) = self.decide(now, None, |_| Ok(Vec::new())).await {
                tracing::warn!(%error, "keys that have expired could not be marked as ended");
            }
        }
        keys.sort_by_key(|key| key.created);
        Ok(keys)
    }

    /// Issues a key.
    ///
    /// # Errors
    /// [`KeyError`]; the key then does not exist.
    pub async fn issue(&self, new: NewKey) -> Result<IssuedKey, KeyError> {
        let now = self.clock.now();
        if new.expires.is_some_and(|expires| expires <= now) {
            return Err(KeyError::InThePast);
        }
        let (issued, digest) = IssuedKey::random().map_err(|_| KeyError::NoRandomness)?;
        let NewKey { name, scopes, expires } = new;
        let id = issued.id().clone();
        let key = ApiKey { id, name, scopes, digest, created: now, expires, revoked: None, replaces: None };
        self.decide(now, Some(JournalOperation::IssueKey), move |keys| {
            // A holder is known by the spelling of the first key, also once all keys of that name have ended.
            for other in keys.iter().filter(|other| other.name.means(&key.name)) {
                if other.name != key.name {
                    return Err(KeyError::SpeltAlike);
                }
                if other.is_valid_at(now) {
                    return Err(KeyError::NameTaken);
                }
            }
            Ok(vec![unused(keys, &key)?])
        })
        .await?;
        Ok(issued)
    }

    /// Issues a key in the place of another one, with its name and scopes. The old key stays valid for `overlap`, or
    /// until it expires if that is sooner; without an overlap it is revoked. The new key expires with the old one
    /// unless `expires` is given.
    ///
    /// # Errors
    /// [`KeyError`]; the keys are then unchanged.
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
        let millis = i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX);
        let end = Timestamp::from_unix_millis(now.unix_millis().saturating_add(millis)).ok();
        let (issued, digest) = IssuedKey::random().map_err(|_| KeyError::NoRandomness)?;
        let (id, successor) = (id.clone(), issued.id().clone());
        self.decide(now, Some(JournalOperation::RotateKey), move |keys| {
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
            let old = match overlap {
                Duration::ZERO => ApiKey { revoked: Some(now), ..old.clone() },
                _ => ApiKey { expires: old.expires.into_iter().chain(end).min(), ..old.clone() },
            };
            Ok(vec![old, unused(keys, &new)?])
        })
        .await?;
        Ok(issued)
    }

    /// Revokes a key, and returns it afterwards. A key that had ended before is not changed.
    ///
    /// # Errors
    /// [`KeyError::Unknown`], or the store's failure.
    pub async fn revoke(&self, id: &KeyId) -> Result<ApiKey, KeyError> {
        let (id, now) = (id.clone(), self.clock.now());
        let mut kept = self
            .decide(now, Some(JournalOperation::RevokeKey), move |keys| {
                let key = keys.iter().find(|key| key.id == id).ok_or(KeyError::Unknown)?;
                Ok(vec![ApiKey { revoked: key.revoked.or(Some(now)), ..key.clone() }])
            })
            .await?;
        kept.pop().ok_or(KeyError::Unknown)
    }

    /// Runs a decision in the store, which may do so on another thread; the result is shared with this one. The
    /// decision sees expired keys marked as ended. The marks are stored even when the decision refuses, and the journal
    /// says nothing of them: it has the expiry.
    async fn decide(
        &self,
        now: Timestamp,
        operation: Option<JournalOperation>,
        mut decision: impl FnMut(&[ApiKey]) -> Result<Vec<ApiKey>, KeyError> + Send + 'static,
    ) -> Result<Vec<ApiKey>, KeyError> {
        KeyName::check(&self.actor).map_err(|_| KeyError::Actor)?;
        let act = operation.map(|operation| Act::new(Arc::clone(&self.actor), operation, now));
        let answer = Arc::new(Mutex::new(Ok(Vec::new())));
        let left = Arc::clone(&answer);
        let run = move |keys: &[ApiKey]| {
            let mut marked = keys.to_vec();
            mark(&mut marked, now);
            let decided = decision(&marked);
            let mut kept = decided.clone().unwrap_or_default();
            let changed = kept.iter().filter(|key| !marked.contains(key)).map(KeyRecord::from);
            let changes: Vec<_> = changed.map(Change::put).collect();
            let entry = act.clone().filter(|_| !changes.is_empty()).map(|act| {
                let decision = Box::new(move |_: &Seen| Ok(Outcome::from(changes.clone())));
                (act, decision as Decision)
            });
            let ended = keys.iter().filter_map(|key| key.ended_at(now));
            let ended: Vec<_> = ended.filter(|ended| kept.iter().all(|kept| kept.id != ended.id)).collect();
            kept.extend(ended);
            *left.lock().unwrap_or_else(PoisonError::into_inner) = decided;
            KeyPlan { keys: kept, entry }
        };
        self.keys.decide_keys(Box::new(run)).await?;
        let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *answer, Ok(Vec::new()))
    }
}

/// Marks expired keys as ended, and returns whether there were any.
fn mark(keys: &mut [ApiKey], now: Timestamp) -> bool {
    let mut any = false;
    for key in keys {
        if let Some(ended) = key.ended_at(now) {
            *key = ended;
            any = true;
        }
    }
    any
}

/// Returns the key, or an error when another key has its id: 60 random bits that meet twice were not random.
fn unused(keys: &[ApiKey], key: &ApiKey) -> Result<ApiKey, KeyError> {
    match keys.iter().any(|other| other.id == key.id) {
        true => Err(KeyError::NoRandomness),
        false => Ok(key.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn a_new_key_is_read_from_json_by_the_rules_of_today() {
        let key = json!({"name": "Front desk", "scopes": "patient:read", "expires": "2099-12-31T00:00:00.000Z"});
        let new: NewKey = from_value(key.clone()).unwrap();
        assert_eq!(serde_json::to_value(&new).unwrap(), key);
        let endless = from_value::<NewKey>(json!({"name": "Front desk", "scopes": "patient:read"})).unwrap();
        assert_eq!(endless, new.until(None));
        for name in KeyName::RESERVED.into_iter().chain(["key-7", "", " desk"]) {
            assert!(from_value::<NewKey>(json!({"name": name, "scopes": "admin"})).is_err(), "{name:?}");
        }
    }
}
