//! Too many requests at once, and requests that take too long.

use std::{
    future::pending,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Waker},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    error::{Error, StoreError},
    keys::{KeyRing, Principal, Scopes},
    model::{Disease, InvoiceState, MedicineName, PatientDetails},
    operation::{Input, Operation, Segment},
    rest::{Api, BodyOutcome, BodyPermit, File, Files, HeadOutcome, Limits, Pending},
    service::{CareService, NewConsultation, NewPrescription},
    store::{Act, Decision, Limit, MemoryStore, Portion, Query, Record, Seq, Versioned},
};
use care_testkit::{Hooks, Wrap, metered::Metered, until};
use futures_executor::block_on;
use futures_util::FutureExt as _;
use http::{Response, Version, header};

use super::{
    Answer, api, asked, begun, exchanged, finished, get, is_problem, request, request_of, send, text, with_json,
};

/// A store that answers point reads, and never anything else.
#[derive(Debug, Default)]
struct Stuck {
    others: MemoryStore,
    /// The number of lists and of changes that were begun.
    begun: Arc<AtomicUsize>,
}

#[async_trait]
impl Hooks for Stuck {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.others
    }

    async fn list(&self, _: &Query, _: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        pending().await
    }

    async fn transact(&self, _: Act, _: Decision) -> Result<Option<Seq>, Error> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        pending().await
    }
}

/// Returns a change whose body is still missing.
fn change(api: &Api) -> Pending {
    begun(api, request("PUT", "/patient").header("Content-Type", "application/json"))
}

/// Returns the API over a store that is stuck, with three keys, and the number of lists and of changes that it began.
fn stuck(limits: Limits) -> (Api, Arc<AtomicUsize>) {
    let store = Wrap(Stuck::default());
    let begun = Arc::clone(&store.0.begun);
    let keys = ["key", "other", "third"];
    let keys = keys.into_iter().fold(KeyRing::new(), |ring, key| ring.with_key(key, key, Scopes::ALL));
    (Api::new(CareService::new(store)).with_keys(keys).with_limits(limits), begun)
}

/// Returns the answer to a request of this key, which has begun.
fn sent(api: &Api, key: &str, method: &str, body: &'static str) -> Answer {
    // A search is long work from its beginning.
    let path = if method == "GET" { "/patient?find=ada" } else { "/patient" };
    let request = request_of(key, method, path).header("Content-Type", "application/json");
    exchanged(api, request.header("Content-Length", body.len()), body)
}

fn answered(answer: &mut Answer) -> Option<Response<Bytes>> {
    answer.as_mut().now_or_never()
}

/// Returns lists under way, or waiting, which never end on a stuck store.
fn lists(api: &Api, key: &str, count: usize) -> Vec<Answer> {
    let mut all: Vec<_> = (0..count).map(|_| sent(api, key, "GET", "")).collect();
    assert!(all.iter_mut().all(|list| answered(list).is_none()));
    all
}

#[test]
fn one_too_many_is_told_at_once_and_the_others_go_on() {
    let (api, _) = stuck(Limits::new().with_in_flight(3));
    let mut held = lists(&api, "key", 2);
    let refused = get(&api, "/patient/1");
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    assert!(refused.headers().contains_key(header::RETRY_AFTER));
    // A place is kept for another key, and a probe is told so.
    assert!(api.has_capacity());
    let other = lists(&api, "other", 1);
    assert!(!api.has_capacity());
    let third = answered(&mut sent(&api, "third", "GET", "")).unwrap();
    assert!(is_problem(&third, 503, "overloaded"), "{third:?}");
    drop(other);
    // Dropping the request of a disconnected client frees its place.
    held.pop();
    assert!(is_problem(&get(&api, "/patient/1"), 404, "not-found"));
    let _again = lists(&api, "key", 1);
    assert!(is_problem(&get(&api, "/patient/1"), 503, "overloaded"));
}

#[test]
fn a_key_with_thousands_of_lists_that_wait_delays_none_of_another() {
    let (api, begun) = stuck(Limits::new().with_in_flight(16_384).with_long_work(4));
    let begun = || begun.load(Ordering::Relaxed);
    let mut many = lists(&api, "key", 3000);
    assert_eq!(begun(), 3);
    // Another key finds a free place, and a third one has the next that becomes free.
    let _other = lists(&api, "other", 1);
    assert_eq!(begun(), 4);
    let mut third = lists(&api, "third", 1);
    assert_eq!(begun(), 4);
    drop(many.remove(0));
    assert!(many.iter_mut().chain(&mut third).all(|list| answered(list).is_none()));
    assert_eq!(begun(), 5);
    drop(many.drain(..2));
    assert!(many.iter_mut().all(|list| answered(list).is_none()));
    assert_eq!(begun(), 6, "a key alone has three of four places, and the others have two of them");
}

#[test]
fn the_requests_of_a_key_that_wait_hold_at_most_a_quarter_of_the_places() {
    let (api, _) = stuck(Limits::new().with_in_flight(40).with_long_work(2));
    let _held = lists(&api, "key", 11);
    let refused = answered(&mut sent(&api, "key", "GET", "")).unwrap();
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
    let _other = lists(&api, "other", 1);
}

#[test]
fn a_key_with_many_changes_leaves_the_store_to_those_of_another() {
    let (api, begun) = stuck(Limits::new());
    let begun = || begun.load(Ordering::Relaxed);
    let send = |key, body| {
        let mut answer = sent(&api, key, "POST", body);
        assert!(answered(&mut answer).is_none());
        answer
    };
    let mut many: Vec<_> = (0..600).map(|_| send("key", "{}")).collect();
    // All clients of a key alone share batches, and none of the others' waits behind more than these.
    assert_eq!(begun(), 67);
    let _other = send("other", "{}");
    assert_eq!(begun(), 68);
    drop(many.drain(..));
    // Long bodies are much work.
    let long: &'static str = Box::leak(format!("{{{}}}", " ".repeat(2000)).into_boxed_str());
    let many: Vec<_> = (0..600).map(|_| send("key", long)).collect();
    assert_eq!(begun(), 68 + 16);
    drop(many);
    // A few of the longest run at once.
    let longest: &'static str = Box::leak(format!("{{{}}}", " ".repeat((64 << 10) - 2)).into_boxed_str());
    let _many: Vec<_> = (0..600).map(|_| send("key", longest)).collect();
    assert_eq!(begun(), 84 + 3);
}

#[test]
fn a_change_that_waits_for_its_turn_has_no_effect() {
    // All of them are sent before the first one is late, which a busy machine needs more time for.
    let sent = [5, 50, 500, 5000].into_iter().find_map(|deadline| {
        let (api, begun) = stuck(Limits::new().with_deadline(Duration::from_millis(deadline)));
        let mut many: Vec<_> = (0..68).map(|_| sent(&api, "key", "POST", "{}")).collect();
        many.iter_mut().all(|change| answered(change).is_none()).then_some((many, begun))
    });
    let (mut many, begun) = sent.expect("a machine that sends 68 requests within 5 s");
    let last = block_on(many.pop().unwrap());
    assert!(is_problem(&last, 503, "late"), "{last:?}");
    let begun_one = block_on(many.pop().unwrap());
    assert!(is_problem(&begun_one, 500, "late"), "{begun_one:?}");
    assert_eq!(begun.load(Ordering::Relaxed), 67);
}

#[test]
fn a_change_waits_two_seconds_at_most_for_a_slot_after_its_commit() {
    let store = Metered::new(MemoryStore::new());
    let care = CareService::new(Arc::clone(&store));
    let keys = KeyRing::new().with_key("key", "key", Scopes::ALL).with_key("other", "other", Scopes::ALL);
    let api = Api::new(care.clone()).with_keys(keys).with_limits(Limits::new().with_long_work(1));
    let patient = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
    for _ in 0..130 {
        let visit = NewConsultation::of(patient).diagnosing([Disease::new("Gout").unwrap()]);
        block_on(care.record_consultation(visit)).unwrap();
    }
    let new = NewPrescription::of(MedicineName::new("Zinc").unwrap());
    let prescribed = block_on(care.prescribe(patient, new)).unwrap().prescription.prescription_id;
    let invoice = block_on(care.issue_invoice(prescribed)).unwrap().invoice.invoice_id;
    // Another key keeps the only slot, and the payment answers with a long history.
    store.0.hold();
    let mut search = asked(&api, "other", "/patient?find=ada");
    assert!(answered(&mut search).is_none());
    let begun = Instant::now();
    let path = format!("/invoice/{invoice}/payment");
    let mut pay = Box::pin(api.handle(request("POST", &path).body(Bytes::new()).unwrap()));
    assert!(pay.as_mut().now_or_never().is_none());
    let paid = block_on(care.invoice(invoice)).unwrap();
    assert_eq!(paid.state, InvoiceState::Paid, "it is committed before it waits");
    let answer = block_on(pay);
    assert!(answer.status() == 200 && answer.body().len() > 130, "{answer:?}");
    let took = begun.elapsed();
    assert!((Duration::from_secs(2)..Duration::from_secs(10)).contains(&took), "{took:?}");
}

#[test]
fn principals_of_a_host_count_by_their_names() {
    let api = api(Wrap(Stuck::default())).with_host_principals("Bearer").unwrap();
    let api = api.with_limits(Limits::new().with_in_flight(2));
    let ask = |name: &str, id: &str| {
        let request =
            http::Request::get("/1.0.0/patient").extension(Principal::new(name, Scopes::ALL).unwrap().with_id(id));
        let mut answer = exchanged(&api, request, "");
        match answered(&mut answer) {
            Some(refusal) => Err(Box::new(refusal)),
            None => Ok(answer),
        }
    };
    let _desk = ask("desk", "one").unwrap();
    assert!(is_problem(&ask("desk", "two").err().unwrap(), 503, "overloaded"));
    let _lab = ask("lab", "one").unwrap();
}

#[test]
fn every_handle_counts_the_same_requests() {
    let api = api(Wrap(Stuck::default())).with_limits(Limits::new().with_in_flight(1));
    let other = api.clone().with_base_path("/1.0.0").unwrap();
    let mut first = exchanged(&other, request("GET", "/patient"), "");
    assert!(answered(&mut first).is_none());
    assert!(is_problem(&get(&api, "/patient/1"), 503, "overloaded"));
}

#[test]
fn a_request_has_its_slot_before_its_body_and_a_key_alone_has_fifteen_of_sixteen() {
    let (api, _) = stuck(Limits::new().with_in_flight(32));
    let mut waiting: Vec<_> = (0..30).map(|_| change(&api)).collect();
    let one_more = |key| {
        let request = request_of(key, "PUT", "/patient").header("Content-Type", "application/json");
        let (head, ()) = request.header("Content-Length", 2).body(()).unwrap().into_parts();
        block_on(api.begin(head))
    };
    let HeadOutcome::Answer(refused) = one_more("key") else {
        panic!("the key has more than its share");
    };
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    assert_eq!(refused.headers()[header::CONNECTION], "close");
    let HeadOutcome::Body(of_another) = one_more("other") else {
        panic!("another key has no slot");
    };
    drop(of_another);
    // A client that leaves before its body has come frees its slot, and one whose body has come uses it.
    drop(waiting.pop());
    let mut change = finished(change(&api), r#"{"patientId":1}"#);
    assert!(answered(&mut change).is_none());
}

#[test]
fn no_body_is_read_for_an_operation_without_one() {
    let api = api(MemoryStore::new());
    let begin = |request: http::request::Builder| {
        let (head, ()) = request.body(()).unwrap().into_parts();
        match block_on(api.begin(head)) {
            HeadOutcome::Answer(answer) => answer,
            HeadOutcome::Body(_) => panic!("it waits for a body"),
        }
    };
    let mut count = 0;
    for operation in Operation::all() {
        if !matches!(operation.input(), Input::Nothing | Input::Query) {
            continue;
        }
        count += 1;
        let path = operation.segments().map(|segment| match segment {
            Segment::Literal(text) => format!("/{text}"),
            Segment::Parameter("medicine") => "/Ibuprofen".to_owned(),
            Segment::Parameter(_) => "/1".to_owned(),
        });
        let path: String = path.collect();
        let head = || request(operation.method().as_str(), &path);
        for (name, value) in [("Content-Length", "5"), ("Transfer-Encoding", "chunked")] {
            let answer = begin(head().header(name, value));
            assert_eq!(answer.headers()[header::CONNECTION], "close", "{} {answer:?}", operation.id());
            // The type is judged all the same.
            let refused = begin(head().header(name, value).header("Content-Type", "text/plain"));
            assert!(is_problem(&refused, 415, "unsupported-type"), "{} {refused:?}", operation.id());
        }
        let long = begin(head().header("Content-Length", 65_537));
        assert!(is_problem(&long, 413, "too-large"), "{} {long:?}", operation.id());
        let without = begin(head().header("Content-Type", "text/plain"));
        assert_ne!(without.status(), 415, "{}", operation.id());
    }
    assert!(count > 20, "{count}");
}

#[test]
fn lists_in_heads_are_cut_off_by_a_count() {
    let page = File::new("text/html", " ".repeat(1000));
    let api = api(MemoryStore::new()).with_console(Files::new().with("page", page));
    let registered = send(&api, with_json(request("POST", "/patient"), "{}"));
    let tag = registered.headers()[header::ETAG].to_str().unwrap();
    let list = |before: usize, member: &str, last: &str| format!("{}{last}", format!("{member},").repeat(before));
    let status = |method: &str, path: &str, name: &str, value: String| {
        let request = request(method, path).header(name, value);
        let request =
            if method == "PUT" { with_json(request, r#"{"patientId":1}"#) } else { request.body("".into()).unwrap() };
        let answer = send(&api, request);
        (answer.status().as_u16(), answer.headers().contains_key(header::CONTENT_ENCODING))
    };
    for (method, path, name, member, last, read, unread) in [
        ("GET", "/patient/1", "If-None-Match", "\"x\"", tag, (304, false), (200, false)),
        ("PUT", "/patient", "If-Match", "\"x\"", tag, (200, false), (412, false)),
        ("GET", "/patient/1", "Accept", "a/b", "application/xml", (200, false), (406, false)),
        ("GET", "/page", "Accept-Encoding", "br", "gzip", (200, true), (200, false)),
        ("GET", "/patient/1", "Content-Encoding", "identity", "gzip", (415, false), (200, false)),
    ] {
        assert_eq!(status(method, path, name, list(127, member, last)), read, "{name}");
        assert_eq!(status(method, path, name, list(128, member, last)), unread, "{name}");
        // Empty members count too, so a head of commas is not read to its end.
        if name != "Accept" && name != "Content-Encoding" {
            assert_eq!(status(method, path, name, list(60_000, "", last)), unread, "{name}");
        }
    }
}

#[test]
fn a_key_that_everybody_has_counts_by_address() {
    let (api, _) = stuck(Limits::new().with_in_flight(3));
    let api = api.with_addresses_apart(http::HeaderName::from_static("x-real-ip"));
    let list = |address: &str| exchanged(&api, request("GET", "/patient").header("X-Real-IP", address), "");
    let mut held = [list("192.0.2.1"), list("192.0.2.1")];
    assert!(held.iter_mut().all(|list| answered(list).is_none()));
    let refused = answered(&mut list("192.0.2.1")).unwrap();
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    let mut another = list("192.0.2.2");
    assert!(answered(&mut another).is_none());
}

#[test]
fn unfinished_bodies_of_a_key_have_a_bounded_size_together() {
    let api = api(MemoryStore::new());
    let limits = [(); 1000].map(|()| change(&api).body_permit());
    let context = || Context::from_waker(Waker::noop());
    let is_over = |permit: &mut BodyPermit, arrived| {
        let mut revoked = pin!(permit.revoked(arrived));
        revoked.as_mut().poll(&mut context()).is_ready()
    };
    let mut permits = Vec::from(limits);
    // 960 of 64 KiB are 60 MiB, which a key alone may have.
    let over = permits.iter_mut().filter_map(|permit| is_over(permit, 64 << 10).then_some(())).count();
    assert_eq!(over, 0, "a body ends at once");
    let over: Vec<_> = (0..1000).filter(|number| is_over(&mut permits[*number], 64 << 10)).collect();
    assert_eq!(over, (0..40).collect::<Vec<_>>(), "the oldest end");
}

#[test]
fn what_needs_no_key_is_answered_from_the_head_alone() {
    // None of these requests needs a place.
    let api = api(MemoryStore::new()).with_limits(Limits::new().with_in_flight(0));
    let head = |method, path, key| {
        let request = http::Request::builder().method(method).uri(format!("/1.0.0{path}"));
        let request = request.header("Transfer-Encoding", "chunked").header("api_key", key);
        request.body(()).unwrap().into_parts().0
    };
    for (method, path, status) in [
        ("GET", "/openapi.json", 200),
        ("HEAD", "/openapi.json", 200),
        ("OPTIONS", "/patient", 204),
        ("PUT", "/patient", 401),
        ("GET", "/nothing", 401),
        ("GET", "/../nothing", 401),
    ] {
        let HeadOutcome::Answer(answer) = block_on(api.begin(head(method, path, "nobody's"))) else {
            panic!("{method} {path} waits for a body");
        };
        assert_eq!(answer.status(), status, "{method} {path}");
        // The body is left unread, so the server could not find the next request on this connection.
        assert_eq!(answer.headers()[header::CONNECTION], "close", "{method} {path}");
    }
}

#[test]
fn a_long_answer_without_a_key_is_the_last_one_over_its_connection() {
    let page = |length: usize| File::new("text/html", vec![b' '; length]);
    let files = Files::new().with("desk/short", page(64 * 1024)).with("desk/long", page(64 * 1024 + 1));
    let api = api(MemoryStore::new()).with_console(files);
    let closes = |method: &str, path: &str| {
        let request = http::Request::builder().method(method).uri(format!("/1.0.0{path}"));
        match block_on(api.begin(request.body(()).unwrap().into_parts().0)) {
            HeadOutcome::Answer(answer) => answer.headers().contains_key(header::CONNECTION),
            HeadOutcome::Body(_) => panic!("it waits for a body"),
        }
    };
    assert!(closes("GET", "/openapi.json") && closes("GET", "/desk/long"));
    // An answer without a body keeps the connection, and so does a short one.
    assert!(!closes("HEAD", "/openapi.json") && !closes("GET", "/desk/short") && !closes("GET", "/patient/1"));
}

#[test]
fn an_answer_says_so_when_the_connection_ends() {
    let api = api(MemoryStore::new());
    let closes = |answer: &Response<Bytes>| {
        answer.headers().get(header::CONNECTION).is_some_and(|connection| connection == "close")
    };
    for received in [BodyOutcome::TooLarge, BodyOutcome::TimedOut, BodyOutcome::Broken] {
        let answer = block_on(change(&api).finish(received));
        assert!(closes(&answer), "{answer:?}");
    }
    let whole = block_on(finished(change(&api), "{}"));
    assert!(is_problem(&whole, 400, "malformed") && !closes(&whole), "{whole:?}");
    // The head alone is refused. It announces a body, or none.
    let refused = |length: &str, version| {
        let request = request("PUT", "/nothing").version(version).header(header::CONTENT_LENGTH, length);
        match block_on(api.begin(request.body(()).unwrap().into_parts().0)) {
            HeadOutcome::Answer(answer) => answer,
            HeadOutcome::Body(_) => panic!("it waits for a body"),
        }
    };
    assert!(closes(&refused("2", Version::HTTP_11)) && closes(&refused("x", Version::HTTP_11)));
    assert!(!closes(&refused("0", Version::HTTP_11)));
    // HTTP/2 closes streams, not connections, and forbids this header.
    assert!(!closes(&refused("2", Version::HTTP_2)));
    // This host has read the body.
    assert!(!closes(&send(&api, with_json(request("PUT", "/nothing"), "{}"))));
}

#[test]
fn what_takes_too_long_is_answered() {
    let api = api(Wrap(Stuck::default())).with_limits(Limits::new().with_deadline(Duration::from_millis(5)));
    let read = get(&api, "/patient");
    assert!(is_problem(&read, 503, "late"), "{read:?}");
    assert!(read.headers().contains_key(header::RETRY_AFTER));
    // The outcome is unknown, so the answer does not say that a repetition is safe.
    let write = send(&api, with_json(request("POST", "/patient"), "{}"));
    assert!(is_problem(&write, 500, "late"), "{write:?}");
    assert!(text(&write).contains("not known"));
    assert!(!write.headers().contains_key(header::RETRY_AFTER));
    // A point read is still answered, unless the machine is busy for more than the 5 ms.
    let is_read = || is_problem(&get(&api, "/patient/1"), 404, "not-found");
    assert!(until(Duration::from_secs(10), is_read));
}

#[test]
fn a_page_has_at_most_what_the_limit_says() {
    let api = api(MemoryStore::new()).with_limits(Limits::new().with_page(2));
    for _ in 0..3 {
        assert_eq!(send(&api, with_json(request("POST", "/patient"), "{}")).status(), 201);
    }
    assert!(is_problem(&get(&api, "/patient?limit=3"), 400, "malformed"));
    for path in ["/patient", "/patient?limit=2"] {
        let page = get(&api, path);
        assert_eq!(text(&page).matches("\"patientId\"").count(), 2, "{path}");
        assert!(page.headers().contains_key(header::LINK));
    }
    assert!(api.openapi().contains("\"maximum\": 2,"));
}
