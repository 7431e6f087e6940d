//! One rule of fairness for everything that clients wait for: places, held and awaited by keys in turn.
//!
//! A key alone may hold 15 times what it leaves free of a [set](Set), which is all but one place for each 16. So
//! beside one busy key, another one that holds nothing finds a free place, unless the set has only one. While others
//! wait, a key that holds a quarter gets no more before they have some; what it holds is never taken from it. Those who
//! wait are served by their keys in turn, and each key's in the order in which they came.

pub(crate) mod set;
mod state;
#[cfg(test)]
mod tests;

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use crate::service::base::pieces;
use set::{Ask, Level, Levels, Set};
use state::{Asked, State, Wakers};

/// The places of a server, by the keys that hold them.
#[derive(Debug, Default)]
pub(crate) struct Fair {
    state: Mutex<State>,
    levels: Levels,
}

/// Places of one set that a key holds, until they are dropped.
#[derive(Debug)]
#[must_use = "the places are free again as soon as this is dropped"]
pub(crate) struct Place {
    fair: Arc<Fair>,
    account: usize,
    set: Set,
    /// The size of the set.
    most: usize,
    held: AtomicUsize,
    /// The number of a poll, whose place a newer one of its key may take over.
    poll: Option<i64>,
}

/// A number in the line of a set. Dropping it leaves the line.
struct Ticket<'a> {
    place: &'a Place,
    ask: Ask,
    number: i64,
    is_served: bool,
}

impl Fair {
    /// Returns places that the key gets at once.
    pub(crate) fn take(self: &Arc<Self>, key: &Arc<str>, ask: Ask) -> Option<Place> {
        let mut state = self.state();
        let account = state.account(key);
        let is_taken = state.take(account, ask);
        drop(state);
        let place = self.place(account, ask);
        is_taken.then(|| place.with(ask.amount))
    }

    /// Returns places, whether they are free or not.
    pub(crate) fn take_anyway(self: &Arc<Self>, key: &Arc<str>, ask: Ask) -> Place {
        let mut state = self.state();
        let account = state.account(key);
        state.hold(account, ask.set, ask.amount);
        drop(state);
        self.place(account, ask).with(ask.amount)
    }

    /// Returns whether a key that holds none would get places at once.
    pub(crate) fn has_place(&self, ask: Ask) -> bool {
        self.state().has_place(ask)
    }

    /// Returns the level of the bytes that clients have not read.
    pub(crate) const fn unread(&self) -> &Level {
        &self.levels.unread
    }

    /// Returns no places yet. The handle is counted already.
    fn place(self: &Arc<Self>, account: usize, ask: Ask) -> Place {
        if let Some(level) = self.levels.taken(ask.set) {
            level.rise();
        }
        Place { fair: Arc::clone(self), account, set: ask.set, most: ask.most, held: AtomicUsize::new(0), poll: None }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits in turn for places of another set, with what is held here kept; `None` when this many requests of the key
    /// wait already.
    pub(crate) async fn beside(&self, ask: Ask, waiting: usize) -> Option<Self> {
        let (asked, wakers) = {
            let mut state = self.fair.state();
            state.add_handle(self.account);
            state.ask(self.account, ask, waiting)
        };
        let place = self.fair.place(self.account, ask);
        wake(wakers);
        place.served(asked, ask).await.then_some(place)
    }

    /// Waits in turn for this much more; `false` when this many requests of the key wait already.
    pub(crate) async fn grow(&self, by: usize, waiting: usize) -> bool {
        let ask = Ask::new(self.set, by, self.most);
        let (asked, wakers) = self.fair.state().ask(self.account, ask, waiting);
        wake(wakers);
        self.served(asked, ask).await
    }

    /// Takes this much more, whether it is free or not.
    pub(crate) fn grow_anyway(&self, by: usize) {
        self.fair.state().hold(self.account, self.set, by);
        self.held.fetch_add(by, Ordering::Relaxed);
    }

    /// Gives back what is held above this.
    pub(crate) fn shrink(&self, to: usize) {
        let held = self.held.fetch_min(to, Ordering::Relaxed);
        if held > to {
            wake(self.fair.state().release(self.account, self.set, held - to));
        }
    }

    /// Returns how much is held.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Returns how much of another set its key holds, and how much all keys hold.
    pub(crate) fn held_beside(&self, set: Set) -> (usize, usize) {
        let state = self.fair.state();
        (state.held(self.account, set), state.taken(set))
    }

    /// Awaits work that is done in pieces, and [between them](pieces::pass) lets the other keys pass that wait for the
    /// set, each with one request.
    pub(crate) async fn in_turns<T>(&self, mut work: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> T {
        loop {
            let done = poll_fn(|context| {
                pieces::take_pause();
                match work.as_mut().poll(context) {
                    Poll::Ready(done) => Poll::Ready(Some(done)),
                    Poll::Pending if pieces::take_pause() && self.another_waits() => Poll::Ready(None),
                    Poll::Pending => Poll::Pending,
                }
            });
            match done.await {
                Some(done) => return done,
                None => self.pass().await,
            }
            // It may have been served at once, and the tasks of its thread have not run.
            pieces::pass().await;
        }
    }

    /// Returns whether another key waits for the set.
    fn another_waits(&self) -> bool {
        self.fair.state().another_waits(self.account, self.set)
    }

    /// Gives back what is held, and takes it again in turn.
    async fn pass(&self) {
        let ask = Ask::new(self.set, self.held.swap(0, Ordering::Relaxed), self.most);
        let (asked, wakers) = self.fair.state().pass(self.account, ask);
        wake(wakers);
        self.served(asked, ask).await;
    }

    /// Takes a place among the polls of this set. A key with `share` of them ends its oldest one for it.
    pub(crate) fn poll(&self, ask: Ask, share: usize) -> Option<Self> {
        let (number, wakers) = {
            let mut state = self.fair.state();
            let taken = state.poll(self.account, ask, share)?;
            state.add_handle(self.account);
            taken
        };
        wake(wakers);
        let mut place = self.fair.place(self.account, ask);
        place.poll = Some(number);
        Some(place)
    }

    /// Returns ready once a newer poll of the key has taken the place of this one.
    pub(crate) fn poll_ended(&self, context: &Context<'_>) -> Poll<()> {
        let waits = |number| self.fair.state().waits(self.account, self.set, number, context.waker());
        if self.poll.is_some_and(waits) { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Waits until it is served, if it has to.
    async fn served(&self, asked: Asked, ask: Ask) -> bool {
        match asked {
            Asked::Refused => return false,
            Asked::Taken => {}
            Asked::Waits(number) => Ticket::new(self, ask, number).served().await,
        }
        self.held.fetch_add(ask.amount, Ordering::Relaxed);
        true
    }

    fn with(mut self, held: usize) -> Self {
        *self.held.get_mut() = held;
        self
    }
}

impl<'a> Ticket<'a> {
    fn new(place: &'a Place, ask: Ask, number: i64) -> Self {
        if let Some(level) = place.fair.levels.waiting(ask.set) {
            level.rise();
        }
        Self { place, ask, number, is_served: false }
    }

    async fn served(mut self) {
        poll_fn(|context| self.poll(context)).await;
    }

    fn poll(&mut self, context: &Context<'_>) -> Poll<()> {
        let Place { fair, account, .. } = self.place;
        self.is_served = !fair.state().waits(*account, self.ask.set, self.number, context.waker());
        if self.is_served { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let Place { fair, account, .. } = self.place;
        if let Some(level) = fair.levels.waiting(self.ask.set) {
            level.fall();
        }
        if !self.is_served {
            let wakers = {
                let (mut state, Ask { set, amount, .. }) = (fair.state(), self.ask);
                // It may have been served after it was polled last.
                state.leave(*account, set, self.number).unwrap_or_else(|| state.release(*account, set, amount))
            };
            wake(wakers);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let wakers = {
            let (mut state, held) = (self.fair.state(), *self.held.get_mut());
            state.drop_handle(self.account);
            match self.poll {
                Some(number) => state.end_poll(self.account, number),
                None if held == 0 => Wakers::new(),
                None => state.release(self.account, self.set, held),
            }
        };
        if let Some(level) = self.fair.levels.taken(self.set) {
            level.fall();
        }
        wake(wakers);
    }
}

fn wake(wakers: Wakers) {
    wakers.into_iter().for_each(Waker::wake);
}
