//! The document, requested from the service.

use bytes::Bytes;
use care_core::rest::Limits;
use http::{Method, Request, Response, header};

use crate::clinic::Clinic;

fn ask(clinic: &Clinic, method: Method, headers: &[(&str, &str)]) -> Response<Bytes> {
    let request = Request::builder().method(method).uri("/1.0.0/openapi.json");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    clinic.send(request.body(Bytes::new()).unwrap())
}

#[test]
fn nobody_needs_a_key_for_it() {
    let clinic = Clinic::new();
    for headers in [&[][..], &[("api_key", "unknown")], &[("api_key", "a"), ("api_key", "b")]] {
        let answer = ask(&clinic, Method::GET, headers);
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/json");
        assert_eq!(answer.body(), clinic.api.openapi().as_bytes());
    }
}

#[test]
fn head_and_options_work_and_other_methods_do_not() {
    let clinic = Clinic::new();
    let head = ask(&clinic, Method::HEAD, &[]);
    let length = clinic.api.openapi().len().to_string();
    assert_eq!((head.status().as_u16(), head.body().len()), (200, 0));
    assert_eq!(head.headers()[header::CONTENT_LENGTH], length.as_str());
    let options = ask(&clinic, Method::OPTIONS, &[]);
    assert_eq!(options.status(), 204);
    for method in [Method::PUT, Method::POST, Method::DELETE, Method::PATCH] {
        let answer = ask(&clinic, method, &[]);
        assert_eq!(answer.status(), 405);
        assert_eq!(answer.headers()[header::ALLOW], options.headers()[header::ALLOW]);
    }
    assert_eq!(options.headers()[header::ALLOW], "GET, HEAD, OPTIONS");
}

#[test]
fn it_is_json_only() {
    let clinic = Clinic::new();
    for accept in ["application/json", "*/*", "application/xml, application/json;q=0.1"] {
        let answer = ask(&clinic, Method::GET, &[("accept", accept)]);
        assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/json", "{accept}");
    }
    let refused = ask(&clinic, Method::GET, &[("accept", "application/xml")]);
    assert_eq!(refused.status(), 406);
    assert_eq!(refused.headers()[header::CONTENT_TYPE], "application/problem+xml");
    let detail = str::from_utf8(refused.body()).unwrap();
    assert!(detail.contains("<detail>Accept application/json.</detail>"), "{detail}");
}

#[test]
fn contract_only_it_is_not_there() {
    let Clinic { api } = Clinic::new();
    let clinic = Clinic { api: api.contract_only() };
    assert_eq!(ask(&clinic, Method::GET, &[]).status(), 401);
    assert_eq!(ask(&clinic, Method::GET, &[("api_key", "full")]).status(), 404);
}

#[test]
fn a_later_setting_shows_in_it() {
    let clinic = Clinic::new();
    let before = ask(&clinic, Method::GET, &[]);
    let clinic = Clinic { api: clinic.api.with_limits(Limits::new().with_body(99)) };
    let after = ask(&clinic, Method::GET, &[]);
    assert_ne!(before.body(), after.body());
    assert_eq!(after.body(), clinic.api.openapi().as_bytes());
}
