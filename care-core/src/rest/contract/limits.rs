//! How much a request may be, how long it may take, and how many there may be at once.

use std::time::Duration;

/// The most bytes of a page's body: 1 MiB. A page ends early, with a cursor, before it would pass them; it holds one item
/// at least.
pub(crate) const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// The limits of an [`Api`](crate::rest::Api). Whatever is over one of them has an answer of its own.
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
    pub(crate) deadline: Duration,
}

impl Limits {
    /// The limits unless said otherwise, as each setting's description has them.
    pub const fn new() -> Self {
        Self {
            body: 64 * 1024,
            target: 16 * 1024,
            headers: 64 * 1024,
            page: 500,
            in_flight: 4096,
            polls: 1024,
            deadline: Duration::from_secs(30),
        }
    }

    /// The longest body, in bytes: 64 KiB. A longer one is 413.
    #[must_use]
    pub const fn with_body(self, bytes: usize) -> Self {
        Self { body: bytes, ..self }
    }

    /// The longest path and query together, in bytes: 16 KiB. A longer one is 414.
    #[must_use]
    pub const fn with_target(self, bytes: usize) -> Self {
        Self { target: bytes, ..self }
    }

    /// All headers together, names and values, in bytes: 64 KiB. More are 431, and so is more than 4 KiB of `Accept`,
    /// whatever is said here.
    #[must_use]
    pub const fn with_headers(self, bytes: usize) -> Self {
        Self { headers: bytes, ..self }
    }

    /// The most items of a page: 500, and at least one. A client that asks for more is told so with 400.
    #[must_use]
    pub const fn with_page(self, items: usize) -> Self {
        Self { page: if items == 0 { 1 } else { items }, ..self }
    }

    /// How many requests may be under way at once, 4096. One is under way from when its key is valid and its body is
    /// there until its answer. One more is 503 at once and does nothing, so that a crowd gets answers instead of a queue
    /// without end.
    #[must_use]
    pub const fn with_in_flight(self, requests: usize) -> Self {
        Self { in_flight: requests, ..self }
    }

    /// How many long polls may wait at once, 1024, beside the requests under way. One more is 503.
    #[must_use]
    pub const fn with_polls(self, polls: usize) -> Self {
        Self { polls, ..self }
    }

    /// How long a request may take once all of it has arrived: 30 seconds, and up to a tenth more. Then a read is 503; a
    /// write is 500, because whether it happens is not known. The time that a long poll waits does not count.
    #[must_use]
    pub const fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
