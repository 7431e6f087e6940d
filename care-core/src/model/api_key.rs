//! API keys as they are stored, without the secret.

use std::fmt;

use care_derive::Record;
use serde::{Deserialize, Serialize};

use super::{
    InQuery, Invalid, Scalar, Scopes, Timestamp,
    values::{
        conversions::{as_doors, as_scalar, as_text},
        fold::folded,
        text::plain,
    },
};

/// An API key as it is stored. It contains only a digest of its secret, from which the secret cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// The identifier of the key, which is not secret.
    pub id: KeyId,
    /// The name of the key's holder, under which the journal records their actions.
    pub name: KeyName,
    /// The scopes of the key.
    pub scopes: Scopes,
    /// The SHA-256 digest of the secret.
    pub digest: SecretDigest,
    /// The instant at which the key was issued.
    pub created: Timestamp,
    /// The first instant at which the key is no longer valid; `None` for a key without an end.
    pub expires: Option<Timestamp>,
    /// The instant at which the key ended for good, by revocation or by its expiry; `None` until then. A key with this
    /// mark is never valid again, also when the clock is set back.
    pub revoked: Option<Timestamp>,
    /// The key that this one replaces.
    pub replaces: Option<KeyId>,
}

impl ApiKey {
    /// Returns whether the key is valid at this instant.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }

    /// Returns the key with the mark of its end, if it has expired by this instant and has no mark yet. Stored with the
    /// mark, it stays ended when the clock is set back.
    #[must_use]
    pub fn ended_at(&self, now: Timestamp) -> Option<Self> {
        let end = self.expires.filter(|end| self.revoked.is_none() && *end <= now)?;
        Some(Self { revoked: Some(end), ..self.clone() })
    }

    /// Returns whether the key has expired by this instant, and was not revoked before.
    pub fn has_expired_by(&self, now: Timestamp) -> bool {
        match self.revoked {
            None => !self.is_valid_at(now),
            ended => ended == self.expires,
        }
    }
}

/// A key that was issued, rotated or revoked, in the journal.
///
/// It has no digest, so an import of the journal brings no key that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "key_record", key(key_id), document = "KeyRecord")]
pub struct KeyRecord {
    /// The identifier of the key. It stands beside the value in the journal, and not in it.
    #[serde(skip_serializing)]
    pub key_id: KeyId,
    /// The name of its holder.
    #[field(like = String, example = "front desk")]
    pub name: KeyName,
    /// The scopes of the key.
    #[serde(with = "scope_words")]
    #[field(like = Vec::<crate::model::Scope>)]
    pub scopes: Scopes,
    /// The first instant at which it is no longer valid, in UTC; absent for a key without an end.
    #[field(example = "2027-03-15T12:00:00.000Z")]
    pub expires: Option<Timestamp>,
    /// The instant of its revocation, in UTC; absent until then.
    #[field(example = "2027-03-15T12:00:00.000Z")]
    pub revoked: Option<Timestamp>,
}

impl From<&ApiKey> for KeyRecord {
    fn from(key: &ApiKey) -> Self {
        let ApiKey { id, name, scopes, digest: _, created: _, expires, revoked, replaces: _ } = key;
        let (scopes, expires, revoked) = (*scopes, *expires, *revoked);
        Self { key_id: id.clone(), name: name.clone(), scopes, expires, revoked }
    }
}

/// Scopes as a list of their words.
mod scope_words {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::model::{Scope, Scopes};

    pub(super) fn serialize<S: Serializer>(scopes: &Scopes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(scopes.iter().map(Scope::as_str))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Scopes, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        words.iter().map(|word| word.parse::<Scope>()).collect::<Result<_, _>>().map_err(de::Error::custom)
    }
}

/// The public part of a key: twelve of `0-9` and `a-z`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct KeyId(Box<str>);

impl KeyId {
    /// The length of an id in characters.
    pub const LENGTH: usize = 12;

    /// Checks an id, and makes a value of it.
    ///
    /// # Errors
    /// The broken rule.
    pub fn new(id: &str) -> Result<Self, Invalid> {
        let is_sound = id.len() == Self::LENGTH && id.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
        match is_sound {
            true => Ok(Self(id.into())),
            false => Err(Invalid("must be twelve of 0-9 and a-z")),
        }
    }

    /// Returns the id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for KeyId {
    type Error = Invalid;

    fn try_from(id: String) -> Result<Self, Invalid> {
        Self::new(&id)
    }
}

as_text!(KeyId);
as_scalar!(KeyId, String);

/// The name of a key's holder: 1 to 64 characters in one line, without white space at either end, and none of the
/// [reserved](Self::RESERVED) names of other actors, nor `key-` with a number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct KeyName(Box<str>);

impl KeyName {
    /// The longest name, in code points.
    pub const MAX: usize = 64;
    /// The actor of `care-admin`, and of what a demo imports.
    pub const ADMIN: &'static str = "care-admin";
    /// The actor of a service for which its program names none.
    pub const SERVICE: &'static str = "service";
    /// The actors of the service itself and of its programs. No holder of a key and no user of a host has such a name,
    /// in any spelling.
    pub const RESERVED: [&'static str; 3] = [Self::ADMIN, Self::SERVICE, "nobody"];

    /// Checks a name, and makes a value of it.
    ///
    /// # Errors
    /// The broken rule.
    pub fn new(name: impl Into<String>) -> Result<Self, Invalid> {
        Self::of(name.into())
    }

    /// Checks the name of an actor who begins a journal entry, which may be a reserved one.
    ///
    /// # Errors
    /// The broken rule.
    pub fn check(name: &str) -> Result<(), Invalid> {
        let length = name.chars().count();
        if !(1..=Self::MAX).contains(&length) || name.trim() != name {
            return Err(Invalid("must be 1 to 64 characters without white space at either end"));
        }
        if name.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')) {
            return Err(Invalid("must not hold control characters"));
        }
        Ok(())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the two name one holder: letter case, white space and invisible characters do not distinguish
    /// holders.
    pub fn means(&self, other: &Self) -> bool {
        folded(&self.0) == folded(&other.0)
    }
}

impl Scalar for KeyName {
    type Raw = String;

    fn from_stored(name: String) -> Result<Self, Invalid> {
        plain(name).map(|name| Self(name.into()))
    }

    fn check_new(&self) -> Result<(), Invalid> {
        Self::check(&self.0)?;
        // Reserved names are compared in folded form, since readers of the journal would confuse other spellings with
        // them.
        let folded = folded(&self.0);
        if folded.is_empty() {
            return Err(Invalid("must hold a visible character"));
        }
        let is_numbered = folded.strip_prefix("key-").is_some_and(|number| number.chars().all(char::is_numeric));
        if is_numbered || Self::RESERVED.contains(&folded.as_str()) {
            return Err(Invalid("must not be care-admin, service, nobody or key- with a number, which are reserved"));
        }
        Ok(())
    }
}

as_doors!(KeyName, String);
as_text!(KeyName);

/// The name of a holder, which may be a reserved one.
impl InQuery for Box<str> {
    fn read(text: String) -> Result<Self, Invalid> {
        KeyName::check(&text).map(|()| text.into())
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

/// The SHA-256 digest of a secret. `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretDigest([u8; 32]);

impl SecretDigest {
    /// Returns these bytes as a digest.
    pub const fn new(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// Returns its bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SecretDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretDigest(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names_are_checked() {
        assert!(KeyId::new("0123456789az").is_ok());
        for refused in ["", "0123456789a", "0123456789abc", "0123456789A_", "0123456789\u{e4}"] {
            assert!(KeyId::new(refused).is_err(), "{refused}");
        }
        assert!(KeyName::new("Front desk, \u{e9}tage 2").is_ok());
        assert!(KeyName::new("\u{e9}".repeat(64)).is_ok());
        for refused in ["", " ", "a ", "\ta", "a\nb", "a\u{2028}b", &"a".repeat(65)] {
            assert!(KeyName::new(refused).is_err() && KeyName::check(refused).is_err(), "{refused:?}");
        }
        let spelled =
            ["key-1", "key-20", "key-", "key-\u{ff11}", "Care-Admin", "care\u{200b}-admin", "KEY-7", "Service"];
        for reserved in spelled.into_iter().chain(KeyName::RESERVED) {
            assert!(KeyName::new(reserved).is_err() && KeyName::check(reserved).is_ok(), "{reserved:?}");
        }
        for free in ["key-1a", "key", "monkey-1", "care-admin 2"] {
            assert!(KeyName::new(free).is_ok(), "{free:?}");
        }
    }

    #[test]
    fn a_key_ends_at_its_end() -> Result<(), Invalid> {
        let at = |millis| Timestamp::from_unix_millis(millis);
        let key = ApiKey {
            id: KeyId::new("0123456789az")?,
            name: KeyName::new("desk")?,
            scopes: Scopes::ALL,
            digest: SecretDigest::new([1; 32]),
            created: at(0)?,
            expires: Some(at(10)?),
            revoked: None,
            replaces: None,
        };
        assert!(key.is_valid_at(at(9)?) && !key.is_valid_at(at(10)?));
        assert_eq!(key.ended_at(at(9)?), None);
        let ended = key.ended_at(at(12)?).ok_or(Invalid("it has not ended"))?;
        assert_eq!(ended, ApiKey { revoked: Some(at(10)?), ..key.clone() });
        assert!(!ended.is_valid_at(at(9)?) && ended.has_expired_by(at(9)?) && !key.has_expired_by(at(9)?));
        assert_eq!(ended.ended_at(at(12)?), None);
        let endless = ApiKey { expires: None, ..key };
        assert_eq!(endless.ended_at(at(1 << 40)?), None);
        assert!(endless.is_valid_at(at(1 << 40)?));
        let revoked = ApiKey { revoked: Some(at(5)?), ..endless.clone() };
        assert!(!revoked.is_valid_at(at(1)?) && !revoked.has_expired_by(at(20)?));
        assert!(format!("{endless:?}").contains("SecretDigest(..)"));
        Ok(())
    }
}
