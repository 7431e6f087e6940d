//! Who asks, and what they may.

use std::{fmt, sync::Arc};

use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::model::Scopes;

/// Who presented a key: its name, for the journal, and its scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The key's name.
    pub name: Arc<str>,
    /// What it may.
    pub scopes: Scopes,
}

impl Principal {
    /// Whoever asks where no key is needed.
    pub(super) fn nobody() -> Self {
        Self { name: "nobody".into(), scopes: Scopes::NONE }
    }
}

/// Tells who presents a key. A host with principals of its own implements this.
pub trait Authenticator: Send + Sync {
    /// Who presents this key, as the one `api_key` header holds it; nobody when it is unknown, revoked, expired or
    /// malformed. The time it takes must tell nothing of the keys that there are.
    fn authenticate(&self, key: &[u8]) -> Option<Principal>;
}

/// Both: who is nobody to the first may be somebody to the second.
impl<A: Authenticator, B: Authenticator> Authenticator for (A, B) {
    fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        self.0.authenticate(key).or_else(|| self.1.authenticate(key))
    }
}

/// A fixed set of keys, kept as SHA-256 digests.
#[derive(Default, Clone)]
pub struct KeyRing {
    keys: Vec<([u8; 32], Principal)>,
}

impl KeyRing {
    /// A ring without keys: nobody gets in.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this key, under this name.
    #[must_use]
    pub fn with_key(mut self, key: &str, name: impl Into<Arc<str>>, scopes: Scopes) -> Self {
        self.keys.push((digest(key.as_bytes()), Principal { name: name.into(), scopes }));
        self
    }
}

impl Authenticator for KeyRing {
    fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        let presented = digest(key);
        // Every key is compared whole, so that the time tells nothing about which one came near.
        let mut found = u64::MAX;
        for (index, (known, _)) in (0_u64..).zip(&self.keys) {
            let equal: Choice = known.ct_eq(&presented);
            found.conditional_assign(&index, equal);
        }
        let (_, principal) = self.keys.get(usize::try_from(found).ok()?)?;
        Some(principal.clone())
    }
}

impl fmt::Debug for KeyRing {
    /// Digests of keys are nobody's business either.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|(_, principal)| principal)).finish()
    }
}

pub(super) fn digest(key: &[u8]) -> [u8; 32] {
    Sha256::digest(key).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_key_gets_in() {
        let ring = KeyRing::new().with_key("one", "first", Scopes::ALL).with_key("two", "second", Scopes::NONE);
        let name = |key: &str| ring.authenticate(key.as_bytes()).map(|principal| principal.name.to_string());
        assert_eq!(name("one").as_deref(), Some("first"));
        assert_eq!(name("two").as_deref(), Some("second"));
        for wrong in ["", "on", "One", "one ", "onetwo"] {
            assert_eq!(name(wrong), None);
        }
        assert!(KeyRing::new().authenticate(b"").is_none());
        let both = (ring, KeyRing::new().with_key("three", "third", Scopes::NONE));
        let third = both.authenticate(b"three").map(|principal| principal.name.to_string());
        assert_eq!(third.as_deref(), Some("third"));
        assert!(both.authenticate(b"one").is_some() && both.authenticate(b"four").is_none());
    }
}
