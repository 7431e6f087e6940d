//! The bytes of bodies that have not arrived as a whole, and the bound on their sum over all requests.

use std::{
    collections::{BTreeMap, HashMap},
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// Most bytes of unfinished bodies: 64 MiB, as of unfinished heads.
const MOST: usize = 64 << 20;
/// Most bytes of the unfinished bodies of one key: fifteen sixteenths.
const MOST_OF_A_KEY: usize = MOST / 16 * 15;
/// The bytes by which a body has to grow before that counts as progress: a client could send a byte now and then.
const PROGRESS: usize = 1024;

/// The unfinished bodies of all requests.
#[derive(Debug, Default)]
pub(super) struct Bodies(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The number of the last progress that a body made.
    last: u64,
    bytes: usize,
    bytes_by_key: HashMap<Arc<str>, usize>,
    /// The bodies by the number of their last progress, so the one without progress for longest is the first.
    bodies: BTreeMap<u64, Body>,
}

#[derive(Debug)]
struct Body {
    key: Arc<str>,
    bytes: usize,
    /// The bytes at its last progress.
    counted: usize,
    waker: Option<Waker>,
}

/// A frontend's permit to receive a body, which counts the bytes until it is dropped.
///
/// All unfinished bodies together have at most 64 MiB, those of one key fifteen sixteenths of that. Beyond it, the body
/// with the least progress ends, and is answered 408.
///
/// ```no_run
/// use care_core::rest::{BodyOutcome, BodyPermit};
/// use futures_util::future::{Either, select};
/// use std::pin::pin;
///
/// async fn receive(mut permit: BodyPermit, mut next: impl AsyncFnMut() -> Vec<u8>) -> BodyOutcome {
///     let mut body = Vec::new();
///     loop {
///         match select(pin!(next()), pin!(permit.revoked(body.len()))).await {
///             Either::Left((piece, _)) if piece.is_empty() => return BodyOutcome::Whole(body.into()),
///             Either::Left((piece, _)) => body.extend(piece),
///             Either::Right(_) => return BodyOutcome::TimedOut,
///         }
///         if body.len() > permit.limit() {
///             return BodyOutcome::TooLarge;
///         }
///     }
/// }
/// ```
#[derive(Debug)]
#[must_use = "a body counts only as long as its permit is held"]
pub struct BodyPermit {
    bodies: Arc<Bodies>,
    key: Arc<str>,
    limit: usize,
    /// The number of its last progress, once bytes have arrived.
    number: Option<u64>,
}

impl Bodies {
    /// Returns a permit to receive a body of at most `limit` bytes for a key.
    pub(super) const fn permit(bodies: Arc<Self>, key: Arc<str>, limit: usize) -> BodyPermit {
        BodyPermit { bodies, key, limit, number: None }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyPermit {
    /// Returns the limit of the body in bytes. A longer one is [`BodyOutcome::TooLarge`](super::run::BodyOutcome).
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Waits, with this many bytes arrived and the rest still missing, until the body has to end in favour of others.
    /// Its outcome is then [`BodyOutcome::TimedOut`](super::run::BodyOutcome::TimedOut).
    ///
    /// Race it with the next bytes, which should be polled first: a body that arrives as a whole is never counted.
    pub async fn revoked(&mut self, arrived: usize) {
        poll_fn(|context| self.poll_revoked(arrived, context)).await;
    }

    pub(super) fn poll_revoked(&mut self, arrived: usize, context: &Context<'_>) -> Poll<()> {
        // A body of which nothing has arrived takes nothing, so no other gains by its end.
        if arrived == 0 {
            return Poll::Pending;
        }
        let mut state = self.bodies.state();
        let wakers = state.arrived(&self.key, &mut self.number, arrived);
        let body = self.number.and_then(|number| state.bodies.get_mut(&number));
        let is_over = body.map(|body| body.waker = Some(context.waker().clone())).is_none();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for BodyPermit {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.bodies.state().remove(number);
        }
    }
}

impl State {
    /// Counts the bytes of a body, which have grown to `arrived`. Returns the tasks whose bodies have to end.
    fn arrived(&mut self, key: &Arc<str>, number: &mut Option<u64>, arrived: usize) -> Vec<Waker> {
        let body = match *number {
            None => Body { key: Arc::clone(key), bytes: 0, counted: 0, waker: None },
            Some(number) => match self.bodies.remove(&number) {
                Some(body) => body,
                // It has to end, and counts no longer.
                None => return Vec::new(),
            },
        };
        // A frontend that counts wrongly must not make bytes stay counted for ever.
        let arrived = arrived.max(body.bytes);
        let grown = arrived - body.bytes;
        let has_progressed = number.is_none() || arrived - body.counted >= PROGRESS;
        let counted = if has_progressed { arrived } else { body.counted };
        let place = match *number {
            Some(place) if !has_progressed => place,
            _ => {
                self.last += 1;
                self.last
            }
        };
        self.bodies.insert(place, Body { bytes: arrived, counted, ..body });
        *number = Some(place);
        self.bytes += grown;
        *self.bytes_by_key.entry(Arc::clone(key)).or_default() += grown;
        self.revoke(key)
    }

    /// Ends bodies until the others are within the limits.
    fn revoke(&mut self, key: &Arc<str>) -> Vec<Waker> {
        let mut wakers = Vec::new();
        while self.bytes_by_key.get(key).is_some_and(|bytes| *bytes > MOST_OF_A_KEY) {
            let own = self.bodies.iter().find(|(_, body)| body.key == *key).map(|(number, _)| *number);
            let Some(number) = own else { break };
            wakers.extend(self.remove(number));
        }
        while self.bytes > MOST {
            let Some(number) = self.bodies.keys().next().copied() else { break };
            wakers.extend(self.remove(number));
        }
        wakers
    }

    /// Removes a body, and returns the task that waits for its end.
    fn remove(&mut self, number: u64) -> Option<Waker> {
        let body = self.bodies.remove(&number)?;
        self.bytes -= body.bytes;
        let own = self.bytes_by_key.get_mut(&body.key)?;
        *own -= body.bytes;
        if *own == 0 {
            self.bytes_by_key.remove(&body.key);
        }
        body.waker
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE: usize = 64 << 10;

    fn permit(bodies: &Arc<Bodies>, key: &str) -> BodyPermit {
        Bodies::permit(Arc::clone(bodies), key.into(), PIECE)
    }

    /// A body in its permit.
    struct Receiving(BodyPermit, usize);

    impl Receiving {
        fn grow(&mut self, bytes: usize) {
            self.1 += bytes;
            let _ = self.is_over();
        }

        fn is_over(&mut self) -> bool {
            self.0.poll_revoked(self.1, &Context::from_waker(Waker::noop())).is_ready()
        }
    }

    /// Returns bodies of a key that have this many bytes together, in pieces.
    fn holding(bodies: &Arc<Bodies>, key: &str, bytes: usize) -> Vec<Receiving> {
        let grown = (0..bytes / PIECE).map(|_| {
            let mut body = Receiving(permit(bodies, key), 0);
            body.grow(PIECE);
            body
        });
        grown.collect()
    }

    /// Returns the indexes of the bodies that have to end.
    fn over(bodies: &mut [Receiving]) -> Vec<usize> {
        let over = bodies.iter_mut().enumerate().filter_map(|(index, body)| body.is_over().then_some(index));
        over.collect()
    }

    #[test]
    fn a_key_alone_leaves_a_sixteenth() {
        let bodies = Arc::<Bodies>::default();
        let mut busy = holding(&bodies, "busy", MOST_OF_A_KEY);
        assert_eq!(over(&mut busy), [0; 0]);
        busy[1].grow(1);
        assert_eq!(over(&mut busy), [0]);
        // Another key has the rest, and none of its bodies ends for those of the busy one.
        let mut other = holding(&bodies, "other", MOST - MOST_OF_A_KEY);
        busy[2].grow(PIECE);
        assert_eq!((over(&mut busy), over(&mut other)), (vec![0, 1], vec![]));
    }

    #[test]
    fn the_body_with_the_least_progress_ends() {
        let bodies = Arc::<Bodies>::default();
        let (mut one, mut two) = (holding(&bodies, "one", MOST / 2), holding(&bodies, "two", MOST / 2));
        // A byte is no progress, 1 KiB is.
        one[0].grow(1);
        assert_eq!(over(&mut one), [0]);
        one[1].grow(PROGRESS);
        one[2].grow(PROGRESS - 1);
        two[0].grow(2 * PIECE);
        assert_eq!((over(&mut one), over(&mut two)), (vec![0, 2, 3], vec![]));
    }

    #[test]
    fn a_body_of_which_nothing_came_is_left_alone_and_one_that_is_whole_counts_no_longer() {
        let bodies = Arc::<Bodies>::default();
        let mut silent = Receiving(permit(&bodies, "one"), 0);
        drop(holding(&bodies, "one", MOST_OF_A_KEY));
        let mut held = holding(&bodies, "two", MOST_OF_A_KEY);
        assert_eq!((silent.is_over(), over(&mut held)), (false, vec![]));
        // A frontend says less than it said before.
        held[0].1 = 1;
        assert!(!held[0].is_over());
        drop((held, silent));
        let state = bodies.state();
        assert!(state.bytes == 0 && state.bytes_by_key.is_empty() && state.bodies.is_empty());
    }
}
