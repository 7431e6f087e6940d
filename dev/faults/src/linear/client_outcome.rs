//! The meaning of a request's end for a history.

use serde_json::Value;

use crate::base::{
    attempt::{Answer, Ending},
    failure::Failure,
};

/// A client's knowledge after a request.
#[derive(Debug)]
pub(crate) enum ClientOutcome {
    /// An answer that the contract allows, even if it is a refusal.
    Answer(Answer),
    /// Nothing was done, and nothing will be.
    Refused,
    /// It may or may not have been done, and may still be done.
    Open,
}

impl ClientOutcome {
    /// Interprets the end of a request.
    ///
    /// # Errors
    /// An answer that no request here should get.
    pub(crate) fn of(ending: Ending) -> Result<Self, Failure> {
        match ending {
            Ending::Gone => Ok(Self::Refused),
            Ending::Lost => Ok(Self::Open),
            Ending::Answer(answer) => match answer.status {
                200 | 201 | 204 | 404 | 409 | 412 => Ok(Self::Answer(answer)),
                503 => Ok(Self::Refused),
                500 => Ok(Self::Open),
                _ => Err(strange(&answer)),
            },
        }
    }
}

/// Returns the failure for an answer that fits no call of a model.
pub(crate) fn strange(answer: &Answer) -> Failure {
    Failure::new(format!("an answer that does not belong here: {answer:?}"))
}

/// Returns a member of the answer's document.
pub(crate) fn member(answer: &Answer, name: &str) -> Result<Value, Failure> {
    let mut document: Value = serde_json::from_str(&answer.body).map_err(|_| strange(answer))?;
    Ok(document.get_mut(name).ok_or_else(|| strange(answer))?.take())
}

/// Returns a member that is a number.
pub(crate) fn number(answer: &Answer, name: &str) -> Result<u64, Failure> {
    member(answer, name)?.as_u64().ok_or_else(|| strange(answer))
}
