//! The host's own principals and routes.

use bytes::Bytes;
use care_core::{
    error::{Error, Kind},
    keys::{Principal, Scope, Scopes},
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use futures_executor::block_on;
use http::{Request, Response};
use serde_json::{Value, json};

fn api() -> Api {
    Api::new(CareService::new(MemoryStore::new())).with_host_principals("Bearer")
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
    let clerk = |scopes: Scopes| Some(Principal { name: "clerk".into(), id: "clerk".into(), scopes, expires: None });
    assert_eq!(ask(clerk([Scope::PatientRead].into_iter().collect()), None).status(), 404);
    assert_eq!(ask(clerk([Scope::PatientWrite].into_iter().collect()), None).status(), 403);
    for key in [None, Some("any-key")] {
        let refused = ask(None, key);
        assert_eq!(refused.status(), 401);
        assert_eq!(refused.headers()["www-authenticate"], "Bearer");
    }
}

#[test]
fn a_principal_of_the_host_hears_its_name_and_scopes() {
    let mut clerk = Principal { name: "clerk".into(), id: "7".into(), scopes: Scopes::NONE, expires: None };
    let said = |principal| -> Value { serde_json::from_slice(get("/1.0.0/key", principal, None).body()).unwrap() };
    assert_eq!(said(Some(clerk.clone())), json!({ "name": "clerk", "scopes": [] }));
    clerk.scopes = [Scope::Admin, Scope::PatientRead].into_iter().collect();
    clerk.expires = Some("2027-01-31T08:15:00Z".parse().unwrap());
    assert_eq!(
        said(Some(clerk)),
        json!({ "name": "clerk", "scopes": ["patient:read", "admin"], "expires": "2027-01-31T08:15:00.000Z" })
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
    let answer = api().problem(head("application/xml"), Error::NotFound(Kind::Patient));
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["content-type"]),
        (404, &"application/problem+xml".parse().unwrap())
    );
    assert!(answer.headers().contains_key("x-request-id"));
    let answer = api().problem(head("*/*"), Error::field("age", "must be 0 to 150"));
    let problem: Value = serde_json::from_slice(answer.body()).unwrap();
    assert_eq!((answer.status().as_u16(), &problem["errors"][0]["field"]), (422, &"age".into()));
}
