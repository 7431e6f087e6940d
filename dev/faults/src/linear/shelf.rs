//! A medicine whose units are received, removed and counted.

use care_conformance::Dice;
use todc_utils::Specification;

use super::history::History;
use crate::{Port, Request, Result, post};

/// The units on the shelf in the beginning.
const OPENING: u64 = 20;

/// A request about the shelf, with its answer, which says how many units there are then, if the outcome is not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShelfCall {
    /// Units were received.
    Receive { units: u64, balance: Option<u64> },
    /// Units were removed.
    Remove { units: u64, balance: Option<u64> },
    /// There were fewer units than should be removed.
    TooFew(u64),
    /// The stock was missing, although tracking had been started.
    Absent,
    /// The units were read.
    OnHand(u64),
}

/// The units on the shelf.
#[derive(Debug)]
pub(super) struct ShelfModel;

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
pub(super) struct Shelf {
    medicine: String,
    pub(super) history: History<ShelfModel>,
}

impl Shelf {
    /// Adds a medicine and starts its stock.
    pub(super) fn fill(port: &mut dyn Port, medicine: String) -> Result<Self> {
        post(port, &format!("/inventory/{medicine}"), "{}")?;
        let opening = format!(r#"{{"unit":"tablets","opening":[{{"lot":"a","units":{OPENING}}}]}}"#);
        post(port, &format!("/inventory/{medicine}/stock"), opening)?;
        Ok(Self { medicine, history: History::default() })
    }

    /// Sends one random request.
    pub(super) fn ask(&self, port: &mut dyn Port, dice: &mut Dice) -> Result<bool> {
        let units = 1 + dice.roll(9);
        let moved = |more| {
            let body = format!(r#"{{"kind":"{more},"units":{units},"lot":"a"}}"#);
            Request::new("POST", format!("/inventory/{}/movements", self.medicine)).body(body)
        };
        let (request, open) = match dice.roll(5) {
            0 => (moved(r#"receipt""#), Some(ShelfCall::Receive { units, balance: None })),
            1 | 2 => (moved(r#"removal","reason":"expired""#), Some(ShelfCall::Remove { units, balance: None })),
            _ => (Request::get(format!("/inventory/{}/stock", self.medicine)), None),
        };
        self.history.ask(port, &request, open, |answer| match (open, answer.status) {
            (None, 404) => Ok(ShelfCall::Absent),
            (None, 200) => Ok(ShelfCall::OnHand(answer.count("onHand")?)),
            (Some(ShelfCall::Receive { .. }), 201) => {
                Ok(ShelfCall::Receive { units, balance: Some(answer.count("balance")?) })
            }
            (Some(_), 201) => Ok(ShelfCall::Remove { units, balance: Some(answer.count("balance")?) }),
            (Some(ShelfCall::Remove { .. }), 409) => Ok(ShelfCall::TooFew(units)),
            _ => Err(answer.strange()),
        })
    }
}
