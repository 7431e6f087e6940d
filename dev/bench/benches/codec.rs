//! The strict readers and the writers of records, through `Api::handle`, compared with plain serde on the same records.
#![allow(missing_docs, reason = "the macros of criterion make public items")]

use std::hint::black_box;

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    model::Patient,
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use criterion::{Criterion, criterion_group, criterion_main};
use futures_executor::block_on;
use http::Request;

const KEY: &str = "the-key-of-the-benchmark";

const JSON: &str = r#"{"name":"Ada Example","phone":441632960001,"insurance":true,"patientId":1,"age":36,"address":"1 Sample Street","gender":"female","weight":61.5,"email":"ada@example.org","location":"Sampleton","lastvisit":"31/01/2026"}"#;
const XML: &str = "<Patient><name>Ada Example</name><phone>441632960001</phone><insurance>true</insurance>\
     <patientId>1</patientId><age>36</age><address>1 Sample Street</address><gender>female</gender>\
     <weight>61.5</weight><email>ada@example.org</email><location>Sampleton</location>\
     <lastvisit>31/01/2026</lastvisit></Patient>";

fn ask(api: &Api, method: &str, path: &str, (kind, body): (&str, &'static str)) -> usize {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("api_key", KEY)
        .header("accept", kind)
        .header("content-type", kind)
        .body(Bytes::from_static(body.as_bytes()));
    request.map_or(0, |request| block_on(api.handle(request)).body().len())
}

fn codecs(criterion: &mut Criterion) {
    let api = Api::new(CareService::new(MemoryStore::new()));
    let api = api.with_keys(KeyRing::new().with_key(KEY, "bench", Scopes::ALL));
    let json = ("application/json", JSON);
    let xml = ("application/xml", XML);
    assert!(ask(&api, "POST", "/1.0.0/patient", json) > 200);

    let mut group = criterion.benchmark_group("a patient in");
    for form in [json, xml] {
        group.bench_function(format!("PUT of {}", form.0), |bencher| {
            bencher.iter(|| ask(&api, "PUT", "/1.0.0/patient", black_box(form)));
        });
    }
    group.bench_function("plain serde_json", |bencher| {
        bencher.iter(|| serde_json::from_str::<Patient>(black_box(JSON)).ok());
    });
    group.bench_function("plain quick-xml", |bencher| {
        bencher.iter(|| quick_xml::de::from_str::<Patient>(black_box(XML)).ok());
    });
    group.finish();

    let mut group = criterion.benchmark_group("a patient out");
    for (kind, _) in [json, xml] {
        group.bench_function(format!("GET as {kind}"), |bencher| {
            bencher.iter(|| ask(&api, "GET", "/1.0.0/patient/1", black_box((kind, ""))));
        });
    }
    let patient = serde_json::from_str::<Patient>(JSON).ok();
    group.bench_function("plain serde_json", |bencher| {
        bencher.iter(|| serde_json::to_vec(black_box(&patient)).ok());
    });
    group.bench_function("plain quick-xml", |bencher| {
        bencher.iter(|| patient.as_ref().and_then(|patient| quick_xml::se::to_string(black_box(patient)).ok()));
    });
    group.finish();
}

criterion_group!(benches, codecs);
criterion_main!(benches);
