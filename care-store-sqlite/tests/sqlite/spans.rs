//! The spans of a use case and of the store's job for it.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use care_core::{CareService, model::PatientDetails};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use tracing::{Event, Metadata, Subscriber, span, subscriber::with_default};

/// Notes what happens to spans, by their names.
#[derive(Clone, Default)]
struct Spans(Arc<Notes>);

#[derive(Default)]
struct Notes {
    last: AtomicU64,
    names: Mutex<Vec<&'static str>>,
    lines: Mutex<Vec<String>>,
}

impl Spans {
    fn note(&self, what: &str, id: &span::Id) {
        let name = self.0.names.lock().unwrap()[id.into_u64() as usize - 1];
        self.0.lines.lock().unwrap().push(format!("{what} {name}"));
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        self.0.names.lock().unwrap().push(attributes.metadata().name());
        let id = span::Id::from_u64(self.0.last.fetch_add(1, Ordering::SeqCst) + 1);
        self.note("begin", &id);
        id
    }

    fn record(&self, id: &span::Id, _: &span::Record<'_>) {
        self.note("record", id);
    }

    fn enter(&self, id: &span::Id) {
        self.note("enter", id);
    }

    fn exit(&self, id: &span::Id) {
        self.note("exit", id);
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, _: &Event<'_>) {}
}

#[test]
fn a_job_of_the_store_stands_in_its_use_case() {
    let directory = tempfile::tempdir().unwrap();
    let care = CareService::new(SqliteStore::open(directory.path().join("care.db")).unwrap());
    let spans = Spans::default();
    with_default(spans.clone(), || block_on(care.register_patient(PatientDetails::default())).unwrap());
    // Closing the store waits for its thread.
    drop(care);
    let lines = spans.0.lines.lock().unwrap().clone();
    let place =
        |line: &str| lines.iter().position(|noted| noted == line).unwrap_or_else(|| panic!("{line}: {lines:?}"));
    assert!(place("begin use_case") < place("enter use_case"));
    assert!(place("enter use_case") < place("begin store_job") && place("begin store_job") < place("exit use_case"));
    assert!(place("begin store_job") < place("enter store_job"));
    assert!(place("enter store_job") < place("record use_case"));
}
