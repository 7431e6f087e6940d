//! Paths reach the service as they were sent.

use care_testkit::{Wire, sent};

use crate::{
    server::start,
    world::{api, handle},
};

#[test]
fn odd_paths_mean_what_the_service_says() {
    let (server, twin) = (start(api()), api());
    let mut wire = Wire::open(server.address);
    for target in [
        "/1.0.0",
        "/1.0.0/",
        "/1.0.0?x=1",
        "/1.0.0//patient/1",
        "/1.0.0/patient//1",
        "/1.0.0/patient/1/",
        "/1.0.0/%70atient/1",
        "/1.0.0/patient/%31",
        "/1.0.0/patient/%2531",
        "/1.0.0/patient/1?x=%ZZ",
        "/1.0.0/patient/1?",
        "/1.0.0/patient/1;a=b",
        "/1.0.0/patient/%ZZ",
        "/1.0.0/%ZZ",
        "/1.0.0/patient/%FF",
        "/1.0.0/%FF/1",
        "/1.0.0/patient/%00",
        "/1.0.0/patient/..",
        "/1.0.0/./patient/1",
        "/1.0.0/x/../patient/1",
        "/1.0.0/patient/%2e%2e",
        "/1.0.0/inventory/Ibuprofen%20400",
        "/1.0.0/inventory/IBUPROFEN%20%20400",
        "/1.0.0/inventory/Ibuprofen+400",
        "/1.0.0/inventory/Ibuprofen%2F400",
        "/1.0.0/inventory/caf%C3%A9",
        "/1.0.0/inventory/%",
        "/1.0.0/inventory/a%2",
        "/1.0.0/inventory/<a>|{b}\"^`\\",
        "/1.0.0/patient?name=Ad&limit=1&limit=2",
        "/1.0.0/patient?name=%FF",
        "/1.0.0/patient?name=A+E",
    ] {
        let sent = sent("GET", target);
        if sent.target.parse::<http::Uri>().is_err() {
            // The HTTP library refuses this one before the service sees it.
            continue;
        }
        assert_eq!(sent.over(&mut wire), handle(&twin, &sent), "{target}");
    }
}

#[test]
fn a_slash_in_a_name_is_part_of_it() {
    let server = start(api());
    let mut wire = Wire::open(server.address);
    let target = "/1.0.0/inventory/a%2Fb";
    let added = sent("POST", target).body("{}").over(&mut wire);
    assert_eq!(added.status, 200, "{added:?}");
    let read = sent("GET", target).over(&mut wire);
    assert!(read.body.contains(r#""medicine":"a/b""#), "{read:?}");
}

#[test]
fn a_whole_uri_is_taken_for_its_path() {
    let (server, twin) = (start(api()), api());
    let sent = sent("GET", "http://elsewhere.example/1.0.0/patient/1");
    let answer = sent.over(&mut Wire::open(server.address));
    assert_eq!(answer.status, 200);
    assert_eq!(answer, handle(&twin, &sent));
}
