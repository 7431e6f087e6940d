//! Admission control: permits for what requests share, held and awaited by key.
//!
//! A key alone may hold 15 times what it leaves free of a [resource](Resource): all but one permit for each 16. So
//! another key that holds nothing finds a free permit next to one busy key, unless the resource has only one. While
//! others wait, a key that holds a quarter gets no more before they have some; what it holds is never taken from it.
//! Waiters are served by their keys in turn, and each key's in the order in which they came.
//!
//! Threads are given by work instead: to the key that has done the least lately.

mod recent;
pub(crate) mod resource;
mod state;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod threads;

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Instant,
};

use recent::Millis;
use resource::{Claim, Level, Levels, Resource};
use state::{Number, Outcome, State, Wakers};

/// The permits of a server, by the keys that hold them.
#[derive(Debug)]
pub(crate) struct Admission {
    state: Mutex<State>,
    levels: Levels,
    since: Instant,
}

/// Permits of one resource that a key holds, until they are dropped.
#[derive(Debug)]
#[must_use = "the permits are free again as soon as this is dropped"]
pub(crate) struct Permit {
    admission: Arc<Admission>,
    account: usize,
    resource: Resource,
    /// The capacity of the resource.
    capacity: usize,
    held: AtomicUsize,
    /// Work that its key is not charged for yet.
    done: AtomicU64,
    gives_way: AtomicBool,
    /// The number of a poll, whose permit a newer one of its key may take over.
    poll: Option<Number>,
}

/// A request that waits in the queue of a resource. Dropping it leaves the queue.
struct Waiter<'a> {
    permit: &'a Permit,
    claim: Claim,
    number: Number,
    is_served: bool,
}

impl Default for Admission {
    fn default() -> Self {
        Self { state: Mutex::default(), levels: Levels::default(), since: Instant::now() }
    }
}

impl Admission {
    /// Returns permits if the key gets them at once.
    pub(crate) fn try_acquire(self: &Arc<Self>, key: &Arc<str>, claim: Claim) -> Option<Permit> {
        self.arrive(key, claim, 0)
    }

    /// Returns permits for a request of the key if it gets them at once. `work` is the part of it that has arrived.
    pub(crate) fn arrive(self: &Arc<Self>, key: &Arc<str>, claim: Claim, work: u64) -> Option<Permit> {
        let now = self.now();
        let mut state = self.state();
        let account = state.account(key);
        let is_taken = state.try_acquire(account, claim);
        let gives_way = work > 0 && state.arrive(account, now, work);
        drop(state);
        let permit = self.permit(account, claim);
        permit.gives_way.store(gives_way, Ordering::Relaxed);
        is_taken.then(|| permit.with(claim.amount))
    }

    /// Returns the permit of a client without a key for nothing yet. `work` is the part of its request that is here.
    pub(crate) fn arrive_keyless(self: &Arc<Self>, address: &Arc<str>, claim: Claim, work: u64) -> Permit {
        let account = self.state().account(address);
        let permit = self.permit(account, claim);
        permit.arrived(work);
        permit
    }

    /// Returns the time since the server began.
    fn now(&self) -> Millis {
        Millis::try_from(self.since.elapsed().as_millis()).unwrap_or(Millis::MAX)
    }

    /// Returns permits, whether they are free or not.
    pub(crate) fn force_acquire(self: &Arc<Self>, key: &Arc<str>, claim: Claim) -> Permit {
        let mut state = self.state();
        let account = state.account(key);
        state.hold(account, claim.resource, claim.amount);
        drop(state);
        self.permit(account, claim).with(claim.amount)
    }

    /// Returns whether a key that holds none would get permits at once.
    pub(crate) fn has_capacity(&self, claim: Claim) -> bool {
        self.state().has_capacity(claim)
    }

    /// Returns the level of the bytes that clients have not read.
    pub(crate) const fn unread(&self) -> &Level {
        &self.levels.unread
    }

    /// Returns a permit for nothing yet. Its handle is counted already.
    fn permit(self: &Arc<Self>, account: usize, claim: Claim) -> Permit {
        if let Some(level) = self.levels.taken(claim.resource) {
            level.rise();
        }
        Permit {
            admission: Arc::clone(self),
            account,
            resource: claim.resource,
            capacity: claim.capacity,
            held: AtomicUsize::new(0),
            done: AtomicU64::new(0),
            gives_way: AtomicBool::new(false),
            poll: None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Waits in turn for permits of another resource and keeps what is held here; `None` when this many requests of the
    /// key wait already.
    pub(crate) async fn acquire(&self, claim: Claim, waiting: usize) -> Option<Self> {
        let (outcome, wakers) = {
            let mut state = self.admission.state();
            state.add_handle(self.account);
            state.acquire(self.account, claim, waiting)
        };
        let permit = self.admission.permit(self.account, claim);
        wake(wakers);
        permit.served(outcome, claim).await.then_some(permit)
    }

    /// Waits in turn for this much more; `false` when this many requests of the key wait already.
    pub(crate) async fn grow(&self, by: usize, waiting: usize) -> bool {
        let claim = Claim::new(self.resource, by, self.capacity);
        let (outcome, wakers) = self.admission.state().acquire(self.account, claim, waiting);
        wake(wakers);
        self.served(outcome, claim).await
    }

    /// Takes this much more, whether it is free or not.
    pub(crate) fn force_grow(&self, by: usize) {
        self.admission.state().hold(self.account, self.resource, by);
        self.held.fetch_add(by, Ordering::Relaxed);
    }

    /// Gives back what is held above this.
    pub(crate) fn shrink(&self, to: usize) {
        let held = self.held.fetch_min(to, Ordering::Relaxed);
        if held > to {
            wake(self.admission.state().release(self.account, self.resource, held - to));
        }
    }

    /// Returns how much is held.
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Returns how much of another resource its key holds, and how much all keys hold.
    pub(crate) fn usage_of(&self, resource: Resource) -> (usize, usize) {
        let state = self.admission.state();
        (state.held(self.account, resource), state.taken(resource))
    }

    /// Notes that a part of the key's request has arrived, which is this much work.
    pub(crate) fn arrived(&self, work: u64) {
        if work > 0 {
            let now = self.admission.now();
            let gives_way = self.admission.state().arrive(self.account, now, work);
            self.gives_way.store(gives_way, Ordering::Relaxed);
        }
    }

    /// Returns whether the key has used much lately and others are active, so that its request has to wait for a thread
    /// before it is parsed.
    pub(crate) fn gives_way(&self) -> bool {
        self.gives_way.load(Ordering::Relaxed)
    }

    /// Counts work of the request, which its key has done once the permit is dropped.
    pub(crate) fn count(&self, work: u64) {
        self.done.fetch_add(work, Ordering::Relaxed);
    }

    /// Adds the counted work to what the key did lately.
    pub(crate) fn charge(&self) {
        let done = self.done.swap(0, Ordering::Relaxed);
        self.admission.state().charge(self.account, done);
    }

    /// Lets another key go first that waits and has done less lately: releases what is held, and waits until that one
    /// has done as much. A request of the own key goes first if it is shorter than this one is by now.
    pub(crate) async fn pass(&self, length: u8) {
        let claim = Claim::new(self.resource, self.held(), self.capacity);
        let now = self.admission.now();
        let passed = self.admission.state().pass(self.account, claim, length, now);
        let Some((outcome, wakers)) = passed else {
            return;
        };
        self.held.store(0, Ordering::Relaxed);
        wake(wakers);
        self.served(outcome, claim).await;
    }

    /// Takes the permit of a poll. A key with `share` of them ends its oldest one for it.
    pub(crate) fn poll(&self, claim: Claim, share: usize) -> Option<Self> {
        let (number, wakers) = {
            let mut state = self.admission.state();
            let taken = state.poll(self.account, claim, share)?;
            state.add_handle(self.account);
            taken
        };
        wake(wakers);
        let mut permit = self.admission.permit(self.account, claim);
        permit.poll = Some(number);
        Some(permit)
    }

    /// Returns ready once a newer poll of the key has taken the permit of this one.
    pub(crate) fn poll_ended(&self, context: &Context<'_>) -> Poll<()> {
        let waits = |number| self.admission.state().waits(self.account, self.resource, number, context.waker());
        if self.poll.is_some_and(waits) { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Waits until it is served, if it has to.
    async fn served(&self, outcome: Outcome, claim: Claim) -> bool {
        match outcome {
            Outcome::Refused => return false,
            Outcome::Taken => {}
            Outcome::Waits(number) => Waiter::new(self, claim, number).served().await,
        }
        self.held.fetch_add(claim.amount, Ordering::Relaxed);
        true
    }

    fn with(mut self, held: usize) -> Self {
        *self.held.get_mut() = held;
        self
    }
}

impl<'a> Waiter<'a> {
    fn new(permit: &'a Permit, claim: Claim, number: Number) -> Self {
        if let Some(level) = permit.admission.levels.waiting(claim.resource) {
            level.rise();
        }
        Self { permit, claim, number, is_served: false }
    }

    async fn served(mut self) {
        poll_fn(|context| self.poll(context)).await;
    }

    fn poll(&mut self, context: &Context<'_>) -> Poll<()> {
        let Permit { admission, account, .. } = self.permit;
        self.is_served = !admission.state().waits(*account, self.claim.resource, self.number, context.waker());
        if self.is_served { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let Permit { admission, account, .. } = self.permit;
        if let Some(level) = admission.levels.waiting(self.claim.resource) {
            level.fall();
        }
        if !self.is_served {
            let wakers = {
                let (mut state, Claim { resource, amount, .. }) = (admission.state(), self.claim);
                // It may have been served after it was polled last.
                state
                    .leave(*account, resource, self.number)
                    .unwrap_or_else(|| state.release(*account, resource, amount))
            };
            wake(wakers);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let wakers = {
            let (mut state, held) = (self.admission.state(), *self.held.get_mut());
            let done = *self.done.get_mut();
            if done > 0 {
                state.charge(self.account, done);
            }
            state.drop_handle(self.account);
            match self.poll {
                Some(number) => state.end_poll(self.account, number),
                None if held == 0 => Wakers::new(),
                None => state.release(self.account, self.resource, held),
            }
        };
        if let Some(level) = self.admission.levels.taken(self.resource) {
            level.fall();
        }
        wake(wakers);
    }
}

fn wake(wakers: Wakers) {
    wakers.into_iter().for_each(Waker::wake);
}
