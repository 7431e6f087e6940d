//! The answers of the service when the store fails.

use std::io;

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::PatientDetails,
    service::CareService,
    store::{Act, Decision, Journal, Limit, MemoryStore, Seq},
};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;
use http::header;

use super::{api, get, is_problem, request, send, text, with_json};

/// A memory store whose every write fails.
#[derive(Debug)]
struct Failing(MemoryStore, StoreErrorKind);

#[async_trait]
impl Hooks for Failing {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.0
    }

    async fn transact(&self, _: Act, _: Decision) -> Result<Option<Seq>, Error> {
        Err(StoreError::new(self.1, io::Error::other("a planted cause")).into())
    }
}

#[test]
fn each_failure_of_the_store_has_its_status() {
    for (kind, status, name) in [
        (StoreErrorKind::Busy, 503, "busy"),
        (StoreErrorKind::Stopped, 503, "busy"),
        (StoreErrorKind::Full, 507, "full"),
        (StoreErrorKind::Unknown, 500, "internal"),
        (StoreErrorKind::Broken, 500, "internal"),
    ] {
        let api = api(Wrap(Failing(MemoryStore::new(), kind)));
        let answer = send(&api, with_json(request("POST", "/patient"), "{}"));
        assert!(is_problem(&answer, status, name), "{kind:?}");
        assert_eq!(answer.headers().contains_key(header::RETRY_AFTER), status == 503);
        assert!(!text(&answer).contains("planted"));
        // Reads continue.
        assert_eq!(get(&api, "/patient").status(), 200);
    }
}

/// A memory store that panics once it has committed.
#[derive(Debug)]
struct Panicking(MemoryStore);

#[async_trait]
impl Hooks for Panicking {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.0
    }

    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        self.0.transact(act, decision).await?;
        panic!("planted")
    }
}

#[test]
fn a_store_that_panics_costs_one_answer_and_nothing_else() {
    let api = api(Wrap(Panicking(MemoryStore::new())));
    for number in 1..=2 {
        let answer = send(&api, with_json(request("POST", "/patient"), "{}"));
        assert!(is_problem(&answer, 500, "internal"));
        assert!(!text(&answer).contains("planted"));
        // The patient was committed, and reads continue.
        assert_eq!(get(&api, &format!("/patient/{number}")).status(), 200);
    }
}

#[test]
fn a_read_that_cannot_be_written_down_is_refused_like_a_write() {
    for (kind, status, name) in [
        (StoreErrorKind::Busy, 503, "busy"),
        (StoreErrorKind::Full, 507, "full"),
        (StoreErrorKind::Unknown, 500, "internal"),
    ] {
        let care = CareService::new(MemoryStore::new());
        let patient = block_on(care.register_patient(PatientDetails::default())).unwrap();
        let store = MemoryStore::new();
        block_on(store.replay(block_on(care.store().journal(Seq::ZERO, Limit::items(1))).unwrap().items)).unwrap();
        let (plain, path) = (api(Wrap(Failing(store, kind))), format!("/patient/{}", patient.patient_id));
        let known = get(&plain, &path).headers()[header::ETAG].clone();
        let audited = plain.clone().with_read_audit();
        let answer = get(&audited, &path);
        assert!(is_problem(&answer, status, name), "{kind:?}");
        assert_eq!(answer.headers().contains_key(header::RETRY_AFTER), status == 503);
        assert!(!answer.headers().contains_key(header::ETAG));
        let known = request("GET", &path).header(header::IF_NONE_MATCH, known).body(Bytes::new()).unwrap();
        assert!(is_problem(&send(&audited, known), status, name), "{kind:?}");
        // Reads without an audit continue, and an absent record stays absent.
        assert_eq!(get(&audited, "/patient").status(), 200);
        assert_eq!(get(&audited, "/patient/99").status(), 404);
        assert_eq!(get(&plain, &path).status(), 200);
    }
}
