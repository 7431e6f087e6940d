//! Who asks, and what they may.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::model::Scopes;

/// Who presented a key: its name, for the journal, and its scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The key's name.
    pub name: Arc<str>,
    /// What it may.
    pub scopes: Scopes,
}

/// Tells who presents a key. A host with principals of its own implements this.
pub trait Authenticator: Send + Sync {
    /// Who presents this key, as the one `api_key` header holds it; nobody when it is unknown, revoked, expired or
    /// malformed. The time it takes must not tell how near a wrong key came.
    fn authenticate(&self, key: &[u8]) -> Option<Principal>;
}

/// Both: who is nobody to the first may be somebody to the second.
impl<A: Authenticator, B: Authenticator> Authenticator for (A, B) {
    fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        self.0.authenticate(key).or_else(|| self.1.authenticate(key))
    }
}

/// A fixed set of keys, kept as SHA-256 digests.
///
/// A key is hashed until it is presented and found right. Afterwards it is compared with what was presented then.
#[derive(Default, Clone)]
pub struct KeyRing {
    keys: Vec<Held>,
}

#[derive(Clone)]
struct Held {
    digest: [u8; 32],
    principal: Principal,
    /// The key, once it was presented.
    proven: OnceLock<Zeroizing<Vec<u8>>>,
}

impl KeyRing {
    /// A ring without keys: nobody gets in.
    pub fn new() -> Self {
        Self::default()
    }

    /// With this key, under this name.
    #[must_use]
    pub fn with_key(mut self, key: &str, name: impl Into<Arc<str>>, scopes: Scopes) -> Self {
        let principal = Principal { name: name.into(), scopes };
        self.keys.push(Held { digest: digest(key.as_bytes()), principal, proven: OnceLock::new() });
        self
    }

    /// Which key is right. Every one is compared whole, so that the time tells nothing about which one came near.
    fn find(&self, is_right: impl Fn(&Held) -> Choice) -> Option<&Held> {
        let mut found = u64::MAX;
        for (index, held) in (0_u64..).zip(&self.keys) {
            found.conditional_assign(&index, is_right(held));
        }
        self.keys.get(usize::try_from(found).ok()?)
    }
}

impl Authenticator for KeyRing {
    fn authenticate(&self, key: &[u8]) -> Option<Principal> {
        let proven = self.find(|held| held.proven.get().map_or(Choice::from(0), |proven| is_same(proven, key)));
        let held = match proven {
            Some(held) => held,
            None => {
                let presented = digest(key);
                let held = self.find(|held| held.digest.ct_eq(&presented))?;
                held.proven.get_or_init(|| Zeroizing::new(key.to_vec()));
                held
            }
        };
        Some(held.principal.clone())
    }
}

impl fmt::Debug for KeyRing {
    /// Digests of keys are nobody's business either.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|held| &held.principal)).finish()
    }
}

/// Whether two keys are the same, in a time that tells nothing but whether they are equally long. Every request asks, so
/// it is eight bytes at a time.
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> Choice {
    if one.len() != other.len() {
        return Choice::from(0);
    }
    let ((words, last), (other_words, other_last)) = (one.as_chunks(), other.as_chunks());
    let word = |bytes: &[u8; 8]| u64::from_ne_bytes(*bytes);
    let same = words.iter().zip(other_words).map(|(one, other)| word(one).ct_eq(&word(other)));
    same.fold(last.ct_eq(other_last), |all, same| all & same)
}

pub(crate) fn digest(key: &[u8]) -> [u8; 32] {
    Sha256::digest(key).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_same_when_every_byte_is() {
        let key = b"0123456789abcdefghi";
        for length in 0..=key.len() {
            let one = &key[..length];
            assert!(bool::from(is_same(one, one)));
            assert!(!bool::from(is_same(one, &[one, b"x"].concat())));
            for place in 0..length {
                let mut other = one.to_vec();
                other[place] ^= 0x10;
                assert!(!bool::from(is_same(one, &other)), "{length} {place}");
            }
        }
    }

    #[test]
    fn only_the_exact_key_gets_in() {
        let ring = KeyRing::new().with_key("one", "first", Scopes::ALL).with_key("two", "second", Scopes::NONE);
        let name = |key: &str| ring.authenticate(key.as_bytes()).map(|principal| principal.name.to_string());
        // The second time without its digest.
        for _ in 0..2 {
            assert_eq!(name("one").as_deref(), Some("first"));
            assert_eq!(name("two").as_deref(), Some("second"));
        }
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
