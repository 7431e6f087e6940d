//! The work of a request: counted where it is done, and interrupted where others may go first.
//!
//! The gate [meters](Meter::poll) a request while it runs. The few places that ask a store, rank or encode for it
//! [count](count) that work. Before a read, where the request holds no snapshot and no decision is under way, it
//! [pauses](before) when it has done as much as it may without a slot, or without letting others pass.
//! A host's own use of the service has no meter, so it is neither counted nor interrupted.

use std::{
    cell::Cell,
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll},
};

thread_local! {
    /// The meter of the request that this thread polls; `None` for a host's own use.
    static METER: Cell<Option<Meter>> = const { Cell::new(None) };
}

/// An amount of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Work {
    /// Records, journal entries and candidates of a search.
    pub(crate) records: usize,
    /// Bytes that were loaded, ranked or encoded.
    pub(crate) bytes: usize,
}

/// The work of one request since others were last let pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meter {
    done: Work,
    /// The work that it may do before it pauses.
    bound: Work,
    /// The reason for which the request waits; `None` while it runs or waits for a store.
    pause: Option<Pause>,
}

/// The reason why a metered request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// It has done as much as it may.
    Due,
    /// It waits for the work of another request, which may need its slot.
    ForAnother,
}

impl Work {
    /// The work that a request does at once, without a slot.
    pub(crate) const SHORT: Self = Self { records: 128, bytes: 64 * 1024 };
    /// The work after which a request lets others pass.
    pub(crate) const QUANTUM: Self = Self { records: 512, bytes: 256 * 1024 };
    /// More than any bound.
    pub(crate) const LONG: Self = Self { records: usize::MAX, bytes: 0 };
    /// The bytes that take as long as a record.
    const BYTES_OF_A_RECORD: usize = 512;

    /// Returns the work of this many records.
    pub(crate) const fn records(records: usize) -> Self {
        Self { records, bytes: 0 }
    }

    /// Returns the work of this many bytes.
    pub(crate) const fn bytes(bytes: usize) -> Self {
        Self { records: 0, bytes }
    }

    /// Returns both together.
    const fn and(self, other: Self) -> Self {
        Self { records: self.records.saturating_add(other.records), bytes: self.bytes.saturating_add(other.bytes) }
    }

    const fn is_within(self, bound: Self) -> bool {
        self.records <= bound.records && self.bytes <= bound.bytes
    }

    /// Returns the work as one number, in bytes.
    pub(crate) const fn units(self) -> usize {
        self.records.saturating_mul(Self::BYTES_OF_A_RECORD).saturating_add(self.bytes)
    }
}

/// The meter to put back after a poll, even if that panics.
struct Outer(Option<Meter>);

impl Drop for Outer {
    fn drop(&mut self) {
        METER.set(self.0);
    }
}

impl Meter {
    /// Returns the meter of a request that has done nothing and holds no slot.
    pub(crate) const fn new() -> Self {
        Self { done: Work::records(0), bound: Work::SHORT, pause: None }
    }

    /// Returns the meter of work that is never interrupted.
    pub(crate) const fn unbounded() -> Self {
        Self { bound: Work { records: usize::MAX, bytes: usize::MAX }, ..Self::new() }
    }

    /// Polls a request and counts its work. Returns why it waits, if it does so for no store.
    pub(crate) fn poll<F: Future + ?Sized>(
        &mut self,
        request: Pin<&mut F>,
        context: &mut Context<'_>,
    ) -> (Poll<F::Output>, Option<Pause>) {
        let outer = Outer(METER.replace(Some(*self)));
        let polled = request.poll(context);
        if let Some(metered) = METER.get() {
            *self = metered;
        }
        drop(outer);
        (polled, self.pause.take())
    }

    /// Returns the work since the last call, after which as much may be done as this.
    pub(crate) const fn take(&mut self, bound: Work) -> Work {
        let done = self.done;
        self.done = Work::records(0);
        self.bound = bound;
        done
    }

    /// Lets no more be done without a pause.
    pub(crate) const fn exhaust(&mut self) {
        self.bound = Work::records(0);
    }

    /// Returns whether to pause before this much more. A request that has just paused goes on with a step of any size.
    fn is_due(&self, expected: Work) -> bool {
        let has_slot = self.bound == Work::QUANTUM;
        let has_paused = has_slot && self.done == Work::default();
        !has_paused && !self.done.and(expected).is_within(self.bound)
    }
}

/// Counts work of the request that this thread polls.
pub(crate) fn count(work: Work) {
    METER.with(|cell| {
        if let Some(meter) = cell.get() {
            cell.set(Some(Meter { done: meter.done.and(work), ..meter }));
        }
    });
}

/// The work that a read did on a thread of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "it counts for a request only where that awaits the read"]
pub struct ReadWork(Work);

impl ReadWork {
    /// Counts it for the request that this thread polls, if it polls one.
    pub fn count(self) {
        count(self.0);
    }
}

/// Runs a read, and returns its work. A store that reads on threads of its own calls this there, and
/// [counts](ReadWork::count) the work where the read is awaited.
pub fn read_elsewhere<T>(read: impl FnOnce() -> T) -> (T, ReadWork) {
    let outer = Outer(METER.replace(Some(Meter::unbounded())));
    let found = read();
    let done = METER.get().map_or(Work::records(0), |meter| meter.done);
    drop(outer);
    (found, ReadWork(done))
}

/// Returns whether the request has to [pause](before) before it does this much more.
pub(crate) fn is_due(expected: Work) -> bool {
    METER.get().is_some_and(|meter| meter.is_due(expected))
}

/// Lets others go first where the request would do more than it may with this much more. Hold no snapshot across it.
pub(crate) async fn before(expected: Work) {
    if is_due(expected) {
        pause().await;
    }
}

/// Lets the other tasks of the thread run before this one continues, unless it has done little since it last did.
pub(crate) async fn pass() {
    if METER.get().is_none_or(|meter| !meter.done.is_within(meter.bound)) {
        pause().await;
    }
}

/// Awaits the work of another request, which may need the slot of this one.
pub(crate) async fn pass_until<T>(other: impl Future<Output = T>) -> T {
    let mut other = pin!(other);
    poll_fn(|context| {
        let polled = other.as_mut().poll(context);
        if polled.is_pending() {
            set_pause(Pause::ForAnother);
        }
        polled
    })
    .await
}

async fn pause() {
    let mut has_paused = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_paused, true) {
            return Poll::Ready(());
        }
        set_pause(Pause::Due);
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn set_pause(pause: Pause) {
    METER.with(|cell| cell.set(cell.get().map(|meter| Meter { pause: Some(pause), ..meter })));
}

#[cfg(test)]
mod tests {
    use futures_util::task::noop_waker_ref;

    use super::*;

    /// Polls a request once and returns whether it has ended, and why it waits.
    fn polled(meter: &mut Meter, request: Pin<&mut impl Future<Output = ()>>) -> (bool, Option<Pause>) {
        let (polled, pause) = meter.poll(request, &mut Context::from_waker(noop_waker_ref()));
        (polled.is_ready(), pause)
    }

    #[test]
    fn a_request_pauses_before_the_read_that_would_be_too_much() {
        let mut meter = Meter::new();
        let mut request = pin!(async {
            for _ in 0..3 {
                before(Work::records(64)).await;
                count(Work::records(64));
            }
            // One step may be larger than a quantum: the pause comes before the next one.
            count(Work::bytes(1 << 20));
            before(Work::records(1)).await;
            before(Work::LONG).await;
        });
        assert_eq!(polled(&mut meter, request.as_mut()), (false, Some(Pause::Due)));
        assert_eq!(meter.take(Work::QUANTUM), Work::records(128));
        assert_eq!(polled(&mut meter, request.as_mut()), (false, Some(Pause::Due)));
        assert_eq!(meter.take(Work::QUANTUM), Work { records: 64, bytes: 1 << 20 });
        assert_eq!(polled(&mut meter, request.as_mut()), (true, None));
    }

    #[test]
    fn nobody_pauses_who_is_not_metered() {
        count(Work::LONG);
        assert!(!is_due(Work::LONG));
        let mut meter = Meter::new();
        assert_eq!(polled(&mut meter, pin!(async { count(Work::SHORT) })), (true, None));
        assert!(METER.get().is_none());
    }
}
