//! The long poll of the journal.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_core::{model::PatientDetails, service::CareService, store::MemoryStore};
use futures_executor::block_on;

use super::{get, serving, text};

/// Much longer than anything here takes, much shorter than the longest wait.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn a_reader_who_waits_is_answered_with_the_next_entry() {
    let care = CareService::new(MemoryStore::new());
    let api = serving(care.clone());
    let begun = Instant::now();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| get(&api, "/journal?wait=30"));
        thread::sleep(Duration::from_millis(50));
        block_on(care.register_patient(PatientDetails::default())).unwrap();
        assert!(text(&waiting.join().unwrap()).contains("\"seq\":1"));
    });
    // Nobody waits for what is there already.
    assert!(text(&get(&api, "/journal?wait=30")).contains("\"seq\":1"));
    assert!(begun.elapsed() < SOON);
}

#[test]
fn what_another_handle_on_the_store_commits_is_seen_as_well() {
    // Two services over one store do not hear of each other, like two processes over one file.
    let store = std::sync::Arc::new(MemoryStore::new());
    let (ours, theirs) = (Shared(store.clone()), Shared(store));
    let api = serving(CareService::new(ours));
    let other = CareService::new(theirs);
    let begun = Instant::now();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| get(&api, "/journal?wait=30"));
        thread::sleep(Duration::from_millis(50));
        block_on(other.register_patient(PatientDetails::default())).unwrap();
        assert!(text(&waiting.join().unwrap()).contains("\"seq\":1"));
    });
    assert!(begun.elapsed() < SOON);
}

#[test]
fn a_read_that_is_written_down_is_news() {
    let care = CareService::new(MemoryStore::new());
    let api = serving(care.clone()).with_read_audit();
    block_on(care.register_patient(PatientDetails::default())).unwrap();
    let begun = Instant::now();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| get(&api, "/journal?after=1&wait=30"));
        thread::sleep(Duration::from_millis(50));
        assert_eq!(get(&api, "/patient/1").status(), 200);
        assert!(text(&waiting.join().unwrap()).contains(r#""changes":[{"change":"read","record":"Patient","id":1}]"#));
    });
    assert!(begun.elapsed() < SOON);
}

#[test]
fn a_host_that_shuts_down_lets_everybody_go() {
    let care = CareService::new(MemoryStore::new());
    let api = serving(care.clone());
    let begun = Instant::now();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| get(&api, "/journal?wait=30"));
        thread::sleep(Duration::from_millis(50));
        care.stop_waiting();
        assert_eq!(text(&waiting.join().unwrap()), r#"{"items":[]}"#);
    });
    assert!(begun.elapsed() < SOON);
}

/// A second way to the same store.
#[derive(Debug)]
struct Shared(std::sync::Arc<MemoryStore>);

mod shared {
    use async_trait::async_trait;
    use care_core::{
        error::{Error, StoreError},
        model::ApiKey,
        store::{
            Act, ApiKeys, Decision, Entry, Journal, KeyDecision, Query, Question, Record, Records, ReplayError, Seq,
            Versioned,
        },
    };

    use super::Shared;

    #[async_trait]
    impl Records for Shared {
        async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
            self.0.read(question).await
        }

        async fn list(&self, query: &Query, limit: usize) -> Result<Vec<Versioned<Record>>, StoreError> {
            self.0.list(query, limit).await
        }
    }

    #[async_trait]
    impl Journal for Shared {
        async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
            self.0.transact(act, decision).await
        }

        async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
            self.0.replay(entries).await
        }

        async fn journal(&self, after: Seq, limit: usize) -> Result<Vec<Entry>, StoreError> {
            self.0.journal(after, limit).await
        }
    }
    #[async_trait]
    impl ApiKeys for Shared {
        async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
            self.0.api_keys().await
        }

        async fn decide_keys(&self, decision: KeyDecision) -> Result<(), StoreError> {
            self.0.decide_keys(decision).await
        }
    }
}
