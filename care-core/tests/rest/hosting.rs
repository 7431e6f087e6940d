//! The host's own principals and routes.

use bytes::Bytes;
use care_core::{
    error::Error,
    keys::{KeyRing, Principal, Scope, Scopes},
    rest::Api,
    service::CareService,
    store::{MemoryStore, RecordKind},
};
use futures_executor::block_on;
use http::{HeaderName, HeaderValue, Request, Response};
use serde_json::{Value, json};

fn api() -> Api {
    Api::new(CareService::new(MemoryStore::new())).with_host_principals("Bearer").unwrap()
}

fn ask(principal: Option<Principal>, key: Option<&str>) -> Response<Bytes> {
    get("/1.0.0/patient/7", principal, key)
}

fn get(path: &str, principal: Option<Principal>, key: Option<&str>) -> Response<Bytes> {
    let mut request = Request::get(path);
    if let Some(key) = key {
        request = request.header("api_key", key);
    }
    let mut request = request.body(Bytes::new()).unwrap();
    request.extensions_mut().extend(
        principal
            .map(|principal| {
                let mut extensions = http::Extensions::new();
                extensions.insert(principal);
                extensions
            })
            .unwrap_or_default(),
    );
    block_on(api().handle(request))
}

#[test]
fn the_host_says_who_asks() {
    let clerk = |scopes: Scopes| Some(Principal::new("clerk", scopes).unwrap());
    assert_eq!(ask(clerk([Scope::PatientRead].into_iter().collect()), None).status(), 404);
    assert_eq!(ask(clerk([Scope::PatientWrite].into_iter().collect()), None).status(), 403);
    for key in [None, Some("any-key")] {
        let refused = ask(None, key);
        assert_eq!(refused.status(), 401);
        assert_eq!(refused.headers()["www-authenticate"], "Bearer");
    }
}

/// Sends an empty request as a clerk with these scopes, whom the host knows by a cookie, and these headers of a
/// browser.
fn browse(api: Api, (method, path): (&str, &str), scopes: Scopes, sent: &[(&str, &str)]) -> Response<Bytes> {
    let request = Request::builder().method(method).uri(path).header("host", "clinic.example");
    let request = sent.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let mut request = request.body(Bytes::new()).unwrap();
    request.extensions_mut().insert(Principal::new("clerk", scopes).unwrap());
    block_on(api.handle(request))
}

fn kind(answer: &Response<Bytes>) -> (u16, String) {
    let problem: Value = serde_json::from_slice(answer.body()).unwrap();
    let kind = problem["type"].as_str().unwrap();
    (answer.status().as_u16(), kind.trim_start_matches("urn:care:problem:").to_owned())
}

#[test]
fn a_page_of_another_site_changes_nothing() {
    let pay =
        |api: Api, sent: &[(&str, &str)]| kind(&browse(api, ("POST", "/1.0.0/invoice/1/payment"), Scopes::ALL, sent));
    let (passes, refused) = ((404, "not-found".to_owned()), (403, "cross-site".to_owned()));
    let (origin, site) = ("origin", "sec-fetch-site");
    for sent in [&[][..], &[(site, "same-origin")], &[(site, "none")], &[(origin, "https://clinic.example")]] {
        assert_eq!(pay(api(), sent), passes, "{sent:?}");
    }
    let foreign = [
        &[(site, "cross-site")][..],
        &[(site, "same-site")],
        &[(origin, "https://evil.example")],
        &[(origin, "null"), (site, "same-origin")],
        &[(origin, "https://clinic.example"), (site, "cross-site")],
    ];
    for sent in foreign {
        assert_eq!(pay(api(), sent), refused, "{sent:?}");
    }
    let trusting = || api().with_trusted_origins(["https://desk.example"]).unwrap();
    assert_eq!(pay(trusting(), &[(origin, "https://desk.example"), (site, "cross-site")]), passes);
    assert_eq!(pay(trusting(), &[(origin, "https://evil.example")]), refused);
    let public = || api().with_public_url("https://care.example/1.0.0").unwrap();
    assert_eq!(pay(public(), &[(origin, "https://care.example")]), passes);
    assert_eq!(pay(public(), &[(origin, "https://clinic.example")]), refused);
}

#[test]
fn the_site_is_judged_behind_the_principal_and_before_everything_else() {
    let evil = [("origin", "https://evil.example")];
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        for path in ["/1.0.0/patient", "/1.0.0/invoice/1/payment", "/1.0.0/nothing"] {
            let refused = browse(api(), (method, path), Scopes::NONE, &evil);
            assert_eq!(kind(&refused), (403, "cross-site".to_owned()), "{method} {path}");
        }
    }
    let unknown = Request::post("/1.0.0/patient").header("origin", "https://evil.example").body(Bytes::new()).unwrap();
    assert_eq!(block_on(api().handle(unknown)).status(), 401);
    for method in ["GET", "HEAD"] {
        let read = browse(api(), (method, "/1.0.0/patient/7"), Scopes::ALL, &evil);
        assert_eq!(read.status(), 404, "a page may read what the host lets it");
    }
    assert_eq!(browse(api(), ("OPTIONS", "/1.0.0/patient"), Scopes::ALL, &evil).status(), 204);
}

#[test]
fn a_key_of_ours_may_come_from_any_page() {
    let keys = KeyRing::new().with_key("secret", "desk", Scopes::ALL);
    let api = Api::new(CareService::new(MemoryStore::new())).with_keys(keys);
    let request = Request::post("/1.0.0/invoice/1/payment").header("api_key", "secret");
    let request = request.header("origin", "https://evil.example").header("sec-fetch-site", "cross-site");
    assert_eq!(block_on(api.handle(request.body(Bytes::new()).unwrap())).status(), 404);
}

#[test]
fn a_principal_of_the_host_hears_its_name_and_scopes() {
    let mut clerk = Principal::new("clerk", Scopes::NONE).unwrap().with_id("7");
    let said = |principal| -> Value { serde_json::from_slice(get("/1.0.0/key", principal, None).body()).unwrap() };
    assert_eq!(said(Some(clerk.clone())), json!({ "name": "clerk", "scopes": [], "facility": {} }));
    clerk.scopes = [Scope::Admin, Scope::PatientRead].into_iter().collect();
    clerk.expires = Some("2027-01-31T08:15:00Z".parse().unwrap());
    let expires = "2027-01-31T08:15:00.000Z";
    assert_eq!(
        said(Some(clerk)),
        json!({ "name": "clerk", "scopes": ["patient:read", "admin"], "expires": expires, "facility": {} })
    );
    assert_eq!(get("/1.0.0/key", None, Some("any-key")).status(), 401);
}

#[test]
fn the_document_describes_the_scheme_of_the_host() {
    let document: Value = serde_json::from_str(&api().openapi()).unwrap();
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    assert_eq!(schemes.keys().collect::<Vec<_>>(), ["host"]);
    assert_eq!((&schemes["host"]["type"], &schemes["host"]["scheme"]), (&"http".into(), &"bearer".into()));
    let patient = &document["paths"]["/patient/{patientId}"]["get"];
    assert_eq!(patient["security"][0]["host"][0], "patient:read");
}

#[test]
fn a_route_of_the_host_refuses_as_the_service_does() {
    let head = |accept: &str| Request::get("/ours").header("accept", accept).body(()).unwrap().into_parts().0;
    let answer = api().problem(head("application/xml"), Error::NotFound(RecordKind::Patient));
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["content-type"]),
        (404, &"application/problem+xml".parse().unwrap())
    );
    assert!(answer.headers().contains_key("x-request-id"));
    let answer = api().problem(head("*/*"), Error::field("age", "must be 0 to 150"));
    let problem: Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!((answer.status().as_u16(), &problem["errors"][0]["field"]), (422, &"age".into()));
}

#[test]
fn a_header_of_the_host_is_on_every_answer() {
    let api = api().with_header(HeaderName::from_static("x-remark"), HeaderValue::from_static("invented"));
    for (method, path) in [("GET", "/1.0.0/patient/7"), ("OPTIONS", "/1.0.0/patient"), ("GET", "/1.0.0/openapi.json")] {
        let request = Request::builder().method(method).uri(path).body(Bytes::new()).unwrap();
        let answer = block_on(api.handle(request));
        assert_eq!(answer.headers().get("x-remark"), Some(&HeaderValue::from_static("invented")), "{method} {path}");
    }
}
