//! Requests that may be repeated, and their answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Timestamp;

/// The key of a request that may be repeated: its owner, and the key that its sender gave it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReplyKey {
    /// The owner: the id of the presented key, or the name of the actor.
    pub actor: Box<str>,
    /// The sender's key, without white space.
    pub key: Box<str>,
}

/// The answer to a request that may be repeated, stored for a day so that a repetition gets the same answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The key of the request.
    #[serde(flatten)]
    pub key: ReplyKey,
    /// A text that distinguishes the request from others under the same key.
    pub fingerprint: String,
    /// The instant of the answer.
    pub at: Timestamp,
    /// The use case's answer.
    pub answer: Value,
}
