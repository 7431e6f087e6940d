//! The limits of requests: their size, their time and their number.

use std::{num::NonZero, sync::OnceLock, thread::available_parallelism, time::Duration};

/// The longest body of a page or a report, 1 MiB. A page that would be longer ends early, with a cursor, and a report
/// with `more`. Either holds at least one item.
pub(crate) const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// The limits of an [`Api`](crate::rest::Api). A request above one of them is answered with the status that the limit
/// names.
///
/// ```
/// use care_core::{rest::{Api, Limits}, service::CareService, store::MemoryStore};
///
/// let limits = Limits::new().with_body(16 * 1024).with_in_flight(256);
/// let api = Api::new(CareService::new(MemoryStore::new())).with_limits(limits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub(crate) body: usize,
    pub(crate) target: usize,
    pub(crate) headers: usize,
    pub(crate) page: usize,
    pub(crate) in_flight: usize,
    pub(crate) polls: usize,
    long_work: Option<usize>,
    pub(crate) unread: usize,
    pub(crate) deadline: Duration,
}

impl Limits {
    /// Returns the default limits, which each setting names.
    pub const fn new() -> Self {
        Self {
            body: 64 * 1024,
            target: 16 * 1024,
            headers: 64 * 1024,
            page: 500,
            in_flight: 4096,
            polls: 1024,
            long_work: None,
            unread: 128 * 1024 * 1024,
            deadline: Duration::from_secs(30),
        }
    }

    /// Sets the longest body, 64 KiB by default. A longer one is answered 413.
    #[must_use]
    pub const fn with_body(self, bytes: usize) -> Self {
        Self { body: bytes, ..self }
    }

    /// Sets the longest path and query together, in bytes, 16 KiB by default. A longer one is answered 414.
    #[must_use]
    pub const fn with_target(self, bytes: usize) -> Self {
        Self { target: bytes, ..self }
    }

    /// Sets the most bytes of all headers together, names and values: 64 KiB. More are 431, and so is more than 4 KiB
    /// of `Accept`, whatever is said here.
    #[must_use]
    pub const fn with_headers(self, bytes: usize) -> Self {
        Self { headers: bytes, ..self }
    }

    /// Sets the highest number of items in a page, 500 by default, at least 1. A request for more is answered 400.
    #[must_use]
    pub const fn with_page(self, items: usize) -> Self {
        Self { page: if items == 0 { 1 } else { items }, ..self }
    }

    /// Sets the highest number of requests under way, 4096 by default. A request is under way from when its key is
    /// valid and its body is there until its answer. One more is answered 503 at once and has no effect, so that
    /// overload leads to answers instead of an endless queue.
    ///
    /// A key alone has all but one for each 16 of them, so that another key finds a free one. The requests of a key
    /// that wait, for example behind its other lists, hold at most a quarter; its next one is answered 503.
    #[must_use]
    pub const fn with_in_flight(self, requests: usize) -> Self {
        Self { in_flight: requests, ..self }
    }

    /// Sets the highest number of waiting long polls beside the requests under way, 1024 by default. One more is
    /// answered 503. A key has 128 of them, but not all: its next one ends its oldest, as if the time of that was over.
    #[must_use]
    pub const fn with_polls(self, polls: usize) -> Self {
        Self { polls, ..self }
    }

    /// Sets the number of long requests that run at once, at least 1: as many as there are processors by default, which
    /// suits a store that works on the threads of the server. For one that works elsewhere, name the number of its
    /// connections.
    ///
    /// A request is long from its 129th record on, or 64 KiB, whatever it asks for. Of those that wait, the one whose
    /// key has done the least work lately goes first, and after each 512 records or 256 KiB a request lets such a one
    /// pass.
    #[must_use]
    pub const fn with_long_work(self, requests: usize) -> Self {
        Self { long_work: Some(if requests == 0 { 1 } else { requests }), ..self }
    }

    /// Sets the most bytes of answers to reads with a key that are made or have not been read yet, 128 MiB by default.
    /// Answers of at most 64 KiB are always given. Before one that may be longer is read from the store, the greatest
    /// length of its page is kept free, or 1 MiB; a history waits for more once it is made. Without room an answer
    /// waits for two seconds at most, the keys in turn, and is then 503. Clients without a key have an eighth of it
    /// beside, and the room of each address counts apart where the host tells it to a
    /// [`Throttle`](crate::rest::Throttle). The answer to a change is always given, but a key that leaves more than an
    /// eighth of such answers unread makes no further change.
    ///
    /// An answer counts until its body is dropped. So a frontend should hand bodies to its sockets as they are, or in
    /// small pieces, rather than copy them as a whole.
    #[must_use]
    pub const fn with_unread(self, bytes: usize) -> Self {
        Self { unread: bytes, ..self }
    }

    /// Sets the longest time of a request after all of it has arrived, 30 seconds by default, and up to a tenth more.
    /// After that a read is answered 503, and a write 500, because its outcome is not known. The waiting time of a long
    /// poll does not count.
    #[must_use]
    pub const fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Returns the number of long requests that run at once.
    pub(crate) fn long_work(&self) -> usize {
        self.long_work.unwrap_or_else(threads)
    }
}

/// Returns the number of threads on which requests run.
pub(crate) fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| available_parallelism().map_or(1, NonZero::get))
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
