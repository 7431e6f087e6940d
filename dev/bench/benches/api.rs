//! `Api::handle`, operation by operation, on a small clinic in memory: no socket, no disk.
#![allow(missing_docs, reason = "the macros of criterion make public items")]

use std::hint::black_box;

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use care_server::demo;
use criterion::{Criterion, criterion_group, criterion_main};
use futures_executor::block_on;
use http::Request;

const KEY: &str = "the-key-of-the-benchmark";

const PATIENT: &str = r#"{"patientId":1,"age":36}"#;
const PRESCRIPTION: &str = r#"{"patientId":1,"medicine":"Benchmark","dosage":"1-0-1"}"#;
const ITEM: &str = r#"{"price":4,"currency":"EUR"}"#;

/// The operations. Some change nothing the second time, but are decided nevertheless, so they are measured too.
const OPERATIONS: [(&str, &str, &str); 12] = [
    ("GET", "/patient/1", ""),
    ("GET", "/patient?limit=50", ""),
    ("GET", "/history/1", ""),
    ("GET", "/prescriptions/1", ""),
    ("GET", "/prescriptions?limit=50", ""),
    ("GET", "/invoice/1", ""),
    ("GET", "/inventory?limit=50", ""),
    ("GET", "/journal?limit=50", ""),
    ("GET", "/restock", ""),
    ("PUT", "/patient", PATIENT),
    ("PUT", "/prescriptions", PRESCRIPTION),
    ("PUT", "/inventory/Benchmark", ITEM),
];

fn handle(api: &Api, (method, path, body): (&str, &str, &'static str)) -> u16 {
    let request = Request::builder()
        .method(method)
        .uri(format!("/1.0.0{path}"))
        .header("api_key", KEY)
        .header("content-type", "application/json")
        .body(Bytes::from_static(body.as_bytes()));
    request.map_or(0, |request| block_on(api.handle(request)).status().as_u16())
}

fn operations(criterion: &mut Criterion) {
    let care = CareService::new(MemoryStore::new());
    let filled = block_on(demo::fill(&care));
    assert!(filled.is_ok(), "{filled:?}");
    let api = Api::new(care).with_keys(KeyRing::new().with_key(KEY, "bench", Scopes::ALL));
    assert_eq!(handle(&api, ("POST", "/inventory/Benchmark", ITEM)), 200);
    assert_eq!(handle(&api, ("POST", "/prescriptions", PRESCRIPTION)), 201);
    let mut group = criterion.benchmark_group("Api::handle");
    for operation in OPERATIONS {
        assert_eq!(handle(&api, operation), 200, "{operation:?}");
        let (method, path, _) = operation;
        group.bench_function(format!("{method} {path}"), |bencher| {
            bencher.iter(|| black_box(handle(&api, black_box(operation))));
        });
    }
    group.finish();
}

criterion_group!(benches, operations);
criterion_main!(benches);
