//! The figures of the gate, for the recorder of the embedding program.
//!
//! Each figure's handle is looked up once and kept: a look-up by labels takes longer than a whole read.

use std::time::Instant;

use http::StatusCode;

use crate::rest::contract::{facade::Plan, operation::Operation, problem::Problem};

/// Counts and times answers and refusals, on the recorder that is installed at the first answer of each kind.
#[derive(Default)]
pub(crate) struct Meter {
    handles: handles::Handles,
}

impl Meter {
    /// Counts an answer, and records the time since the head of the request arrived.
    pub(crate) fn answered(
        &self,
        operation: Option<Operation>,
        plan: Option<Plan>,
        status: StatusCode,
        since: Instant,
    ) {
        if let Some(Plan { operation, .. }) = plan {
            return handles::of_facade(operation, status, since);
        }
        self.handles.answered(operation, status).increment(1);
        self.handles.time(operation).record(since.elapsed());
    }

    /// Counts a refusal by its reason, which is the last word of the problem's `type`.
    pub(crate) fn refused(&self, problem: &Problem) {
        let (_, kind, _) = problem.kind();
        metrics::counter!(handles::REFUSALS, "reason" => kind.trim_start_matches("urn:care:problem:")).increment(1);
    }
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meter").finish_non_exhaustive()
    }
}

/// The handles that were looked up.
mod handles {
    use std::{borrow::Cow, sync::OnceLock, time::Instant};

    use http::StatusCode;
    use metrics::{Counter, Histogram, counter, describe_counter, describe_histogram, histogram};

    use crate::rest::contract::operation::Operation;

    const REQUESTS: &str = "care_http_requests_total";
    const TIMES: &str = "care_http_request_duration_seconds";
    pub(super) const REFUSALS: &str = "care_http_refusals_total";

    /// The statuses of most answers. Other ones are looked up each time.
    const USUAL: [StatusCode; 12] = [
        StatusCode::OK,
        StatusCode::CREATED,
        StatusCode::NO_CONTENT,
        StatusCode::NOT_MODIFIED,
        StatusCode::BAD_REQUEST,
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
        StatusCode::NOT_FOUND,
        StatusCode::CONFLICT,
        StatusCode::PRECONDITION_FAILED,
        StatusCode::UNPROCESSABLE_ENTITY,
        StatusCode::SERVICE_UNAVAILABLE,
    ];

    /// One row for each operation, and a last one for requests without one.
    pub(super) struct Handles {
        answers: Box<[[OnceLock<Counter>; USUAL.len()]]>,
        times: Box<[OnceLock<Histogram>]>,
    }

    impl Default for Handles {
        fn default() -> Self {
            describe_counter!(REQUESTS, "Answered requests, by operation and status.");
            describe_histogram!(TIMES, "Time from the head of a request to its answer, by operation.");
            describe_counter!(REFUSALS, "Refused requests, by the last word of the problem's type.");
            let rows = Operation::all().count() + 1;
            Self {
                answers: (0..rows).map(|_| Default::default()).collect(),
                times: (0..rows).map(|_| OnceLock::new()).collect(),
            }
        }
    }

    impl Handles {
        pub(super) fn answered(&self, operation: Option<Operation>, status: StatusCode) -> Cow<'_, Counter> {
            let ask = || counter!(REQUESTS, "operation" => label(operation), "status" => status.as_str().to_owned());
            let usual = USUAL.iter().position(|usual| *usual == status);
            match usual.and_then(|usual| self.answers[row(operation, self.answers.len())].get(usual)) {
                Some(kept) => Cow::Borrowed(kept.get_or_init(ask)),
                None => Cow::Owned(ask()),
            }
        }

        pub(super) fn time(&self, operation: Option<Operation>) -> &Histogram {
            let kept = &self.times[row(operation, self.times.len())];
            kept.get_or_init(|| histogram!(TIMES, "operation" => label(operation)))
        }
    }

    /// Counts and times an answer of a facade, whose operations are not in the table and have no kept handles.
    pub(super) fn of_facade(operation: &'static str, status: StatusCode, since: Instant) {
        counter!(REQUESTS, "operation" => operation, "status" => status.as_str().to_owned()).increment(1);
        histogram!(TIMES, "operation" => operation).record(since.elapsed());
    }

    fn row(operation: Option<Operation>, rows: usize) -> usize {
        operation.map_or(rows - 1, |operation| operation as usize)
    }

    fn label(operation: Option<Operation>) -> &'static str {
        operation.map_or("none", Operation::id)
    }
}
