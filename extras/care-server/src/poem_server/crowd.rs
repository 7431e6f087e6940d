//! The open connections: which of them to close when there are too many, and which clients have disconnected.

use std::{
    collections::HashMap,
    future::poll_fn,
    mem,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

/// The share of a full crowd that is closed at once, as a divisor, so that searching for idle connections pays off.
const SHARE: usize = 64;

/// The most bytes that the unfinished heads of all connections have together. hyper keeps up to 400 kB of each.
const HEADS: usize = 64 << 20;

/// The bytes of an unfinished head that every connection may send, however many others do.
const HEAD: usize = 16 << 10;

/// The open connections. At the limit, the ones that have been idle for longest are closed. A connection with a request
/// in progress stays open, even during a long poll, unless the body of the request is still missing.
#[derive(Debug)]
pub(crate) struct Crowd {
    limit: usize,
    /// A counter of accepted connections and events, which orders them without reading the time.
    clock: AtomicU64,
    /// The connections by client address, which is unique among open connections.
    members: Mutex<HashMap<SocketAddr, Arc<Member>>>,
    /// The bytes of all unfinished heads.
    heads: AtomicUsize,
}

/// The state of a connection.
#[derive(Debug, Default)]
struct Member {
    /// The clock's value when bytes last moved.
    last: AtomicU64,
    /// Whether the client has sent the head of a request that is not yet answered.
    asks: AtomicBool,
    /// Whether the body of that request is still being received.
    receives: AtomicBool,
    is_over: AtomicBool,
    /// The connection's task, which is woken when the connection has to close.
    waker: Mutex<Option<Waker>>,
    has_left: AtomicBool,
    /// The request in progress, which is woken when its client disconnects.
    waiting: Mutex<Option<Waker>>,
}

/// A body that is being received, until this is dropped.
#[derive(Debug)]
#[must_use = "the body counts as received once this is dropped"]
pub(crate) struct Receiving(Arc<Member>);

/// The place of a connection in the crowd, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    crowd: Arc<Crowd>,
    peer: SocketAddr,
    member: Arc<Member>,
    /// Whether the current line is empty so far, like the one that ends a head.
    at_line_start: bool,
    /// The bytes of the unfinished head, which [`Crowd::heads`] counts.
    head: usize,
}

impl Crowd {
    /// Returns an empty crowd of at most this number of connections.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, clock: AtomicU64::new(0), members: Mutex::default(), heads: AtomicUsize::new(0) }
    }

    /// Returns a place for a new connection from this client; if there are too many, idle ones are closed for it.
    /// Returns `None` if all connections are waiting for answers.
    pub(crate) fn enter(self: &Arc<Self>, peer: SocketAddr) -> Option<Place> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed) + 1;
        let member = Arc::new(Member { last: AtomicU64::new(now), ..Member::default() });
        let mut members = self.lock();
        if members.len() >= self.limit {
            let idle = members.iter().filter(|(_, member)| member.is_idle());
            let mut idle: Vec<_> = idle.map(|(peer, member)| (member.last.load(Ordering::Relaxed), *peer)).collect();
            let count = idle.len().min(self.limit.div_ceil(SHARE));
            if count == 0 {
                return None;
            }
            idle.select_nth_unstable(count - 1);
            for (_, peer) in &idle[..count] {
                if let Some(member) = members.remove(peer) {
                    raise(&member.is_over, &member.waker);
                }
            }
            tracing::warn!(count, "connections were ended, since there were too many");
        }
        members.insert(peer, Arc::clone(&member));
        drop(members);
        Some(Place { crowd: Arc::clone(self), peer, member, at_line_start: false, head: 0 })
    }

    /// Notes that the body of a request from the client with this address is being received.
    pub(crate) fn receiving(&self, peer: SocketAddr) -> Option<Receiving> {
        let member = self.lock().get(&peer).cloned()?;
        member.receives.store(true, Ordering::Relaxed);
        Some(Receiving(member))
    }

    /// Waits until the client with this address has disconnected.
    pub(crate) async fn left(&self, peer: SocketAddr) {
        let member = self.lock().get(&peer).cloned();
        if let Some(member) = member {
            poll_fn(|context| poll_raised(&member.has_left, &member.waiting, context)).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SocketAddr, Arc<Member>>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    /// Returns whether the connection may be closed for another: nothing is done for its client, or part of a body is
    /// missing.
    fn is_idle(&self) -> bool {
        !self.asks.load(Ordering::Relaxed) || self.receives.load(Ordering::Relaxed)
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        self.0.receives.store(false, Ordering::Relaxed);
    }
}

/// Raises a flag, and wakes the task that waits for it.
fn raise(flag: &AtomicBool, waker: &Mutex<Option<Waker>>) {
    flag.store(true, Ordering::SeqCst);
    let waker = waker.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Returns ready once the flag is raised. Until then, raising it wakes the task.
fn poll_raised(flag: &AtomicBool, waker: &Mutex<Option<Waker>>, context: &Context<'_>) -> Poll<()> {
    let mut waker = waker.lock().unwrap_or_else(PoisonError::into_inner);
    if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
        *waker = Some(context.waker().clone());
    }
    // The flag is read after the waker is stored, so a change in between is either read here or wakes the task.
    if flag.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
}

impl Place {
    /// Notes bytes from the client. Returns whether there is room for them.
    #[must_use]
    pub(crate) fn received(&mut self, bytes: &[u8]) -> bool {
        self.moved();
        if self.member.asks.load(Ordering::Relaxed) {
            return true;
        }
        // Most heads arrive whole and without a body, so there is no need to look at each byte.
        if bytes.ends_with(b"\r\n\r\n") {
            self.asks();
            return true;
        }
        for byte in bytes {
            match byte {
                b'\n' if self.at_line_start => {
                    self.asks();
                    return true;
                }
                b'\n' => self.at_line_start = true,
                b'\r' => {}
                _ => self.at_line_start = false,
            }
        }
        self.head += bytes.len();
        let heads = self.crowd.heads.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        self.head <= HEAD || heads <= HEADS
    }

    /// Notes that the head of a request is complete.
    fn asks(&mut self) {
        self.member.asks.store(true, Ordering::Relaxed);
        self.release_head();
    }

    fn release_head(&mut self) {
        if self.head > 0 {
            self.crowd.heads.fetch_sub(mem::take(&mut self.head), Ordering::Relaxed);
        }
    }

    /// Notes that the client has closed its side, or that the connection broke.
    pub(crate) fn left(&self) {
        raise(&self.member.has_left, &self.member.waiting);
    }

    /// Notes that a part of an answer was sent.
    pub(crate) fn answered(&mut self) {
        self.moved();
        self.at_line_start = false;
        self.release_head();
        self.member.asks.store(false, Ordering::Relaxed);
    }

    /// Returns ready once the connection has to close in favour of another. Until then, that event wakes its task.
    pub(crate) fn poll_over(&self, context: &Context<'_>) -> Poll<()> {
        poll_raised(&self.member.is_over, &self.member.waker, context)
    }

    fn moved(&self) {
        self.member.last.store(self.crowd.clock.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.release_head();
        let mut members = self.crowd.lock();
        // A newer connection may have the same address by now.
        if members.get(&self.peer).is_some_and(|member| Arc::ptr_eq(member, &self.member)) {
            members.remove(&self.peer);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use super::*;

    fn peer(port: u16) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, 1], port))
    }

    fn is_over(place: &Place) -> bool {
        place.poll_over(&Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn those_end_that_have_been_idle_for_longest() {
        let crowd = Arc::new(Crowd::new(3));
        let mut places: Vec<_> = (0..3).map(|port| crowd.enter(peer(port)).unwrap()).collect();
        // The first connection has been answered in the meantime, and the second sends its head in pieces.
        assert!(places[0].received(b"GET / HTTP/1.1\r\n\r\n"));
        places[0].answered();
        assert!(places[1].received(b"GET / HT"));
        let fourth = crowd.enter(peer(11)).unwrap();
        assert_eq!(places.iter().map(is_over).collect::<Vec<_>>(), [true, false, false]);
        let fifth = crowd.enter(peer(12)).unwrap();
        assert_eq!(places.iter().map(is_over).collect::<Vec<_>>(), [true, true, false]);
        assert!(!is_over(&fourth) && !is_over(&fifth));
    }

    #[test]
    fn a_request_that_waits_for_its_answer_is_left_alone() {
        let crowd = Arc::new(Crowd::new(2));
        let (mut one, mut other) = (crowd.enter(peer(13)).unwrap(), crowd.enter(peer(14)).unwrap());
        for part in ["GET /news?wait=30 HTTP/1.1\r\nHost: x\r", "\n\r", "\n"] {
            assert!(one.received(part.as_bytes()));
        }
        assert!(other.received(b"GET / HTTP/1.1\nHost: x\n\n"));
        assert!(crowd.enter(peer(15)).is_none());
        other.answered();
        let _third = crowd.enter(peer(16)).unwrap();
        assert!(is_over(&other) && !is_over(&one));
    }

    #[test]
    fn a_connection_whose_body_makes_no_progress_ends_for_another() {
        let crowd = Arc::new(Crowd::new(2));
        let (mut stalled, mut other) = (crowd.enter(peer(21)).unwrap(), crowd.enter(peer(22)).unwrap());
        assert!(stalled.received(b"PUT / HTTP/1.1\r\n\r\n") && other.received(b"PUT / HTTP/1.1\r\n\r\n"));
        let (_first, second) = (crowd.receiving(peer(21)).unwrap(), crowd.receiving(peer(22)).unwrap());
        // Another connection comes, and the body of one goes on.
        assert!(crowd.receiving(peer(23)).is_none());
        crowd.clock.fetch_add(1, Ordering::Relaxed);
        assert!(other.received(b"{"));
        let third = crowd.enter(peer(23)).unwrap();
        assert!(is_over(&stalled) && !is_over(&other));
        // A body that is there makes the connection one whose client waits for its answer.
        drop(second);
        drop(third);
        let mut third = crowd.enter(peer(24)).unwrap();
        assert!(third.received(b"GET / HTTP/1.1\r\n\r\n"));
        assert!(crowd.enter(peer(25)).is_none() && !is_over(&other));
    }

    #[test]
    fn heads_that_do_not_end_have_a_bounded_size_together() {
        let crowd = Arc::new(Crowd::new(3));
        let [mut long, mut other, mut short] = [18, 19, 20].map(|port| crowd.enter(peer(port)).unwrap());
        assert!(long.received(&vec![b'x'; HEADS]));
        assert!(other.received(&vec![b'x'; HEAD]) && short.received(b"GET / HT"));
        assert!(!other.received(b"x") && !long.received(b"x"));
        assert!(short.received(b"TP/1.1\r\n"));
        // A head that is complete counts no longer, and neither does one whose connection is closed.
        assert!(long.received(b"\r\n\r\n") && other.received(b"x"));
        drop(other);
        assert_eq!(crowd.heads.load(Ordering::Relaxed), short.head);
    }

    #[test]
    fn a_connection_that_is_closed_leaves_its_place() {
        let crowd = Arc::new(Crowd::new(1));
        for _ in 0..3 {
            let place = crowd.enter(peer(17)).unwrap();
            assert!(!is_over(&place));
        }
        assert!(crowd.lock().is_empty());
    }

    #[test]
    fn it_is_known_which_client_has_left() {
        let crowd = Arc::new(Crowd::new(2));
        let (one, _other) = (crowd.enter(peer(1)).unwrap(), crowd.enter(peer(2)).unwrap());
        let [mut first, mut second] =
            [1, 2].map(|port| -> Pin<Box<dyn Future<Output = ()> + '_>> { Box::pin(crowd.left(peer(port))) });
        let poll = |left: &mut Pin<Box<dyn Future<Output = ()> + '_>>| {
            left.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
        };
        assert!(!poll(&mut first) && !poll(&mut second));
        one.left();
        assert!(poll(&mut first) && !poll(&mut second));
    }
}
