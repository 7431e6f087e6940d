//! Requests that are done once although they are repeated.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::draft::Draft;
use crate::{
    error::{Error, StoreError, StoreErrorKind},
    model::{Invalid, Invoice, PatientId, Timestamp},
    store::{Ask, Change, Entity, Key, Record, Reply, ReplyId, RequestKey, Seq, Stop, Subject},
};

/// The time in milliseconds for which an answer is stored for repetitions: 24 hours.
const KEPT_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// A client's name for a request that it may repeat and that is done once: the `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    key: Box<str>,
    /// The owner of the key; the actor by default.
    owner: Option<Box<str>>,
    /// A text that distinguishes the request from others under the key.
    fingerprint: String,
}

impl Idempotency {
    /// The name of the field that carries the key.
    pub const FIELD: &'static str = "Idempotency-Key";
    /// The longest key, in characters.
    pub const MAX: usize = 255;

    /// Returns a key. The service adds the use case and its arguments by itself.
    ///
    /// # Errors
    /// The broken rule, when the key is not 1 to 255 visible ASCII characters.
    pub fn new(key: impl Into<String>) -> Result<Self, Invalid> {
        let key = key.into().into_boxed_str();
        if !(1..=Self::MAX).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Invalid("must be 1 to 255 visible ASCII characters"));
        }
        Ok(Self { key, owner: None, fingerprint: String::new() })
    }

    /// Sets the owner, with whom no other shares the key. Several owners may act under one name.
    #[must_use]
    pub fn owned_by(self, owner: impl Into<Box<str>>) -> Self {
        Self { owner: Some(owner.into()), ..self }
    }

    /// Sets a fingerprint of the caller's own, which distinguishes this request from others with the same arguments.
    #[must_use]
    pub fn with_fingerprint(self, fingerprint: impl Into<String>) -> Self {
        Self { fingerprint: fingerprint.into(), ..self }
    }

    /// Returns the key bound to one use case and its arguments.
    pub(crate) fn bound_to(&self, operation: &str, arguments: impl Serialize) -> Result<Self, Error> {
        let arguments = serde_json::to_vec(&arguments);
        let arguments = arguments.map_err(|error| StoreError::new(StoreErrorKind::Broken, error))?;
        let mut hash = Sha256::new();
        for part in [operation.as_bytes(), self.fingerprint.as_bytes()] {
            hash.update(part);
            hash.update([0]);
        }
        hash.update(arguments);
        let fingerprint = const_hex::encode(hash.finalize());
        Ok(Self { key: self.key.clone(), owner: self.owner.clone(), fingerprint })
    }

    /// Runs a decision unless it was run before, and stores its answer with its effect. Returns the answer and the
    /// number of the entry with the effect: [`Seq::ZERO`] when the decision has run just now. `reply` is the identifier
    /// of the answer, the same whenever the decision runs again.
    pub(crate) fn run<T: Serialize + DeserializeOwned>(
        &self,
        draft: &mut Draft<'_>,
        reply: &ReplyId,
        actor: &str,
        now: Timestamp,
        decision: &mut impl FnMut(&mut Draft<'_>) -> Result<T, Stop>,
    ) -> Result<(T, Seq), Stop> {
        let owner = self.owner.as_deref().unwrap_or(actor);
        let request = RequestKey { actor: owner.into(), key: self.key.clone() };
        let kept_since = now.unix_millis().saturating_sub(KEPT_MILLIS);
        let old = Timestamp::from_unix_millis(kept_since).ok().map(Reply::oldest_before);
        draft.need(old.iter().cloned().map(Key::from).chain([Reply::to(&request).into()]))?;
        let earlier = draft.stored(Reply::to(&request))?;
        if let Some(reply) = earlier.as_ref().filter(|reply| reply.record.at.unix_millis() > kept_since) {
            if reply.record.fingerprint != self.fingerprint {
                return Err(Error::field(Self::FIELD, "was used with another request").into());
            }
            let answer = serde_json::from_value(reply.record.answer.clone()).map_err(broken)?;
            return Ok((answer, reply.version));
        }
        let answer = decision(draft)?;
        // Each new reply removes two old ones, so that they do not accumulate, and the one in whose place it stands.
        let old = old.map_or_else(|| Ok(Vec::new()), |old| draft.all(old))?;
        for old in old.into_iter().chain(earlier.map(|earlier| earlier.record)) {
            draft.remove(Reply::key(old.reply_id));
        }
        let fingerprint = self.fingerprint.clone();
        let kept = serde_json::to_value(&answer).map_err(broken)?;
        let (reply_id, patient_id) = (reply.clone(), patient_of(draft, &kept)?);
        draft.put(Reply { reply_id, request: Some(request), fingerprint, at: now, patient_id, answer: kept });
        Ok((answer, Seq::ZERO))
    }
}

/// Returns the patient whom a request concerned: the one in its answer, or else the one of the records it has changed.
fn patient_of(draft: &Draft<'_>, answer: &Value) -> Result<Option<PatientId>, Stop> {
    if let Some(patient) = patient_in(answer) {
        return Ok(Some(patient));
    }
    for change in draft.changes() {
        let subject = match change {
            Change::Put(record) => record.subject(),
            Change::Remove(key) => draft.records(&key.clone().into())?.first().and_then(Record::subject),
        };
        match subject {
            Some(Subject::Patient(id)) => return Ok(Some(id)),
            Some(Subject::Invoice(id)) => {
                if let Some(invoice) = draft.stored::<Invoice>(Ask::record(id))? {
                    return Ok(Some(invoice.patient_id));
                }
            }
            None => {}
        }
    }
    Ok(None)
}

/// Returns the patient whom an answer names.
fn patient_in(answer: &Value) -> Option<PatientId> {
    match answer {
        Value::Object(members) => match members.get("patientId").and_then(Value::as_i64) {
            Some(id) => id.try_into().ok(),
            None => members.values().find_map(patient_in),
        },
        Value::Array(values) => values.iter().find_map(patient_in),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Returns the failure for a damaged reply. The decision must not run a second time.
fn broken(error: serde_json::Error) -> Stop {
    StoreError::new(StoreErrorKind::Broken, error).into()
}
