//! Which requests are let in, and how many at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::request::Parts;

use crate::rest::contract::{limits::Limits, problem::Problem};

/// Counts the requests that have a place, of all handles on an API.
#[derive(Debug, Default)]
pub(crate) struct Places {
    requests: AtomicUsize,
    polls: AtomicUsize,
}

/// The place of a request among those under way, or of a poll among those that wait, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'a>(&'a AtomicUsize);

impl Places {
    /// Gives a request a place among those under way. It needs one to use the store.
    pub(crate) fn request(&self, limits: &Limits) -> Result<Place<'_>, Problem> {
        Place::among(&self.requests, limits.in_flight)
    }

    /// Gives a poll a place among those that wait.
    pub(crate) fn poll(&self, limits: &Limits) -> Result<Place<'_>, Problem> {
        Place::among(&self.polls, limits.polls)
    }
}

impl<'a> Place<'a> {
    fn among(taken: &'a AtomicUsize, limit: usize) -> Result<Self, Problem> {
        // The count orders nothing else.
        let others = taken.fetch_add(1, Ordering::Relaxed);
        let place = Self(taken);
        if others < limit { Ok(place) } else { Err(Problem::Overloaded) }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Refuses a head that is too long to be looked at.
pub(crate) fn measure(head: &Parts, limits: &Limits) -> Result<(), Problem> {
    let target = head.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target > limits.target {
        return Err(Problem::TargetTooLong);
    }
    let headers: usize = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if headers > limits.headers {
        return Err(Problem::HeadTooLarge);
    }
    Ok(())
}
