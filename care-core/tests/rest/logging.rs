//! The log lines of refusals.

use std::{
    fmt::{self, Write as _},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use care_core::{
    keys::{KeyRing, Scopes},
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::with_default,
};

use super::{get, request, send};

/// Keeps the lines that a server logs at its default level.
#[derive(Debug, Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

fn api() -> Api {
    let keys = KeyRing::new().with_key("key", "front desk", Scopes::NONE);
    Api::new(CareService::new(MemoryStore::new())).with_keys(keys)
}

/// Returns the lines that are logged during a call.
fn logged(run: impl FnOnce()) -> Vec<String> {
    let lines = Lines::default();
    with_default(lines.clone(), run);
    let lines = lines.0.lock().unwrap();
    lines.clone()
}

#[test]
fn a_refusal_names_its_operation_and_actor() {
    for (method, path, operation, status) in [
        ("GET", "/patient/1", "getPatient", 403),
        ("PUT", "/patient", "updatePatient", 403),
        ("GET", "/news?wait=x", "getNews", 400),
        ("GET", "/nothing", "-", 404),
        ("PATCH", "/news", "-", 405),
    ] {
        let lines = logged(|| {
            assert_eq!(send(&api(), request(method, path).body("".into()).unwrap()).status(), status);
        });
        assert_eq!(lines.len(), 1, "{lines:?}");
        for part in [&*format!("operation=\"{operation}\""), "actor=\"front desk\"", &format!("status={status} ")] {
            assert!(lines[0].contains(part), "{lines:?}");
        }
    }
}

/// Returns how many requests without a valid key these lines are about.
fn sum(lines: &[String]) -> u32 {
    let count = |line: &String| {
        assert!(line.contains("without a valid key") && !line.contains("wrong"), "{lines:?}");
        line.split_once("requests=").unwrap().1.split(' ').next().unwrap().parse::<u32>().unwrap()
    };
    lines.iter().map(count).sum()
}

#[test]
fn refusals_without_a_key_are_one_line_a_second() {
    let refuse = |api: &Api, count| {
        for number in 0..count {
            let unknown = http::Request::get("/1.0.0/patient/1").header("api_key", format!("wrong-{number}"));
            assert_eq!(send(api, unknown.body("".into()).unwrap()).status(), 401);
        }
    };
    let (api, begun) = (api(), Instant::now());
    let lines = logged(|| {
        refuse(&api, 500);
        thread::sleep(Duration::from_secs(1));
        // Any other request logs the sum.
        get(&api, "/news");
    });
    assert_eq!(sum(&lines), 500, "{lines:?}");
    assert!(lines.len() as u64 <= 2 + begun.elapsed().as_secs(), "{lines:?}");
    // The end of the host logs the rest.
    let lines = logged(|| {
        refuse(&api, 20);
        drop(api);
    });
    assert_eq!(sum(&lines), 20, "{lines:?}");
}

#[test]
fn refusals_of_a_key_beyond_ten_a_second_are_one_line() {
    let (api, begun) = (api(), Instant::now());
    let lines = logged(|| {
        for _ in 0..500 {
            assert_eq!(get(&api, "/patient/1").status(), 403);
        }
        // The end of the host logs the rest.
        drop(api);
    });
    let seconds = begun.elapsed().as_secs();
    let (sums, each): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.contains("beyond ten a second"));
    assert!(each.len() as u64 >= 10 && each.len() as u64 <= 10 * (1 + seconds), "{lines:?}");
    assert!(!sums.is_empty() && sums.len() as u64 <= 1 + seconds, "{lines:?}");
    let count = |line: &&String| {
        assert!(line.contains("actor=\"front desk\""), "{line}");
        line.split_once("forbidden=").unwrap().1.split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    assert_eq!(sums.iter().map(count).sum::<usize>() + each.len(), 500, "{lines:?}");
}
