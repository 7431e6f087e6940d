//! Answers that clients have not read are bounded together.

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    model::{Address, Patch, PatientDetails},
    rest::{Api, Limits},
    service::CareService,
    store::MemoryStore,
};
use futures_executor::block_on;
use http::{Request, Response, header};

use super::{get, is_problem, request, send, with_json};

/// Returns an API whose pages of patients have about 200 kB, and which lets this many bytes be unread.
fn api(unread: usize) -> Api {
    let care = CareService::new(MemoryStore::new());
    let address = Patch::Set(Address::new("x".repeat(Address::MAX)).unwrap());
    for _ in 0..200 {
        block_on(care.register_patient(PatientDetails { address: address.clone(), ..PatientDetails::default() }))
            .unwrap();
    }
    let keys = KeyRing::new().with_key("key", "key", Scopes::ALL);
    Api::new(care).with_keys(keys).with_limits(Limits::new().with_unread(unread))
}

fn page(api: &Api) -> Response<Bytes> {
    get(api, "/patient?limit=200")
}

#[test]
fn a_long_answer_is_refused_while_too_much_is_unread() {
    let api = api(700_000);
    let mut held: Vec<_> = (0..3).map(|_| page(&api)).collect();
    assert!(held.iter().all(|answer| answer.status() == 200 && answer.body().len() > 200_000));
    let refused = page(&api);
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
    // Short answers, answers without a body, and changes go on.
    assert_eq!(get(&api, "/patient?limit=20").status(), 200);
    assert_eq!(send(&api, request("HEAD", "/patient?limit=200").body(Bytes::new()).unwrap()).status(), 200);
    assert_eq!(send(&api, with_json(request("POST", "/patient"), "{}")).status(), 201);
    // A body counts until its last part is dropped.
    let mut part = held.pop().unwrap().into_body().split_off(1000);
    assert!(is_problem(&page(&api), 503, "overloaded"));
    part.clear();
    drop(part);
    assert_eq!(page(&api).status(), 200);
}

#[test]
fn every_handle_counts_the_same_bytes() {
    let api = api(300_000);
    let other = api.clone().with_base_path("/1.0.0").unwrap();
    let _held = page(&other);
    assert!(is_problem(&page(&api), 503, "overloaded"));
}

#[cfg(feature = "openapi")]
#[test]
fn clients_without_a_key_take_no_room_from_those_with_one() {
    let api = api(700_000);
    let document = || send(&api, Request::get("/1.0.0/openapi.json").body(Bytes::new()).unwrap());
    let first = document();
    assert!(first.status() == 200 && first.body().len() > 64 * 1024);
    let refused = document();
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    assert_eq!(page(&api).status(), 200);
    drop(first);
    assert_eq!(document().status(), 200);
}
