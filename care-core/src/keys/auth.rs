//! Principals, and the check of presented keys.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use subtle::{ConditionallySelectable, ConstantTimeEq};

use crate::model::{Invalid, KeyName, Scopes, Timestamp};

/// The holder of a valid key, or a user of the host: the name for the journal, the id and the scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Principal {
    pub(crate) name: Arc<str>,
    /// The identifier of the client, to whom stored replies belong. An issued key has its own, whatever its name.
    pub id: Arc<str>,
    /// The scopes.
    pub scopes: Scopes,
    /// The first instant at which it is no longer valid; `None` for one without an end. From then on each request is
    /// 401, also one that arrived before and has waited since.
    pub expires: Option<Timestamp>,
}

impl Principal {
    /// Returns a client of this name, with scopes that do not end. The name is also its identifier.
    ///
    /// ```
    /// use care_core::{keys::Principal, model::Scopes};
    ///
    /// assert_eq!(Principal::new("front desk", Scopes::ALL)?.name(), "front desk");
    /// // In the journal it would be taken for the program.
    /// assert!(Principal::new("care-admin", Scopes::ALL).is_err());
    /// # Ok::<(), care_core::model::Invalid>(())
    /// ```
    ///
    /// # Errors
    /// The broken rule of [`KeyName`], which holds for users of a host as well: no name of an
    /// [actor of the service itself](KeyName::RESERVED), at most 64 characters, no white space at either end, and no
    /// control characters.
    pub fn new(name: impl Into<Arc<str>>, scopes: Scopes) -> Result<Self, Invalid> {
        let name = name.into();
        KeyName::new(&*name)?;
        Ok(Self { id: Arc::clone(&name), name, scopes, expires: None })
    }

    /// Returns the name. The journal names it with every change, and no change is made under another name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is no longer valid at this instant.
    #[cfg(feature = "rest")]
    pub(crate) fn has_ended_at(&self, now: impl FnOnce() -> Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now())
    }

    /// Sets an identifier that is not the name, for clients that act under one name.
    #[must_use]
    pub fn with_id(self, id: impl Into<Arc<str>>) -> Self {
        Self { id: id.into(), ..self }
    }

    /// Sets the first instant at which it is [no longer valid](Self::expires).
    #[must_use]
    pub fn until(self, expires: impl Into<Option<Timestamp>>) -> Self {
        Self { expires: expires.into(), ..self }
    }
}

/// A check of presented keys. A host with principals of its own implements this, or passes a [`Principal`] with the
/// request, see [`Api::with_host_principals`](crate::rest::Api::with_host_principals).
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// Returns the principal of this key, which is the value of the single `api_key` header; `None` when the key is
    /// unknown, revoked, expired or malformed. The time of the check must not depend on how much of a wrong key is
    /// right.
    async fn authenticate(&self, key: &[u8]) -> Option<Principal>;
}

/// Asks the first authenticator, and the second one for a key that the first does not know.
#[async_trait]
impl<A: Authenticator, B: Authenticator> Authenticator for (A, B) {
    async fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        match self.0.authenticate(key).await {
            None => self.1.authenticate(key).await,
            found => found,
        }
    }
}

#[async_trait]
impl<T: Authenticator + ?Sized> Authenticator for Arc<T> {
    async fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        T::authenticate(self, key).await
    }
}

/// A fixed set of keys, stored as SHA-256 digests.
#[derive(Default, Clone)]
pub struct KeyRing {
    keys: Vec<RingKey>,
}

#[derive(Clone)]
struct RingKey {
    digest: [u8; 32],
    principal: Principal,
}

impl KeyRing {
    /// Returns a ring without keys, which refuses every client.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the ring with this key, under this name. Keys with the same name are one client: an answer that is kept
    /// for one of them is given to the others as well.
    #[must_use]
    pub fn with_key(mut self, key: &str, name: impl Into<Arc<str>>, scopes: Scopes) -> Self {
        let name = name.into();
        // Ids of stored keys have another form.
        let principal = Principal { id: format!("={name}").into(), name, scopes, expires: None };
        self.keys.push(RingKey { digest: digest(key.as_bytes()), principal });
        self
    }

    /// Returns the key with this digest. Every digest is compared as a whole, so that the time does not depend on how
    /// much of the key is right.
    fn find(&self, presented: &[u8; 32]) -> Option<&RingKey> {
        let mut found = u64::MAX;
        for (index, key) in (0_u64..).zip(&self.keys) {
            found.conditional_assign(&index, key.digest.ct_eq(presented));
        }
        self.keys.get(usize::try_from(found).ok()?)
    }
}

#[async_trait]
impl Authenticator for KeyRing {
    async fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        Some(self.find(&digest(key))?.principal.clone())
    }
}

impl fmt::Debug for KeyRing {
    /// Shows only the principals: digests of keys stay out of logs, too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|key| &key.principal)).finish()
    }
}

pub(crate) fn digest(key: &[u8]) -> [u8; 32] {
    Sha256::digest(key).into()
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;

    use super::*;

    #[test]
    fn a_user_of_a_host_is_called_as_the_holder_of_a_key_may_be() {
        let long = "a".repeat(65);
        let others = ["Care-Admin", "key-7", "", " ", "ada ", " ada", "a\nb", "a\u{7}b", "\u{200b}", &long];
        for refused in KeyName::RESERVED.into_iter().chain(others) {
            assert!(Principal::new(refused, Scopes::ALL).is_err(), "{refused:?}");
        }
        for name in ["ada", "Dr \u{e9}", &long[1..]] {
            assert_eq!(Principal::new(name, Scopes::ALL).unwrap().name(), name);
        }
    }

    #[test]
    fn only_the_exact_key_gets_in() {
        let ring = KeyRing::new().with_key("one", "first", Scopes::ALL).with_key("two", "second", Scopes::NONE);
        let ask = |keys: &dyn Authenticator, key: &str| {
            let principal = block_on(keys.authenticate(key.as_bytes()));
            principal.map(|principal| principal.name.to_string())
        };
        let name = |key: &str| ask(&ring, key);
        assert_eq!(name("one").as_deref(), Some("first"));
        assert_eq!(name("two").as_deref(), Some("second"));
        for wrong in ["", "on", "One", "one ", "onetwo"] {
            assert_eq!(name(wrong), None);
        }
        assert_eq!(ask(&KeyRing::new(), ""), None);
        let both = (ring.clone(), Arc::new(KeyRing::new().with_key("three", "third", Scopes::NONE)));
        assert_eq!(ask(&both, "three").as_deref(), Some("third"));
        assert!(ask(&both, "one").is_some() && ask(&both, "four").is_none());
    }
}
