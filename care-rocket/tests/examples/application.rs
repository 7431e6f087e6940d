//! The behaviour of a program with routes of its own beside the service, in either framework.

use care_testkit::{Server, example, get};

/// Proves it of an example.
pub(crate) fn serves(example_name: &str) {
    let server = Server::start(&mut example(example_name).unwrap()).unwrap();
    let asked = |path: &str, header: &str| get(server.address, path, header).unwrap();
    let key = "api_key: example-key\r\n";
    let patient = asked("/care/1.0.0/patient/1", key);
    assert!(patient.starts_with("HTTP/1.1 200 OK\r\n"), "{patient}");
    assert!(patient.contains(r#""name":"Ada Example""#), "{patient}");
    assert!(asked("/care/1.0.0/patient/1", "").starts_with("HTTP/1.1 401 "));
    let nothing = asked("/care/1.0.0/", key);
    assert!(nothing.starts_with("HTTP/1.1 404 "), "{nothing}");
    assert!(nothing.contains("application/problem+json"), "{nothing}");
    let waiting = asked("/waiting", "");
    assert!(waiting.starts_with("HTTP/1.1 200 OK\r\n"), "{waiting}");
    assert!(waiting.ends_with("1 invoices wait for payment\n"), "{waiting}");
    for path in ["/waiting", "/care/1.0.0/patient/1"] {
        let answer = asked(path, key).to_ascii_lowercase();
        assert!(answer.contains("x-application: example\r\n"), "{answer}");
    }
}
