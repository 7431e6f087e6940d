//! A patient whose name is read and written, sometimes on the condition that it has not changed.

use std::sync::{Mutex, PoisonError};

use care_conformance::Dice;
use todc_utils::Specification;

use super::{
    History,
    client_outcome::{ClientOutcome, member, strange},
    round::Progress,
};
use crate::{
    base::{
        attempt::{Port, Request},
        failure::Failure,
    },
    work::clients::ask,
};

/// A request about the patient, with its answer. Every name that is written is unique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatientCall {
    /// It was read.
    Read {
        /// Its name.
        name: u64,
        /// Its entity tag.
        tag: String,
    },
    /// It was written.
    Write {
        /// The new name.
        name: u64,
        /// The new entity tag; absent where the outcome is open.
        tag: Option<String>,
    },
    /// It was written, on the condition that it had this tag.
    Swap {
        /// The tag that `If-Match` named.
        expected: String,
        /// The new name.
        name: u64,
        /// The new entity tag; absent where the outcome is open.
        tag: Option<String>,
    },
    /// The patient was missing, although it had been registered.
    Absent,
    /// It was not written, because it did not have this tag.
    Mismatch {
        /// The tag that `If-Match` named.
        expected: String,
    },
}

/// The patient's name and its entity tag, which is unknown until a client has been told.
#[derive(Debug)]
pub struct PatientModel;

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
            PatientCall::Write { name, tag } => Some((*name, tag.clone())),
            PatientCall::Swap { expected, name, tag } => match (stored.as_ref() == Some(expected), tag) {
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
pub(crate) struct Patient {
    number: i64,
    /// A tag that a client was told, for the next conditional write.
    tag: Mutex<Option<String>>,
    pub(crate) history: History<PatientModel>,
}

impl Patient {
    /// Registers a patient.
    pub(crate) fn register(port: &mut dyn Port) -> Result<Self, Failure> {
        let registered = ask(port, Request::new("POST", "/patient").body(r#"{"name":"0"}"#))?;
        let number = registered.number().ok_or_else(|| strange(&registered))?;
        Ok(Self { number, tag: Mutex::default(), history: History::default() })
    }

    /// Sends one random request.
    pub(crate) fn ask(&self, port: &mut dyn Port, dice: &mut Dice, progress: &Progress) -> Result<bool, Failure> {
        let known = self.tag.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match (dice.roll(4), known) {
            (0 | 1, _) => self.read(port),
            (2, Some(expected)) => self.write(port, progress.serial(), Some(expected)),
            _ => self.write(port, progress.serial(), None),
        }
    }

    fn read(&self, port: &mut dyn Port) -> Result<bool, Failure> {
        let sent = self.history.send();
        match ClientOutcome::of(port.ask(&Request::new("GET", format!("/patient/{}", self.number))))? {
            ClientOutcome::Answer(answer) if answer.status == 404 => {
                self.history.settle(sent, PatientCall::Absent);
                Ok(true)
            }
            ClientOutcome::Answer(answer) => {
                let name = member(&answer, "name")?.as_str().and_then(|name| name.parse().ok());
                let (Some(name), Some(tag)) = (name, answer.tag.clone()) else {
                    return Err(strange(&answer));
                };
                self.remember(&tag);
                self.history.settle(sent, PatientCall::Read { name, tag });
                Ok(true)
            }
            ClientOutcome::Refused | ClientOutcome::Open => Ok(false),
        }
    }

    fn write(&self, port: &mut dyn Port, name: u64, expected: Option<String>) -> Result<bool, Failure> {
        let body = format!(r#"{{"patientId":{},"name":"{name}"}}"#, self.number);
        let mut request = Request::new("PUT", "/patient").body(body);
        if let Some(expected) = &expected {
            request = request.header("If-Match", expected);
        }
        let call = |tag| match expected.clone() {
            Some(expected) => PatientCall::Swap { expected, name, tag },
            None => PatientCall::Write { name, tag },
        };
        let sent = self.history.send();
        match (ClientOutcome::of(port.ask(&request))?, &expected) {
            (ClientOutcome::Answer(answer), _) if answer.status == 200 => {
                let tag = answer.tag.clone().ok_or_else(|| strange(&answer))?;
                self.remember(&tag);
                self.history.settle(sent, call(Some(tag)));
            }
            (ClientOutcome::Answer(answer), Some(expected)) if answer.status == 412 => {
                self.history.settle(sent, PatientCall::Mismatch { expected: expected.clone() });
            }
            (ClientOutcome::Answer(answer), _) => return Err(strange(&answer)),
            (ClientOutcome::Refused, _) => return Ok(false),
            (ClientOutcome::Open, _) => self.history.leave_open(sent, call(None)),
        }
        Ok(true)
    }

    fn remember(&self, tag: &str) {
        *self.tag.lock().unwrap_or_else(PoisonError::into_inner) = Some(tag.to_owned());
    }
}
