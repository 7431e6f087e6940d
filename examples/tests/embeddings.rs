//! Runs the examples as programs.

use care_testkit::{Server, example, get};

#[test]
fn webhooks_sends_what_an_endpoint_asks_for_and_no_name() {
    let output = example("webhooks").unwrap().output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r#"-1 {"type":"patient.registered","#), "{text}");
    assert!(text.contains(r#"-3 {"type":"prescription.made","#), "{text}");
    assert!(!text.contains("medicine.added") && !text.contains("Ada"), "{text}");
}

#[test]
fn actix_app_serves_the_service() {
    let server = Server::start(&mut example("actix_app").unwrap()).unwrap();
    let asked = |header: &str| get(server.address, "/care/1.0.0/patient/1", header).unwrap();
    let patient = asked("api_key: example-key\r\n");
    assert!(patient.starts_with("HTTP/1.1 200 OK\r\n") && patient.contains(r#""name":"Ada Example""#), "{patient}");
    assert!(asked("").starts_with("HTTP/1.1 401 "));
}
