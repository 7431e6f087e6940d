//! Requests under an `Idempotency-Key`, repeated on another day.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use care_core::{model::Timestamp, operation::Operation, service::CareService, store::MemoryStore};
use http::Method;

use super::{request, send, serving, text, with_json};

/// A request for each operation that takes a key, so that as much of its answer as can be depends on the day: the
/// patient has a birthday on the next one, and a lot is good until this one.
const REQUESTS: [(&str, &str, &str); 14] = [
    ("addMedicine", "/inventory/Ibuprofen", r#"{"price":2,"currency":"EUR"}"#),
    (
        "startStock",
        "/inventory/Ibuprofen/stock",
        r#"{"unit":"tablets","opening":[{"lot":"A","expires":"15/03/2026","units":30}]}"#,
    ),
    ("moveStock", "/inventory/Ibuprofen/movements", r#"{"kind":"receipt","lot":"B","expires":"15/03/2026","units":5}"#),
    ("reverseMovement", "/movements/2/reversal", "{}"),
    ("countStock", "/inventory/Ibuprofen/count", r#"{"lines":[{"lot":"A","expires":"15/03/2026","counted":20}]}"#),
    ("addPatient", "/patient", r#"{"name":"Ada Example","birthDate":"16/03/2000"}"#),
    (
        "addConsultation",
        "/consultations",
        r#"{"patientId":1,"date":"16/03/2026","diseases":["Gout"],"prescriptions":[{"medicine":"Aspirin"}]}"#,
    ),
    ("addPrescription", "/prescriptions", r#"{"patientId":1,"medicine":"Ibuprofen"}"#),
    ("issueInvoice", "/prescriptions/1/invoice", "{}"),
    ("issueInvoice", "/prescriptions/2/invoice", "{}"),
    ("payInvoice", "/invoice/1/payment", "{}"),
    ("payInvoice", "/invoice/2/payment", "{}"),
    ("correctReceipt", "/receipts/1/correction", r#"{"method":"card"}"#),
    ("refundInvoice", "/invoice/2/refund", r#"{"reason":"wrongEntry"}"#),
];

#[test]
fn a_repetition_on_another_day_is_the_first_answer() {
    let takes_a_key = Operation::all().filter(|operation| *operation.method() == Method::POST);
    let asked: BTreeSet<_> = REQUESTS.iter().map(|(operation, ..)| *operation).collect();
    assert_eq!(asked, takes_a_key.map(Operation::id).collect());

    let now = Arc::new(Mutex::new("2026-03-15T23:59:00Z".parse::<Timestamp>().unwrap()));
    let clock = Arc::clone(&now);
    let api = serving(CareService::new(MemoryStore::new()).with_clock(move || *clock.lock().unwrap()));
    let answers = || {
        let answer = |(number, (operation, path, body)): (usize, &(&str, &str, &'static str))| {
            let keyed = request("POST", path).header("Idempotency-Key", format!("key-{number}"));
            let answer = send(&api, with_json(keyed, body));
            assert!(answer.status().is_success(), "{operation}: {}", text(&answer));
            let mut headers = answer.headers().clone();
            // It names the request, each of which has another.
            headers.remove("x-request-id").unwrap();
            (operation.to_string(), answer.status(), headers, text(&answer).to_owned())
        };
        REQUESTS.iter().enumerate().map(answer).collect::<Vec<_>>()
    };
    let first = answers();
    for later in ["2026-03-16T00:01:00Z", "2026-03-16T23:58:00Z", "2026-03-14T12:00:00Z"] {
        *now.lock().unwrap() = later.parse().unwrap();
        for (again, first) in answers().into_iter().zip(&first) {
            assert_eq!(again, *first, "{later}");
        }
    }
}
