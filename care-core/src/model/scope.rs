//! The scopes of keys.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::values::conversions::as_word;

/// A permission of a key. Scopes imply nothing: neither `admin` nor a `:write` includes another.
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
    InvoiceRefund,
    EventsRead,
    Admin,
}

/// A set of scopes, written as their words with a space between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scopes(u16);

impl Scope {
    const WORDS: [(Self, &str); 13] = [
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
        (Self::InvoiceRefund, "invoice:refund"),
        (Self::EventsRead, "events:read"),
        (Self::Admin, "admin"),
    ];

    /// Returns the word for the scope, such as `patient:read`.
    pub const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize].1
    }
}

/// The error for a word that is not a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no scope has this name")]
pub struct UnknownScope;

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(word: &str) -> Result<Self, UnknownScope> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(scope, _)| *scope).ok_or(UnknownScope)
    }
}

as_word!(Scope);

impl Scopes {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// Every scope.
    pub const ALL: Self = Self((1 << Scope::WORDS.len()) - 1);

    /// Returns whether the set contains this scope.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u16) != 0
    }

    /// Returns the scopes, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::WORDS.iter().map(|(scope, _)| *scope).filter(move |scope| self.contains(*scope))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.iter().map(Scope::as_str).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Scopes {
    type Err = UnknownScope;

    fn from_str(words: &str) -> Result<Self, UnknownScope> {
        words.split_whitespace().map(str::parse).collect()
    }
}

impl TryFrom<String> for Scopes {
    type Error = UnknownScope;

    fn try_from(words: String) -> Result<Self, UnknownScope> {
        words.parse()
    }
}

impl From<Scopes> for String {
    fn from(scopes: Scopes) -> Self {
        scopes.to_string()
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
        assert_eq!(two.to_string(), "patient:read admin");
        assert_eq!("admin  patient:read".parse(), Ok(two));
        assert_eq!("".parse(), Ok(Scopes::NONE));
        assert_eq!("admin all".parse::<Scopes>(), Err(UnknownScope));
    }
}
