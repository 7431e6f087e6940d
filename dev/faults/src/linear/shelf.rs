//! A medicine whose units are received, removed and counted.

use care_conformance::Dice;
use todc_utils::Specification;

use super::{
    History,
    client_outcome::{ClientOutcome, number, strange},
};
use crate::{
    base::{
        attempt::{Port, Request},
        failure::Failure,
    },
    work::clients::ask,
};

/// The units on the shelf in the beginning.
const OPENING: u64 = 20;

/// A request about the shelf, with its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShelfCall {
    /// Units were received.
    Receive {
        /// Their number.
        units: u64,
        /// The units after that; `None` if the outcome is open.
        balance: Option<u64>,
    },
    /// Units were removed.
    Remove {
        /// Their number.
        units: u64,
        /// The units after that; `None` if the outcome is open.
        balance: Option<u64>,
    },
    /// There were fewer units than should be removed.
    TooFew(u64),
    /// The stock was missing, although tracking had been started.
    Absent,
    /// The units were read.
    OnHand(u64),
}

/// The units on the shelf.
#[derive(Debug)]
pub struct ShelfModel;

impl Specification for ShelfModel {
    type State = u64;
    type Operation = ShelfCall;

    fn init() -> u64 {
        OPENING
    }

    fn apply(call: &ShelfCall, state: &u64) -> (bool, u64) {
        let (after, balance) = match *call {
            ShelfCall::Receive { units, balance } => (Some(state + units), balance),
            ShelfCall::Remove { units, balance } => match (state.checked_sub(units), balance) {
                (None, None) => (Some(*state), None),
                removed => removed,
            },
            ShelfCall::TooFew(units) => ((*state < units).then_some(*state), None),
            ShelfCall::Absent => (None, None),
            ShelfCall::OnHand(units) => (Some(*state), Some(units)),
        };
        let after = after.filter(|after| balance.is_none_or(|balance| balance == *after));
        (after.is_some(), after.unwrap_or(*state))
    }
}

/// A tracked medicine of the service, and what its clients were told.
#[derive(Debug)]
pub(crate) struct Shelf {
    medicine: String,
    pub(crate) history: History<ShelfModel>,
}

impl Shelf {
    /// Adds a medicine and starts its stock.
    pub(crate) fn fill(port: &mut dyn Port, medicine: String) -> Result<Self, Failure> {
        ask(port, Request::new("POST", format!("/inventory/{medicine}")).body("{}"))?;
        let opening = format!(r#"{{"unit":"tablets","opening":[{{"lot":"a","units":{OPENING}}}]}}"#);
        ask(port, Request::new("POST", format!("/inventory/{medicine}/stock")).body(opening))?;
        Ok(Self { medicine, history: History::default() })
    }

    /// Sends one random request.
    pub(crate) fn ask(&self, port: &mut dyn Port, dice: &mut Dice) -> Result<bool, Failure> {
        let units = 1 + dice.roll(9);
        let moved = |more| {
            let body = format!(r#"{{"kind":"{more},"units":{units},"lot":"a"}}"#);
            Request::new("POST", format!("/inventory/{}/movements", self.medicine)).body(body)
        };
        let (request, open) = match dice.roll(5) {
            0 => (moved(r#"receipt""#), Some(ShelfCall::Receive { units, balance: None })),
            1 | 2 => (moved(r#"removal","reason":"expired""#), Some(ShelfCall::Remove { units, balance: None })),
            _ => (Request::new("GET", format!("/inventory/{}/stock", self.medicine)), None),
        };
        let sent = self.history.send();
        match (ClientOutcome::of(port.ask(&request))?, open) {
            (ClientOutcome::Answer(answer), open) => {
                let call = match (open, answer.status) {
                    (None, 404) => ShelfCall::Absent,
                    (None, 200) => ShelfCall::OnHand(number(&answer, "onHand")?),
                    (Some(ShelfCall::Receive { .. }), 201) => {
                        ShelfCall::Receive { units, balance: Some(number(&answer, "balance")?) }
                    }
                    (Some(_), 201) => ShelfCall::Remove { units, balance: Some(number(&answer, "balance")?) },
                    (Some(ShelfCall::Remove { .. }), 409) => ShelfCall::TooFew(units),
                    _ => return Err(strange(&answer)),
                };
                self.history.settle(sent, call);
            }
            (ClientOutcome::Refused, _) | (ClientOutcome::Open, None) => return Ok(false),
            (ClientOutcome::Open, Some(open)) => self.history.leave_open(sent, open),
        }
        Ok(true)
    }
}
