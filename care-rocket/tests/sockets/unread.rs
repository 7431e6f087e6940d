//! Long answers that clients do not read.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_core::{
    keys::{KeyRing, Scopes},
    rest::{Api, Limits},
    service::CareService,
    store::MemoryStore,
};
use care_testkit::{Wire, sent};

use crate::{server::start, world::handle};

/// The time within which the service has to notice that a client does not read, or that it has left.
const LIMIT: Duration = Duration::from_secs(10);
/// The consultations of a patient whose history is longer than 1 MiB, and the diseases of each, of 250 characters.
const CONSULTATIONS: usize = 150;
const DISEASES: usize = 30;
/// The requests that the client sends without reading: their answers fill every buffer of the system.
const REQUESTS: usize = 40;

#[test]
fn an_answer_that_is_not_read_takes_the_room_of_the_next() {
    let keys = KeyRing::new().with_key("secret", "tests", Scopes::ALL);
    let limits = Limits::new().with_unread(1024 * 1024);
    let api = Api::new(CareService::new(MemoryStore::new())).with_keys(keys).with_limits(limits);
    assert_eq!(handle(&api, &sent("POST", "/1.0.0/patient").body(r#"{"patientId": 1}"#)).status, 201);
    for consultation in 0..CONSULTATIONS {
        let disease = |number| format!("\"{:0>250}\"", consultation * DISEASES + number);
        let diseases = (0..DISEASES).map(disease).collect::<Vec<_>>().join(",");
        let body = format!(r#"{{"patientId": 1, "diseases": [{diseases}]}}"#);
        assert_eq!(handle(&api, &sent("POST", "/1.0.0/consultations").body(&body)).status, 201);
    }
    let server = start(api);
    let history = sent("GET", "/1.0.0/history/1");
    let mut silent = Wire::open(server.address);
    silent.send(history.head().repeat(REQUESTS));
    let becomes = |status| {
        let begun = Instant::now();
        loop {
            let answer = history.over(&mut Wire::open(server.address));
            if answer.status == status {
                return;
            }
            assert!(begun.elapsed() < LIMIT, "the answer is {}, and never {status}", answer.status);
            thread::sleep(Duration::from_millis(20));
        }
    };
    becomes(503);
    drop(silent);
    becomes(200);
}
