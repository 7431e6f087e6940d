//! The service beside a host's own routes, catchers and fairings.

use std::path::PathBuf;

use care_testkit::{Wire, sent};
use rocket::{
    Request, Route, catch, catchers,
    fairing::AdHoc,
    get,
    http::{Header, Status},
    post, routes,
};

use crate::{
    server::{host, start_host},
    world::{api, handle},
};

#[get("/health")]
fn health() -> &'static str {
    "fine"
}

#[get("/1.0.0/about")]
fn about() -> &'static str {
    "about"
}

#[get("/1.0.0/sick")]
fn sick() -> Status {
    Status::BadRequest
}

#[post("/1.0.0/notes")]
fn notes() -> &'static str {
    "noted"
}

#[catch(default)]
fn hosts_own(status: Status, _: &Request<'_>) -> String {
    format!("the host says {}", status.code)
}

fn own_routes() -> Vec<Route> {
    routes![health, about, sick, notes]
}

#[test]
fn the_host_keeps_its_routes_and_catchers() {
    // The service ranks behind the host's routes, some of which are below the base path.
    let service = care_rocket::mount(api()).rank(100);
    let host = host().mount("/", own_routes()).register("/", catchers![hosts_own]).attach(service);
    let server = start_host(host);
    let mut wire = Wire::open(server.address);
    for (target, status, body) in [
        ("/health", 200, "fine"),
        ("/1.0.0/about", 200, "about"),
        ("/1.0.0/sick", 400, "the host says 400"),
        ("/nothing", 404, "the host says 404"),
        ("/1.0", 404, "the host says 404"),
        ("/1.0.00/patient/1", 404, "the host says 404"),
    ] {
        let answer = sent("GET", target).over(&mut wire);
        assert_eq!((answer.status, answer.body.as_str()), (status, body), "{target}");
        // Rocket still adds its headers to the host's answers.
        assert_eq!(answer.header("server"), Some("Rocket"), "{target}");
        assert_eq!(answer.header("x-frame-options"), Some("SAMEORIGIN"));
    }
    let ours = sent("GET", "/1.0.0/nothing");
    assert_eq!(ours.over(&mut wire), handle(&api(), &ours));
    // The path belongs to the host, the method only to the service.
    let ours = sent("DELETE", "/1.0.0/about");
    assert_eq!(ours.over(&mut wire), handle(&api(), &ours));
    let unknown = sent("FOO", "/health").over(&mut Wire::open(server.address));
    assert_eq!((unknown.status, unknown.body.as_str()), (400, "the host says 400"));
}

#[test]
fn the_hosts_own_catcher_at_the_base_stays() {
    let service = care_rocket::mount(api()).rank(100);
    let host = host().mount("/", own_routes()).register("/1.0.0", catchers![only_400]).attach(service);
    let server = start_host(host);
    let mut wire = Wire::open(server.address);
    let answer = sent("GET", "/1.0.0/sick").over(&mut wire);
    assert_eq!(answer.body, "only 400");
    let bad = sent("GET", "/1.0.0/patient/one");
    assert_eq!(bad.over(&mut wire), handle(&api(), &bad));
}

#[catch(400)]
fn only_400() -> &'static str {
    "only 400"
}

#[test]
fn what_fairings_add_stays() {
    let host = host().attach(care_rocket::mount(api())).attach(AdHoc::on_response("Trace", |_, response| {
        Box::pin(async move {
            response.set_header(Header::new("X-Trace", "7"));
        })
    }));
    let server = start_host(host);
    let answer = sent("GET", "/1.0.0/patient/1").over(&mut Wire::open(server.address));
    assert_eq!(answer.header("x-trace"), Some("7"));
    assert_eq!(answer.header("server"), None);
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("permissions-policy"), None);
}

#[test]
fn any_base_path_will_do() {
    for base in ["", "/care/1.0.0", "/a_b~c/-"] {
        let api = api().with_base_path(base).unwrap();
        let server = start_host(host().attach(care_rocket::mount(api.clone())));
        let mut wire = Wire::open(server.address);
        for path in ["/patient/1", "/patient/2", "/", "//patient/1", "/patient/%FF"] {
            let sent = sent("GET", &format!("{base}{path}"));
            assert_eq!(sent.over(&mut wire), handle(&api, &sent), "{base}{path}");
        }
        let unknown = sent("FOO", &format!("{base}/patient/1"));
        let answer = unknown.over(&mut Wire::open(server.address));
        assert_eq!(answer, handle(&api, &unknown), "{base}");
    }
}

#[test]
fn everywhere_means_outside_the_base_too() {
    let server = start_host(host().attach(care_rocket::mount(api()).everywhere()));
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

#[get("/<path..>")]
fn fallback(path: PathBuf) -> String {
    format!("no {}", path.display())
}

#[test]
fn everything_below_the_base_path_is_the_services() {
    for service in [care_rocket::mount(api()), care_rocket::mount(api()).everywhere()] {
        let host = host().mount("/", own_routes()).mount("/", routes![fallback]).attach(service);
        let server = start_host(host);
        let mut wire = Wire::open(server.address);
        for target in ["/1.0.0/patient/1", "/1.0.0/about", "/1.0.0/nothing", "/1.0.0", "/1.0.0/"] {
            let sent = sent("GET", target);
            assert_eq!(sent.over(&mut wire), handle(&api(), &sent), "{target}");
        }
        for (target, body) in [("/health", "fine"), ("/other", "no other"), ("/1.0", "no 1.0")] {
            assert_eq!(sent("GET", target).over(&mut wire).body, body, "{target}");
        }
    }
}
