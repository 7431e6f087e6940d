//! Who asks, and what they may.

use std::{fmt, str::FromStr, sync::Arc};

use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// What a key may be allowed. Scopes imply nothing: neither `admin` nor a `:write` includes another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words say it")]
pub enum Scope {
    PatientRead,
    PatientWrite,
    HistoryRead,
    HistoryWrite,
    PrescriptionsRead,
    PrescriptionsWrite,
    InventoryRead,
    InventoryWrite,
    InvoiceRead,
    InvoiceWrite,
    Admin,
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scopes(u16);

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
    /// malformed. Must take the same time for all of these.
    fn authenticate(&self, key: &[u8]) -> Option<Principal>;
}

/// A fixed set of keys, kept as SHA-256 digests.
#[derive(Default, Clone)]
pub struct KeyRing {
    keys: Vec<([u8; 32], Principal)>,
}

impl Scope {
    const WORDS: [(Self, &str); 11] = [
        (Self::PatientRead, "patient:read"),
        (Self::PatientWrite, "patient:write"),
        (Self::HistoryRead, "history:read"),
        (Self::HistoryWrite, "history:write"),
        (Self::PrescriptionsRead, "prescriptions:read"),
        (Self::PrescriptionsWrite, "prescriptions:write"),
        (Self::InventoryRead, "inventory:read"),
        (Self::InventoryWrite, "inventory:write"),
        (Self::InvoiceRead, "invoice:read"),
        (Self::InvoiceWrite, "invoice:write"),
        (Self::Admin, "admin"),
    ];

    /// The word for it, such as `patient:read`.
    pub const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize].1
    }
}

/// No scope has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no scope has this name")]
pub struct UnknownScope;

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(word: &str) -> Result<Self, UnknownScope> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(scope, _)| *scope).ok_or(UnknownScope)
    }
}

impl Scopes {
    /// No scope at all.
    pub const NONE: Self = Self(0);
    /// Every scope.
    pub const ALL: Self = Self((1 << Scope::WORDS.len()) - 1);

    /// Whether this scope is among them.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u16) != 0
    }

    /// The scopes, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::WORDS.iter().map(|(scope, _)| *scope).filter(move |scope| self.contains(*scope))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | 1 << scope as u16))
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Scope::as_str)).finish()
    }
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

fn digest(key: &[u8]) -> [u8; 32] {
    Sha256::digest(key).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_scopes_match() {
        for (index, (scope, word)) in Scope::WORDS.iter().enumerate() {
            assert_eq!(*scope as usize, index);
            assert_eq!(word.parse(), Ok(*scope));
            assert!(Scopes::ALL.contains(*scope) && !Scopes::NONE.contains(*scope));
        }
        assert_eq!("patient".parse::<Scope>(), Err(UnknownScope));
        let two: Scopes = [Scope::Admin, Scope::PatientRead].into_iter().collect();
        assert_eq!(two.iter().collect::<Vec<_>>(), [Scope::PatientRead, Scope::Admin]);
    }

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
    }
}
