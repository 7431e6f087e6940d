//! Who is let in.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use http::request::Parts;

use super::settings::Api;
use crate::rest::contract::{limits::Limits, problem::Problem};

/// Counts the requests that are under way, in all handles on an API.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counted(Arc<AtomicUsize>);

/// A handle on the API that is counted as a request under way, until it is dropped.
#[derive(Debug)]
pub(crate) struct Admitted(Api);

impl Counted {
    fn enter(&self) -> usize {
        // The count orders nothing else.
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Admitted {
    /// Lets a request in, unless there are too many already. It is counted in any case, since it is to be answered.
    pub(crate) fn to(api: Api) -> (Self, Result<(), Problem>) {
        let others = api.counted().enter();
        let verdict = if others < api.contract().limits().in_flight { Ok(()) } else { Err(Problem::Overloaded) };
        (Self(api), verdict)
    }

    pub(crate) fn api(&self) -> &Api {
        &self.0
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.0.counted().leave();
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
