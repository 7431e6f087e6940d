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
    http::{lines::lines, negotiate, path},
};

/// The number of occupied places, shared by all handles on an API.
#[derive(Debug)]
pub(crate) struct Places {
    requests: Seats,
    polls: Seats,
    reports: Turns,
    histories: Turns,
    shelves: Turns,
    scans: Turns,
}

/// The number of reports that are computed at once. A report takes a processor for as long as it is computed, and
/// others need one as well.
const REPORTS: usize = 1;
/// The number of histories that are read at once. A history has all diseases of a patient, and 10,000 of them take a
/// processor for 30 ms. A report takes longer, so a history does not wait for one.
const HISTORIES: usize = 1;
/// The number of pages of stocks that are read at once. Such a page holds up to 64 lots of each medicine.
const SHELVES: usize = 1;
/// The number of lists with a parameter of [`UNINDEXED`] that are read at once. Such a page may look at a million rows,
/// and finds few among them.
const SCANS: usize = 1;
/// The parameters of lists that no index serves, since each write would pay for it.
const UNINDEXED: [&str; 5] = ["from", "to", "lot", "expires", "kind"];

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
            scans: Turns::new(SCANS),
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

    /// Waits for a turn of this client, if the operation with this query needs one.
    pub(crate) async fn turn<'a>(
        &'a self,
        operation: Operation,
        query: Option<&str>,
        client: &Arc<str>,
        limits: &Limits,
    ) -> Result<Option<Turn<'a>>, Problem> {
        let turns = match operation {
            Operation::ListInvoices | Operation::ListMovements | Operation::ListReceipts if is_unindexed(query) => {
                &self.scans
            }
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

fn is_unindexed(query: Option<&str>) -> bool {
    let pairs = path::parse_query(query.unwrap_or_default()).unwrap_or_default();
    pairs.iter().any(|(name, _)| UNINDEXED.contains(&name.as_str()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_takes_turns_when_no_index_serves_a_parameter() {
        for query in ["from=01/01/2026", "limit=1&to=x", "fr%6fm=", "medicine=a&lot=b", "kind=refund"] {
            assert!(is_unindexed(Some(query)), "{query}");
        }
        for query in ["", "state=paid&newest=true", "medicine=a", "holder=from", "%zz"] {
            assert!(!is_unindexed(Some(query)), "{query}");
        }
        assert!(!is_unindexed(None));
    }
}
