//! The service beside a host's own routes and middleware.

use std::time::{Duration, Instant};

use care_testkit::{Wire, sent};
use poem::{EndpointExt, Route, handler, http::StatusCode, middleware::SetHeader};
use tokio::time::sleep;

use crate::{
    server::start_host,
    world::{api, handle},
};

#[handler]
fn health() -> &'static str {
    "fine"
}

#[handler]
fn about() -> &'static str {
    "about"
}

fn own_routes() -> Route {
    Route::new().at("/health", health).at("/1.0.0/about", about)
}

#[test]
fn the_host_keeps_its_routes_and_middleware() {
    let host = care_poem::endpoint(api())
        .mount(own_routes())
        .catch_all_error(|_| async { (StatusCode::NOT_FOUND, "the host says 404") })
        .with(SetHeader::new().overriding("X-Trace", "7"));
    let server = start_host(host);
    let mut wire = Wire::open(server.address);
    for (target, status, body) in [
        ("/health", 200, "fine"),
        ("/1.0.0/about", 200, "about"),
        ("/nothing", 404, "the host says 404"),
        ("/1.0", 404, "the host says 404"),
        ("/1.0.00/patient/1", 404, "the host says 404"),
        ("//1.0.0/patient/1", 404, "the host says 404"),
    ] {
        let answer = sent("GET", target).over(&mut wire);
        assert_eq!((answer.status, answer.body.as_str()), (status, body), "{target}");
        assert_eq!(answer.header("x-trace"), Some("7"), "{target}");
    }
    let ours = sent("GET", "/1.0.0/nothing");
    let mut answer = ours.over(&mut wire);
    assert_eq!(answer.header("x-trace"), Some("7"));
    answer.headers.retain(|(name, _)| name != "x-trace");
    assert_eq!(answer, handle(&api(), &ours));
}

#[test]
fn any_base_path_will_do() {
    for base in ["", "/care/1.0.0", "/a_b~c/-"] {
        let api = api().with_base_path(base).unwrap();
        let host = care_poem::endpoint(api.clone()).mount(Route::new().at("/health", health));
        let server = start_host(host);
        let mut wire = Wire::open(server.address);
        for path in ["/patient/1", "/patient/2", "/", "//patient/1", "/patient/%FF"] {
            let sent = sent("GET", &format!("{base}{path}"));
            assert_eq!(sent.over(&mut wire), handle(&api, &sent), "{base}{path}");
        }
        assert_eq!(sent("GET", "/health").over(&mut wire).body, "fine");
    }
}

#[test]
fn below_a_nest_it_answers_with_the_same_paths() {
    let api = api().with_base_path("/care/1.0.0").unwrap();
    for nest in ["/care/1.0.0", "/care"] {
        let host = Route::new().at("/health", health).nest(nest, care_poem::endpoint(api.clone()));
        let server = start_host(host);
        let mut wire = Wire::open(server.address);
        for path in ["/patient/1", "/patient/2?x=y", "/patient?limit=1", "/", "//patient/1", "/inventory/a%2Fb"] {
            let sent = sent("GET", &format!("/care/1.0.0{path}"));
            assert_eq!(sent.over(&mut wire), handle(&api, &sent), "{nest} {path}");
        }
        let new = sent("POST", "/care/1.0.0/patient").body("{}").over(&mut wire);
        assert!(new.header("location").unwrap().starts_with("/care/1.0.0/patient/"), "{new:?}");
        assert_eq!(sent("GET", "/health").over(&mut wire).body, "fine");
    }
}

#[test]
fn without_a_route_it_answers_everywhere() {
    let server = start_host(care_poem::endpoint(api()));
    for method in ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "FOO"] {
        for target in ["/", "/health", "//1.0.0/patient/1", "/1.0", "/%FF", "/1.0.0/patient/1"] {
            let sent = sent(method, target);
            let answer = sent.over(&mut Wire::open(server.address));
            assert_eq!(answer, handle(&api(), &sent), "{sent:?}");
            let keyless = sent.without_key();
            let answer = keyless.over(&mut Wire::open(server.address));
            assert_eq!(answer, handle(&api(), &keyless), "{keyless:?}");
        }
    }
}

#[test]
fn a_slow_body_is_given_up_when_the_server_ends() {
    let ending = async { sleep(Duration::from_millis(500)).await };
    let server = start_host(care_poem::endpoint(api()).give_up_after(ending));
    let begun = Instant::now();
    let mut wire = Wire::open(server.address);
    wire.send(sent("PUT", "/1.0.0/patient").body("{}").head());
    assert_eq!(wire.answer().status, 408);
    assert!(begun.elapsed() < Duration::from_secs(10));
    // A request whose body is complete is still answered.
    let whole = sent("PUT", "/1.0.0/patient").body(r#"{"patientId": 1}"#);
    assert_eq!(whole.over(&mut Wire::open(server.address)).status, 200);
}
