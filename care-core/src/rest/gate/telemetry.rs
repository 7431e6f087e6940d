//! Figures of answers and refusals, on the recorder of the embedding program.

use std::{borrow::Cow, fmt, sync::OnceLock, time::Instant};

use http::StatusCode;
use metrics::{Counter, Histogram, counter, describe_counter, describe_histogram, histogram};

use crate::rest::contract::{facade::Plan, operation::Operation, problem::Problem};

const REQUESTS: &str = "care_http_requests_total";
const TIMES: &str = "care_http_request_duration_seconds";
const REFUSALS: &str = "care_http_refusals_total";

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

/// Counts and times answers and refusals, on the recorder that is installed at the first answer of each kind.
///
/// Each figure's handle is looked up once and kept: a look-up by labels takes longer than a whole read. There is a row
/// of handles for each operation, and a last one for requests without one.
pub(crate) struct Meter {
    answers: Box<[[OnceLock<Counter>; USUAL.len()]]>,
    times: Box<[OnceLock<Histogram>]>,
}

impl Default for Meter {
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

impl Meter {
    /// Counts an answer, and records the time since the head of the request arrived.
    pub(crate) fn count_answer(
        &self,
        operation: Option<Operation>,
        plan: Option<Plan>,
        status: StatusCode,
        since: Instant,
    ) {
        if let Some(Plan { operation, .. }) = plan {
            // Operations of a facade are not in the table, and have no kept handles.
            counter!(REQUESTS, "operation" => operation, "status" => status.as_str().to_owned()).increment(1);
            return histogram!(TIMES, "operation" => operation).record(since.elapsed());
        }
        let row = operation.map_or(self.times.len() - 1, |operation| operation as usize);
        let label = || operation.map_or("none", Operation::id);
        let look_up = || counter!(REQUESTS, "operation" => label(), "status" => status.as_str().to_owned());
        let usual = USUAL.iter().position(|usual| *usual == status);
        let counter = match usual.and_then(|usual| self.answers[row].get(usual)) {
            Some(kept) => Cow::Borrowed(kept.get_or_init(look_up)),
            None => Cow::Owned(look_up()),
        };
        counter.increment(1);
        self.times[row].get_or_init(|| histogram!(TIMES, "operation" => label())).record(since.elapsed());
    }

    /// Counts a refusal by its reason, which is the last word of the problem's `type`.
    pub(crate) fn count_refusal(&self, problem: &Problem) {
        let (_, kind, _) = problem.kind();
        counter!(REFUSALS, "reason" => kind.trim_start_matches("urn:care:problem:")).increment(1);
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use metrics::{Gauge, Key, KeyName, Metadata, Recorder, SharedString, Unit};

    use super::*;

    /// Keeps the names and labels of the counters that are asked for.
    #[derive(Default)]
    struct Asked(Mutex<Vec<String>>);

    impl Recorder for Asked {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            let labels = key.labels().map(|label| format!(" {}", label.value()));
            self.0.lock().unwrap().push(key.name().to_owned() + &labels.collect::<String>());
            Counter::noop()
        }

        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::noop()
        }

        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::noop()
        }
    }

    #[test]
    fn an_answer_counts_under_its_operation_and_its_status() {
        let asked = Asked::default();
        metrics::with_local_recorder(&asked, || {
            let (meter, now) = (Meter::default(), Instant::now());
            for status in [StatusCode::OK, StatusCode::NOT_FOUND, StatusCode::NOT_FOUND, StatusCode::IM_A_TEAPOT] {
                meter.count_answer(Some(Operation::GetPatient), None, status, now);
            }
            meter.count_answer(None, None, StatusCode::UNAUTHORIZED, now);
        });
        let expected = ["getPatient 200", "getPatient 404", "getPatient 418", "none 401"];
        let expected = expected.map(|labels| format!("care_http_requests_total {labels}"));
        assert_eq!(asked.0.into_inner().unwrap(), expected);
    }
}
