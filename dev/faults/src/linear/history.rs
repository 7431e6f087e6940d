//! The requests about one record, in the order of their beginnings and ends.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;
use todc_utils::{Action, Specification, WGLChecker, linearizability::history};

use crate::{Answer, Ending, Failure, Port, Request, Result, ensure, lock};

/// Everything that was asked about one record, and the answers.
#[derive(Debug)]
pub(super) struct History<M: Specification> {
    clock: AtomicUsize,
    calls: Mutex<Vec<Call<M::Operation>>>,
}

#[derive(Debug)]
struct Call<O> {
    sent: usize,
    /// When the answer arrived; `None` if the outcome is open.
    answered: Option<usize>,
    call: O,
}

impl<M: Specification> Default for History<M> {
    fn default() -> Self {
        Self { clock: AtomicUsize::new(0), calls: Mutex::default() }
    }
}

impl<M: Specification> History<M> {
    /// Returns the moment at which a request is being sent or answered.
    pub(super) fn now(&self) -> usize {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Notes a request. The model must accept one whose outcome stays open in every state.
    pub(super) fn note(&self, sent: usize, answered: Option<usize>, call: M::Operation) {
        lock(&self.calls).push(Call { sent, answered, call });
    }

    /// Sends a request, and notes what its answer says. A request whose outcome is open is noted as `open`, unless it
    /// only reads. Returns whether anything was noted: a refusal was not done, and never will be.
    ///
    /// # Errors
    /// An answer that no request here should get.
    pub(super) fn ask(
        &self,
        port: &mut dyn Port,
        request: &Request,
        open: Option<M::Operation>,
        call: impl FnOnce(&Answer) -> Result<M::Operation>,
    ) -> Result<bool> {
        let sent = self.now();
        let ending = port.ask(request);
        match (ending.status(), ending, open) {
            (Some(200 | 201 | 204 | 404 | 409 | 412), Ending::Answer(answer), _) => {
                self.note(sent, Some(self.now()), call(&answer)?);
            }
            (None, Ending::Gone, _) | (Some(503), ..) | (None | Some(500), _, None) => return Ok(false),
            (None | Some(500), _, Some(open)) => self.note(sent, None, open),
            (Some(_), ending, _) => {
                return Err(Failure::new(format!("an answer that does not belong here: {ending:?}")));
            }
        }
        Ok(true)
    }

    /// Returns how many requests there are, and how many of them are open.
    pub(super) fn len(&self) -> (usize, usize) {
        let calls = lock(&self.calls);
        (calls.len(), calls.iter().filter(|call| call.answered.is_none()).count())
    }

    /// Looks for an order that explains all answers.
    ///
    /// # Errors
    /// There is no such order. The message contains the whole history.
    pub(super) fn judge(&self) -> Result<()> {
        let calls = lock(&self.calls);
        if calls.is_empty() {
            return Ok(());
        }
        // Each request is a process of its own, so that a client can continue after one that stays open.
        let mut events: Vec<_> = calls
            .iter()
            .enumerate()
            .flat_map(|(place, Call { sent, answered, call })| {
                let ended = answered.unwrap_or(usize::MAX);
                [(*sent, place, Action::Call(call.clone())), (ended, place, Action::Response(call.clone()))]
            })
            .collect();
        events.sort_by_key(|(at, ..)| *at);
        let actions = events.into_iter().map(|(_, place, action)| (place, action)).collect();
        let is_explained = WGLChecker::<M>::is_linearizable(history::History::from_actions(actions));
        ensure!(is_explained, "no order explains these answers:\n{}", Self::told(&calls));
        Ok(())
    }

    fn told(calls: &[Call<M::Operation>]) -> String {
        let mut calls: Vec<_> = calls.iter().collect();
        calls.sort_by_key(|call| call.sent);
        let line = |Call { sent, answered, call }: &Call<M::Operation>| {
            let answered = answered.map_or_else(|| "open".to_owned(), |at| at.to_string());
            format!("{sent:>5} to {answered:>5}: {call:?}\n")
        };
        calls.into_iter().map(line).collect()
    }
}

impl Answer {
    /// Returns the failure for an answer that fits no call of a model.
    pub(super) fn strange(&self) -> Failure {
        Failure::new(format!("an answer that does not belong here: {self:?}"))
    }

    /// Returns a member of the document.
    pub(super) fn member(&self, name: &str) -> Result<Value> {
        Ok(self.document()?.get_mut(name).ok_or_else(|| self.strange())?.take())
    }

    /// Returns a member that is a number.
    pub(super) fn count(&self, name: &str) -> Result<u64> {
        self.member(name)?.as_u64().ok_or_else(|| self.strange())
    }
}
