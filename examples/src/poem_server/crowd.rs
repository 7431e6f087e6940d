//! How many connections there are, and which of them end when there are too many.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

/// Of a full crowd, one in this number ends at once, so that looking for it is worth its time.
const SHARE: usize = 64;

/// The open connections. When they are as many as there may be, those end on which nothing has come or gone for longest;
/// a connection whose request is being answered, a long poll for example, stays.
#[derive(Debug)]
pub(crate) struct Crowd {
    limit: usize,
    /// Counts accepted connections, and so tells early from late without a look at the time.
    clock: AtomicU64,
    members: Mutex<BTreeMap<u64, Arc<Member>>>,
}

/// What the crowd knows of a connection.
#[derive(Debug, Default)]
struct Member {
    /// When something came or went last.
    last: AtomicU64,
    /// Whether it has sent the head of a request that is not answered yet.
    asks: AtomicBool,
    is_over: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

/// The place of a connection in the crowd, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    crowd: Arc<Crowd>,
    id: u64,
    member: Arc<Member>,
    /// Whether the line that is being read is empty so far, as the one behind a head is.
    at_line_start: bool,
}

impl Crowd {
    /// Returns an empty crowd of at most this number of connections.
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, clock: AtomicU64::new(0), members: Mutex::new(BTreeMap::new()) }
    }

    /// Returns a place for a new connection, at the cost of others if there are too many; none when all of them wait for
    /// their answers.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Place> {
        let id = self.clock.fetch_add(1, Ordering::Relaxed) + 1;
        let member = Arc::new(Member { last: AtomicU64::new(id), ..Member::default() });
        let mut members = self.lock();
        if members.len() >= self.limit {
            let idle = members.iter().filter(|(_, member)| !member.asks.load(Ordering::Relaxed));
            let mut idle: Vec<_> = idle.map(|(id, member)| (member.last.load(Ordering::Relaxed), *id)).collect();
            let count = idle.len().min(self.limit.div_ceil(SHARE));
            if count == 0 {
                return None;
            }
            idle.select_nth_unstable(count - 1);
            for (_, id) in &idle[..count] {
                if let Some(member) = members.remove(id) {
                    member.end();
                }
            }
            tracing::warn!(count, "connections were ended, since there were too many");
        }
        members.insert(id, Arc::clone(&member));
        drop(members);
        Some(Place { crowd: Arc::clone(self), id, member, at_line_start: false })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Member>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        let waker = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Place {
    /// These bytes have come.
    pub(crate) fn received(&mut self, bytes: &[u8]) {
        self.moved();
        if self.member.asks.load(Ordering::Relaxed) {
            return;
        }
        for byte in bytes {
            match byte {
                b'\n' if self.at_line_start => {
                    self.member.asks.store(true, Ordering::Relaxed);
                    return;
                }
                b'\n' => self.at_line_start = true,
                b'\r' => {}
                _ => self.at_line_start = false,
            }
        }
    }

    /// Something of an answer has gone.
    pub(crate) fn answered(&mut self) {
        self.moved();
        self.at_line_start = false;
        self.member.asks.store(false, Ordering::Relaxed);
    }

    /// Ready once the connection must end for another one. Until then its task is woken for that.
    pub(crate) fn poll_over(&self, context: &Context<'_>) -> Poll<()> {
        let mut waker = self.member.waker.lock().unwrap_or_else(PoisonError::into_inner);
        if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            *waker = Some(context.waker().clone());
        }
        // Asked after the waker is there: an end in between is seen here or wakes.
        if self.member.is_over.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
    }

    fn moved(&self) {
        self.member.last.store(self.crowd.clock.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_over(place: &Place) -> bool {
        place.poll_over(&Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn those_end_that_have_been_idle_for_longest() {
        let crowd = Arc::new(Crowd::new(3));
        let mut places: Vec<_> = (0..3).map(|_| crowd.enter().unwrap()).collect();
        // The first one was answered in the meantime, the second sends its head in pieces.
        places[0].received(b"GET / HTTP/1.1\r\n\r\n");
        places[0].answered();
        places[1].received(b"GET / HT");
        let fourth = crowd.enter().unwrap();
        assert_eq!(places.iter().map(is_over).collect::<Vec<_>>(), [true, false, false]);
        let fifth = crowd.enter().unwrap();
        assert_eq!(places.iter().map(is_over).collect::<Vec<_>>(), [true, true, false]);
        assert!(!is_over(&fourth) && !is_over(&fifth));
    }

    #[test]
    fn a_request_that_waits_for_its_answer_is_left_alone() {
        let crowd = Arc::new(Crowd::new(2));
        let (mut one, mut other) = (crowd.enter().unwrap(), crowd.enter().unwrap());
        for part in ["GET /news?wait=30 HTTP/1.1\r\nHost: x\r", "\n\r", "\n"] {
            one.received(part.as_bytes());
        }
        other.received(b"GET / HTTP/1.1\nHost: x\n\n");
        assert!(crowd.enter().is_none());
        other.answered();
        let _third = crowd.enter().unwrap();
        assert!(is_over(&other) && !is_over(&one));
    }

    #[test]
    fn a_connection_that_is_closed_leaves_its_place() {
        let crowd = Arc::new(Crowd::new(1));
        for _ in 0..3 {
            let place = crowd.enter().unwrap();
            assert!(!is_over(&place));
        }
        assert!(crowd.lock().is_empty());
    }
}
