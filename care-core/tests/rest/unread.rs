//! Answers that clients have not read are bounded together.

use std::{
    future::poll_fn,
    mem,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    error::Error,
    keys::{KeyRing, Scopes},
    model::{Address, Consultation, Disease, MedicineName, Patch, PatientDetails},
    rest::{Api, Facade, FacadeAnswer, FacadeRequest, Limits, Load, Peer, Plan, Refusal},
    service::{CareService, NewConsultation, NewPrescription},
    store::MemoryStore,
};
use futures_executor::block_on;
use futures_util::FutureExt as _;
use http::{Request, Response, header};

use super::{asked, get, is_problem, request, send, with_json};

/// Returns an API whose pages of patients have about 200 kB, and which lets this many bytes be unread.
fn api(unread: usize) -> Api {
    let care = CareService::new(MemoryStore::new());
    let address = Patch::Set(Address::new("x".repeat(Address::MAX)).unwrap());
    for _ in 0..200 {
        block_on(care.register_patient(PatientDetails { address: address.clone(), ..PatientDetails::default() }))
            .unwrap();
    }
    let keys = KeyRing::new().with_key("key", "key", Scopes::ALL).with_key("other", "other", Scopes::ALL);
    Api::new(care).with_keys(keys).with_limits(Limits::new().with_unread(unread))
}

fn page(api: &Api) -> Response<Bytes> {
    get(api, "/patient?limit=200")
}

fn now(api: &Api, key: &str) -> Option<Response<Bytes>> {
    asked(api, key, "/patient?limit=200").now_or_never()
}

#[test]
fn a_long_answer_waits_for_room_until_others_are_read() {
    let api = api(4 << 20);
    let mut held = Vec::new();
    let mut next = loop {
        let mut page = asked(&api, "key", "/patient?limit=200");
        match page.as_mut().now_or_never() {
            Some(answer) => held.push(answer),
            None => break page,
        }
    };
    // Each page has 0.2 MiB, and the next one may have 1 MiB.
    assert!(held.iter().all(|answer| answer.status() == 200 && answer.body().len() > 200_000));
    assert_eq!(held.len(), 14);
    // Short answers, answers without a body, and changes go on, and so do the pages of another key.
    assert_eq!(get(&api, "/patient?limit=3").status(), 200);
    assert_eq!(send(&api, with_json(request("POST", "/patient"), "{}")).status(), 201);
    assert_eq!(now(&api, "other").unwrap().status(), 200);
    // A body counts until its last part is dropped.
    let mut part = held.pop().unwrap().into_body().split_off(1000);
    assert!(next.as_mut().now_or_never().is_none());
    part.clear();
    drop(part);
    assert_eq!(next.now_or_never().unwrap().status(), 200);
}

#[test]
fn a_long_answer_is_refused_when_nothing_is_read_for_two_seconds() {
    let api = api(1 << 20);
    let _held = now(&api, "key").unwrap();
    let begun = Instant::now();
    let refused = page(&api);
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
    assert!(begun.elapsed() >= Duration::from_secs(2));
}

/// A facade with one path, below which everything is a list with answers of at most 1 MiB.
#[derive(Default)]
struct Lists(Arc<AtomicUsize>);

#[async_trait]
impl Facade for Lists {
    fn prefix(&self) -> &str {
        "lists"
    }

    fn name(&self) -> &str {
        "Lists"
    }

    fn plan(&self, _: &[String]) -> Option<Plan> {
        Some(Plan { operation: "list", needs: Some(Scopes::NONE), load: Load::list(1 << 20) })
    }

    async fn answer(&self, _: &CareService, request: &FacadeRequest<'_>) -> Result<FacadeAnswer, Error> {
        self.0.fetch_add(1, Ordering::Relaxed);
        // It waits once, as for a store.
        let mut has_waited = false;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            if mem::replace(&mut has_waited, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        let length = request.segments.last().and_then(|length| length.parse().ok()).unwrap();
        Ok(Response::new(Bytes::from(vec![b' '; length])).into())
    }

    fn refusal(&self, _: &FacadeRequest<'_>, refusal: &Refusal) -> Response<Bytes> {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = refusal.status;
        response
    }
}

#[test]
fn room_is_kept_before_anything_is_read() {
    let facade = Lists::default();
    let read = Arc::clone(&facade.0);
    let api = api(4 << 20).with_facade(facade);
    let answer = |path: &str| {
        let mut answer = asked(&api, "key", path);
        // It lets others pass once.
        let _ = answer.as_mut().now_or_never();
        answer
    };
    let held: Vec<_> = (0..2).map(|_| block_on(answer("/lists/1048576"))).collect();
    assert!(held.iter().all(|answer| answer.status() == 200));
    let under_way = answer("/lists/70000");
    assert_eq!(read.load(Ordering::Relaxed), 3);
    // Two unread answers, and the longest that the request under way may have, leave too little room for another.
    let waits = answer("/lists/70000");
    assert_eq!(read.load(Ordering::Relaxed), 3);
    let other = asked(&api, "other", "/lists/70000");
    // A short answer gives back the room that it does not need.
    let short = block_on(under_way);
    assert_eq!((short.status().as_u16(), block_on(waits).status().as_u16()), (200, 200));
    assert_eq!(block_on(other).status(), 200);
    assert_eq!(read.load(Ordering::Relaxed), 5);
}

#[test]
fn an_answer_that_is_longer_than_was_said_counts_as_it_is() {
    let api = api(8 << 20).with_facade(Lists::default());
    let long = block_on(asked(&api, "key", "/lists/6000000"));
    assert_eq!(long.status(), 200);
    assert_eq!(now(&api, "other").unwrap().status(), 200);
    let mut waits = asked(&api, "key", "/lists/6000000");
    assert!(waits.as_mut().now_or_never().is_none() && waits.as_mut().now_or_never().is_none());
    drop(long);
    assert_eq!(block_on(waits).status(), 200);
}

/// Returns the path of the payment of an invoice, whose answer has about 85 kB.
fn payment(care: &CareService) -> String {
    let patient = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
    let diseases = vec![Disease::new("x".repeat(Disease::MAX)).unwrap(); Consultation::MAX_DISEASES];
    for _ in 0..11 {
        let visit = NewConsultation::of(patient).diagnosing(diseases.clone());
        block_on(care.record_consultation(visit)).unwrap();
    }
    let medicine = MedicineName::new("Paracetamol").unwrap();
    let prescription =
        block_on(care.prescribe(patient, NewPrescription::of(medicine))).unwrap().prescription.prescription_id;
    let invoice = block_on(care.issue_invoice(prescription)).unwrap().invoice.invoice_id;
    format!("/1.0.0/invoice/{invoice}/payment")
}

#[test]
fn other_keys_keep_no_payment_out() {
    let care = CareService::new(MemoryStore::new());
    let payment = payment(&care);
    let keys = ["one", "two", "three", "desk", "till"];
    let keys = keys.into_iter().fold(KeyRing::new(), |ring, key| ring.with_key(key, key, Scopes::ALL));
    let api = Api::new(care).with_keys(keys).with_limits(Limits::new().with_unread(2 << 20));
    let api = api.with_facade(Lists::default());
    let pay = |key: &str| send(&api, Request::post(&payment).header("api_key", key).body(Bytes::new()).unwrap());
    // Two keys take all of the room, so that the third finds none for its page.
    let held = ["one", "one", "two", "three"].map(|key| block_on(asked(&api, key, "/lists/1000000")));
    assert_eq!(held.each_ref().map(|answer| answer.status().as_u16()), [200, 503, 200, 503]);
    let paid = pay("desk");
    assert!(paid.status() == 200 && paid.body().len() > 80_000, "{paid:?}");
    // A key that leaves its own answers to changes unread makes no further change, which no other key notices.
    let mut unread: Vec<_> = (0..10).map(|_| pay("three")).take_while(|answer| answer.status() == 200).collect();
    assert_eq!(unread.len(), 3, "more than an eighth of 2 MiB is unread");
    assert!(is_problem(&pay("three"), 503, "overloaded"));
    assert_eq!((pay("till").status().as_u16(), pay("desk").status().as_u16()), (200, 200));
    unread.pop();
    assert_eq!(pay("three").status(), 200);
}

#[test]
fn all_keys_together_leave_no_more_answers_to_changes_unread_than_to_reads() {
    const UNREAD: usize = 2 << 20;
    let care = CareService::new(MemoryStore::new());
    let payment = payment(&care);
    let keys: Vec<_> = (0..12).map(|number| format!("key-{number}")).collect();
    let ring = keys.iter().fold(KeyRing::new(), |ring, key| ring.with_key(key, &**key, Scopes::ALL));
    let api = Api::new(care).with_keys(ring).with_limits(Limits::new().with_unread(UNREAD));
    let pay = |key: &str| send(&api, Request::post(&payment).header("api_key", key).body(Bytes::new()).unwrap());
    let paid = |key: &String| (0..9).map(|_| pay(key)).take_while(|answer| answer.status() == 200).collect::<Vec<_>>();
    let held: Vec<_> = keys.iter().map(paid).collect();
    // The first keys have their part each. When there is no more, each of the others has one answer.
    assert_eq!((held[0].len(), held[11].len()), (3, 1));
    let bytes: usize = held.iter().flatten().map(|answer| answer.body().len()).sum();
    assert!(bytes < UNREAD + UNREAD / 2, "{bytes} bytes");
}

#[test]
fn every_handle_counts_the_same_bytes() {
    let api = api(1 << 20);
    let other = api.clone().with_base_path("/1.0.0").unwrap();
    let _held = page(&other);
    assert!(now(&api, "key").is_none());
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

#[test]
fn clients_without_a_key_are_one_an_address() {
    let document = |api: &Api, address: [u8; 4]| {
        let mut request = Request::get("/1.0.0/openapi.json").body(Bytes::new()).unwrap();
        request.extensions_mut().insert(Peer(address.into()));
        send(api, request)
    };
    let length = document(&api(4 << 20), [10, 0, 0, 1]).body().len();
    // There is room for three such answers, and a sixteenth of it is too little for the third one to one client.
    let api = api(8 * (3 * length + length / 10));
    let answers = [1, 1, 1, 2, 2].map(|last| document(&api, [10, 0, 0, last]));
    assert_eq!(answers.map(|answer| answer.status().as_u16()), [200, 200, 503, 200, 503]);
}
