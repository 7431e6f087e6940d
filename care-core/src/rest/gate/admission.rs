//! The places of requests and polls.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use http::{header::ACCEPT, request::Parts};

use super::{
    meter::Level,
    turns::{Turn, Turns},
};
use crate::rest::{
    contract::{limits::Limits, operation::Operation, problem::Problem},
    http::{lines::lines, negotiate},
};

/// The number of occupied places, shared by all handles on an API.
#[derive(Debug)]
pub(crate) struct Places {
    requests: Seats,
    polls: Seats,
    reports: Turns,
    histories: Turns,
    shelves: Turns,
}

/// The number of reports that are computed at once. A report takes a processor for as long as it is computed, and
/// others need one as well.
const REPORTS: usize = 1;
/// The number of histories that are read at once. A history has all diseases of a patient, and 10,000 of them take a
/// processor for 30 ms. A report takes longer, so a history does not wait for one.
const HISTORIES: usize = 1;
/// The number of pages of stocks that are read at once. Such a page holds up to 64 lots of each medicine.
const SHELVES: usize = 1;

/// The number of occupied places of one kind, for the limit and for the figures.
#[derive(Debug)]
struct Seats {
    taken: AtomicUsize,
    level: Level,
}

/// The place of a request under way, or of a waiting poll, until it is dropped.
#[derive(Debug)]
#[must_use = "the place is free again as soon as this is dropped"]
pub(crate) struct Place<'a>(&'a Seats);

impl Default for Places {
    fn default() -> Self {
        let seats = |level| Seats { taken: AtomicUsize::new(0), level };
        Self {
            requests: seats(Level::requests()),
            polls: seats(Level::polls()),
            reports: Turns::new(REPORTS),
            histories: Turns::new(HISTORIES),
            shelves: Turns::new(SHELVES),
        }
    }
}

impl Places {
    /// Returns a place for a request under way, which it needs to use the store.
    pub(crate) fn request(&self, limits: &Limits) -> Result<Place<'_>, Problem> {
        Place::among(&self.requests, limits.in_flight)
    }

    /// Returns a place for a waiting poll.
    pub(crate) fn poll(&self, limits: &Limits) -> Result<Place<'_>, Problem> {
        Place::among(&self.polls, limits.polls)
    }

    /// Waits for a turn of this client, if the operation needs one.
    pub(crate) async fn turn<'a>(
        &'a self,
        operation: Operation,
        client: &Arc<str>,
        limits: &Limits,
    ) -> Result<Option<Turn<'a>>, Problem> {
        let turns = match operation {
            Operation::GetHistory => &self.histories,
            Operation::ListStock => &self.shelves,
            _ if operation.is_report() => &self.reports,
            _ => return Ok(None),
        };
        // Those who wait hold their places, of which the other clients need some.
        turns.turn(client, limits.in_flight.div_ceil(4)).await.map(Some).ok_or(Problem::Overloaded)
    }
}

impl<'a> Place<'a> {
    fn among(seats: &'a Seats, limit: usize) -> Result<Self, Problem> {
        // The count orders nothing else.
        let others = seats.taken.fetch_add(1, Ordering::Relaxed);
        seats.level.rise();
        let place = Self(seats);
        if others < limit { Ok(place) } else { Err(Problem::Overloaded) }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
        self.0.level.fall();
    }
}

/// Refuses a head that is too long.
pub(crate) fn measure(head: &Parts, limits: &Limits) -> Result<(), Problem> {
    let target = head.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target > limits.target {
        return Err(Problem::TargetTooLong);
    }
    let headers: usize = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers > limits.headers || negotiate::is_too_long(lines(&head.headers, ACCEPT)) {
        return Err(Problem::HeadTooLarge);
    }
    Ok(())
}
