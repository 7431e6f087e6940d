//! Requests that may be repeated, and their answers.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
};

use care_derive::Record;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{PatientId, Timestamp};

/// The key of a request that may be repeated: its owner, and the key that its sender gave it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RequestKey {
    /// The owner: the id of the presented key, or the name of the actor.
    pub actor: Box<str>,
    /// The sender's key, without white space.
    pub key: Box<str>,
}

/// The identifier of a stored reply: 32 random hexadecimal digits, which stay when the reply is erased and tell nothing
/// of its request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ReplyId(Box<str>);

impl ReplyId {
    /// Returns a random identifier.
    pub fn random() -> Self {
        // The standard library draws the keys of a hasher from the system's random numbers.
        let random = RandomState::new();
        Self(format!("{:016x}{:016x}", random.hash_one("first"), random.hash_one("second")).into())
    }

    /// Returns the identifier with these 32 lower-case hexadecimal digits; `None` for any other text.
    pub fn parse(digits: &str) -> Option<Self> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (digits.len() == 32 && digits.bytes().all(is_digit)).then(|| Self(digits.into()))
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ReplyId {
    type Error = &'static str;

    fn try_from(digits: String) -> Result<Self, Self::Error> {
        Self::parse(&digits).ok_or("not 32 hexadecimal digits")
    }
}

impl fmt::Display for ReplyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The answer to a request that may be repeated, stored for a day so that a repetition gets the same answer.
///
/// The entry of a reply about a patient puts it twice, first [emptied](Self::emptied) and then whole. An erasure
/// replaces only the second value, so the chain keeps proof of whom the reply was about.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "reply", key(reply_id), owner(patient = patient_id, on_void = keep))]
pub struct Reply {
    /// The identifier.
    #[field(name = "id")]
    pub reply_id: ReplyId,
    /// The key of the request, which has one reply at most; `None` once an erasure has emptied the reply.
    #[field(group, personal)]
    pub request: Option<RequestKey>,
    /// A text that distinguishes the request from others under the same key.
    #[field(personal)]
    pub fingerprint: String,
    /// The instant of the answer.
    #[field(kept)]
    pub at: Timestamp,
    /// The patient whom the request concerned, if any. An erasure leaves this number.
    #[field(kept)]
    pub patient_id: Option<PatientId>,
    /// The use case's answer.
    #[field(personal)]
    pub answer: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_32_random_digits() {
        let ids: std::collections::HashSet<_> = (0..1000).map(|_| ReplyId::random()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| ReplyId::parse(id.as_str()).as_ref() == Some(id)));
        let right = "0123456789abcdef".repeat(2);
        assert!(ReplyId::parse(&right).is_some());
        for wrong in [&right[1..], &right.to_uppercase(), &format!("{right}0"), &right.replace('0', "g"), ""] {
            assert_eq!(ReplyId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_reply_says_its_request_until_it_is_erased() {
        let at = Timestamp::from_unix_millis(0).unwrap();
        let id = ReplyId::parse(&"0".repeat(32)).unwrap();
        let request = Some(RequestKey { actor: "ward 3".into(), key: "k-1".into() });
        let patient_id = Some(PatientId::FIRST);
        let full = Reply { reply_id: id, request, fingerprint: "f".to_owned(), at, patient_id, answer: Value::from(1) };
        let text = serde_json::to_value(&full).unwrap();
        assert_eq!((&text["actor"], &text["key"]), (&Value::from("ward 3"), &Value::from("k-1")));
        let emptied = full.emptied();
        assert_eq!((&emptied.reply_id, emptied.at, emptied.patient_id), (&full.reply_id, at, patient_id));
        assert_eq!((&emptied.request, emptied.fingerprint.as_str(), &emptied.answer), (&None, "", &Value::Null));
        for reply in [full, emptied] {
            let text = serde_json::to_string(&reply).unwrap();
            assert_eq!(serde_json::from_str::<Reply>(&text).unwrap(), reply, "{text}");
        }
    }
}
