//! Every refusal in the document occurs, and no other.

use std::{collections::BTreeSet, net::Ipv4Addr, num::NonZero, time::Duration};

use bytes::Bytes;
use care_core::{
    error::StoreErrorKind,
    rest::{BodyOutcome, HeadOutcome, Limits, Peer, Throttle},
};
use futures_executor::block_on;
use http::{HeaderValue, Request, Response, header};

use crate::{
    clinic::{Clinic, JSON, XML, assert_foretold},
    description::{Described, operation, operations},
    needs::{before, broken, in_the_way},
};

/// Sends the request with a body that fails to arrive.
fn cut(clinic: &Clinic, mut request: Request<Bytes>, received: BodyOutcome) -> Response<Bytes> {
    request.headers_mut().insert(header::TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    match block_on(clinic.api.begin(request.into_parts().0)) {
        HeadOutcome::Answer(answer) => answer,
        HeadOutcome::Body(pending) => block_on(pending.finish(received)),
    }
}

/// Returns the answer to the second request from an address that may fail only once.
fn slowed(clinic: &Clinic, operation: Described, form: &str) -> Response<Bytes> {
    let once = NonZero::<u32>::MIN;
    let api = clinic.api.clone().with_throttle(Throttle::new(once, Duration::from_secs(3600)));
    let send = |key| {
        let mut request = clinic.example(operation, form);
        request.headers_mut().insert("api_key", HeaderValue::from_static(key));
        request.extensions_mut().insert(Peer(Ipv4Addr::LOCALHOST.into()));
        block_on(api.handle(request))
    };
    send("nobody's");
    send("full")
}

/// Returns the answers to every possible fault in a request to the operation.
fn provoke(operation: Described, form: &str) -> Vec<Response<Bytes>> {
    let id = operation.id();
    let clinic = || Clinic::after(&before(id));
    let with = |name: &'static str, value: &'static str| {
        let clinic = clinic();
        let mut request = clinic.example(operation, form);
        request.headers_mut().insert(name, HeaderValue::from_static(value));
        clinic.send(request)
    };
    let on = |clinic: Clinic| clinic.send(clinic.example(operation, form));
    let cut = |received| {
        let clinic = clinic();
        cut(&clinic, clinic.example(operation, form), received)
    };
    // All faults at once would be too many for these.
    let beyond = |limits: Limits| {
        let clinic = clinic();
        on(Clinic { api: clinic.api.with_limits(limits) })
    };
    let mut answers = vec![
        beyond(Limits::new().with_target(1)),
        beyond(Limits::new().with_headers(1)),
        beyond(Limits::new().with_in_flight(0)),
        with("api_key", "nobody's"),
        with("api_key", "none"),
        slowed(&clinic(), operation, form),
        with("accept", "text/plain"),
        with("content-encoding", "gzip"),
        with("content-length", "99999999"),
        cut(BodyOutcome::TooLarge),
        cut(BodyOutcome::TimedOut),
        cut(BodyOutcome::Broken),
        on(Clinic::new()),
        on(Clinic::failing(StoreErrorKind::Busy)),
        on(Clinic::failing(StoreErrorKind::Stopped)),
        on(Clinic::failing(StoreErrorKind::Unknown)),
    ];
    if ["put", "delete"].contains(&operation.method) || ["countStock", "refundInvoice"].contains(&id) {
        answers.push(with("if-match", "\"999-json\""));
    }
    // Reads need no room on the disk.
    if operation.method != "get" {
        answers.push(on(Clinic::failing(StoreErrorKind::Full)));
    }
    // A read is only refused for an earlier version, after 10,000 movements; the tests of shelves have them.
    if operation.response(409).is_some() && operation.method != "get" {
        let clinic = Clinic::after(in_the_way(id));
        let mut request = clinic.example(operation, form);
        if id == "correctReceipt" {
            // The second receipt is a correction itself.
            *request.uri_mut() = "/1.0.0/receipts/2/correction".parse().unwrap();
        }
        answers.push(clinic.send(request));
    }
    if operation.node.get("requestBody").is_some() {
        let clinic = clinic();
        let request = clinic.request(operation).header("content-type", JSON).header("accept", form);
        answers.push(clinic.send(request.body(broken(operation).into()).unwrap()));
        let request = clinic.request(operation).header("content-type", XML).header("accept", form);
        answers.push(clinic.send(request.body("<Patient".into()).unwrap()));
    }
    if operation.method == "get" {
        let clinic = clinic();
        let mut request = clinic.example(operation, form);
        let separator = if request.uri().query().is_some() { '&' } else { '?' };
        *request.uri_mut() = format!("{}{separator}unknown=1", request.uri()).parse().unwrap();
        answers.push(clinic.send(request));
    }
    if let (Some(from), Some(to)) = (operation.path.find('{'), operation.path.find('}')) {
        let clinic = clinic();
        let mut request = clinic.example(operation, form);
        let (before, behind) = (&operation.path[..from], &operation.path[to + 1..]);
        *request.uri_mut() = format!("/1.0.0{before}%FF{behind}").parse().unwrap();
        answers.push(clinic.send(request));
    }
    if operation.path.contains("{medicine}") {
        for medicine in ["%00", "%FF"] {
            let clinic = clinic();
            let mut request = clinic.example(operation, form);
            let rest = operation.path.trim_start_matches("/inventory/{medicine}");
            *request.uri_mut() = format!("/1.0.0/inventory/{medicine}{rest}").parse().unwrap();
            answers.push(clinic.send(request));
        }
    }
    if operation.method == "post" {
        let clinic = clinic();
        let key = HeaderValue::from_static("\"once\"");
        for other in [crate::description::operation("addMedicine"), operation] {
            let mut request = clinic.example(other, form);
            request.headers_mut().insert("idempotency-key", key.clone());
            if other.id() == "addMedicine" {
                *request.uri_mut() = "/1.0.0/inventory/Another".parse().unwrap();
                *request.body_mut() = Bytes::from_static(if form == JSON { b"{}" } else { b"<Inventory/>" });
            }
            answers.push(clinic.send(request));
        }
        answers.remove(answers.len() - 2);
    }
    answers.retain(|answer| !answer.status().is_success());
    answers
}

#[test]
fn what_is_documented_occurs_and_nothing_else() {
    for operation in operations() {
        let mut seen = BTreeSet::new();
        for form in [JSON, XML] {
            for answer in provoke(operation, form) {
                assert_foretold(operation, &answer);
                seen.insert(answer.status().as_u16());
            }
        }
        let documented = operation.statuses().into_iter().filter(|status| *status >= 400);
        // The parts of the document cannot fail, and the key was looked up before the operation runs.
        let cannot_fail = ["getKey", "getOpenapi"].contains(&operation.id());
        let documented = documented.filter(|status| !cannot_fail || *status != 500);
        let documented = documented.filter(|status| operation.method != "get" || *status != 409);
        assert_eq!(seen, documented.collect(), "{}", operation.id());
    }
}

#[test]
fn another_method_is_refused_as_documented() {
    let clinic = Clinic::new();
    for described in operations() {
        let request = clinic.request(described).method("TRACE").body(Bytes::new()).unwrap();
        let answer = clinic.send(request);
        assert_eq!(answer.status(), 405, "{}", described.path);
        let allow = answer.headers()["allow"].to_str().unwrap();
        assert!(allow.contains(&described.method.to_uppercase()), "{allow}");
    }
    assert!(operation("getInvoice").response(405).is_none());
}
