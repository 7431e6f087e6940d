//! A patient whose name is read and written, sometimes on the condition that it has not changed.

use std::sync::Mutex;

use care_conformance::Dice;
use todc_utils::Specification;

use super::history::History;
use crate::{Answer, Port, Request, Result, lock, post};

/// A request about the patient, with its answer. Every name that is written is unique. A `tag` is the entity tag in the
/// answer, absent where the outcome is open; `expected` is the one that `If-Match` named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatientCall {
    /// It was read.
    Read { name: u64, tag: String },
    /// It was written, maybe on the condition that it had a tag.
    Write { expected: Option<String>, name: u64, tag: Option<String> },
    /// The patient was missing, although it had been registered.
    Absent,
    /// It was not written, because it did not have this tag.
    Mismatch { expected: String },
}

/// The patient's name and its entity tag, which is unknown until a client has been told.
#[derive(Debug)]
pub(super) struct PatientModel;

impl Specification for PatientModel {
    type State = (u64, Option<String>);
    type Operation = PatientCall;

    fn init() -> Self::State {
        (0, None)
    }

    fn apply(call: &PatientCall, state: &Self::State) -> (bool, Self::State) {
        let (current, stored) = state;
        let after = match call {
            PatientCall::Read { name, tag } => {
                let agrees = name == current && stored.as_ref().is_none_or(|stored| stored == tag);
                agrees.then(|| (*name, Some(tag.clone())))
            }
            PatientCall::Absent => None,
            PatientCall::Write { expected, name, tag } => match (expected.is_none() || stored == expected, tag) {
                (true, tag) => Some((*name, tag.clone())),
                (false, None) => Some(state.clone()),
                (false, Some(_)) => None,
            },
            PatientCall::Mismatch { expected } => (stored.as_ref() != Some(expected)).then(|| state.clone()),
        };
        (after.is_some(), after.unwrap_or_else(|| state.clone()))
    }
}

/// A patient of the service, and what its clients were told.
#[derive(Debug)]
pub(super) struct Patient {
    number: i64,
    /// A tag that a client was told, for the next conditional write.
    tag: Mutex<Option<String>>,
    pub(super) history: History<PatientModel>,
}

impl Patient {
    /// Registers a patient.
    pub(super) fn register(port: &mut dyn Port) -> Result<Self> {
        let registered = post(port, "/patient", r#"{"name":"0"}"#)?;
        let number = registered.number().ok_or_else(|| registered.strange())?;
        Ok(Self { number, tag: Mutex::default(), history: History::default() })
    }

    /// Sends one random request; a write uses this name, which no other has.
    pub(super) fn ask(&self, port: &mut dyn Port, dice: &mut Dice, name: u64) -> Result<bool> {
        let known = lock(&self.tag).clone();
        match (dice.roll(4), known) {
            (0 | 1, _) => self.read(port),
            (2, Some(expected)) => self.write(port, name, Some(expected)),
            _ => self.write(port, name, None),
        }
    }

    fn read(&self, port: &mut dyn Port) -> Result<bool> {
        let request = Request::get(format!("/patient/{}", self.number));
        self.history.ask(port, &request, None, |answer| {
            if answer.status == 404 {
                return Ok(PatientCall::Absent);
            }
            let name = answer.member("name")?.as_str().and_then(|name| name.parse().ok());
            let name = name.ok_or_else(|| answer.strange())?;
            Ok(PatientCall::Read { name, tag: self.remember(answer)? })
        })
    }

    fn write(&self, port: &mut dyn Port, name: u64, expected: Option<String>) -> Result<bool> {
        let body = format!(r#"{{"patientId":{},"name":"{name}"}}"#, self.number);
        let mut request = Request::new("PUT", "/patient").body(body);
        if let Some(expected) = &expected {
            request = request.header("If-Match", expected);
        }
        let call = |tag| PatientCall::Write { expected: expected.clone(), name, tag };
        self.history.ask(port, &request, Some(call(None)), |answer| match (answer.status, &expected) {
            (200, _) => Ok(call(Some(self.remember(answer)?))),
            (412, Some(expected)) => Ok(PatientCall::Mismatch { expected: expected.clone() }),
            _ => Err(answer.strange()),
        })
    }

    /// Keeps the tag of an answer, and returns it.
    fn remember(&self, answer: &Answer) -> Result<String> {
        let tag = answer.tag.clone().ok_or_else(|| answer.strange())?;
        *lock(&self.tag) = Some(tag.clone());
        Ok(tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_write_may_come_late_and_is_not_undone() {
        let write = PatientCall::Write { expected: None, name: 1, tag: None };
        let read = |name: u64| PatientCall::Read { name, tag: format!("tag of {name}") };
        let judged = |reads: &[u64]| {
            let history = History::<PatientModel>::default();
            history.note(history.now(), None, write.clone());
            for name in reads {
                history.note(history.now(), Some(history.now()), read(*name));
            }
            history.judge().is_ok()
        };
        assert!(judged(&[0, 0]) && judged(&[0, 1, 1]) && judged(&[1]));
        assert!(!judged(&[1, 0]) && !judged(&[0, 1, 0]) && !judged(&[2]));
    }

    #[test]
    fn a_write_under_a_condition_that_did_not_hold_is_found() {
        let swap = |expected: &str, name, tag: &str| {
            let tag = Some(tag.to_owned());
            PatientCall::Write { expected: Some(expected.to_owned()), name, tag }
        };
        let judged = |second: PatientCall| {
            let history = History::<PatientModel>::default();
            for call in [PatientCall::Read { name: 0, tag: "a".to_owned() }, swap("a", 1, "b"), second] {
                history.note(history.now(), Some(history.now()), call);
            }
            history.judge().is_ok()
        };
        assert!(judged(swap("b", 2, "c")) && judged(PatientCall::Mismatch { expected: "a".to_owned() }));
        assert!(!judged(swap("a", 2, "c")) && !judged(PatientCall::Mismatch { expected: "b".to_owned() }));
    }
}
