//! The examples, as programs. `cargo test -p care-core` builds them too; `--test examples` alone does not.

#![allow(clippy::unwrap_used, reason = "a test's expectations")]

use care_testkit::example;

/// Returns the text that an example prints.
fn printed(name: &str) -> String {
    let output = example(name).unwrap().output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn embed_tells_a_visit_from_the_prescription_to_the_history() {
    let text = printed("embed");
    assert!(text.contains(r#""companyaddress":"1 Sample Street, Sampleton""#), "{text}");
    assert!(text.contains(r#""history":[{"disease1":"migraine"}],"visits":1"#), "{text}");
    assert!(text.contains("addConsultation by Dr Sample"), "{text}");
}

#[test]
fn erase_on_memory_leaves_the_books_and_no_name() {
    let text = printed("erase_on_memory");
    assert!(!text.contains("before: 0 texts") && text.contains("after: 0 texts name her"), "{text}");
    assert!(text.contains("invoice 1 is still of Ibuprofen 400"), "{text}");
    assert!(text.contains("5 entries still make"), "{text}");
}

#[cfg(feature = "openapi")]
#[test]
fn one_document_holds_the_operations_of_both() {
    let document: serde_json::Value = serde_json::from_str(&printed("one_document")).unwrap();
    assert!(document["paths"]["/health"]["get"].is_object());
    let patient = &document["paths"]["/1.0.0/patient/{patientId}"]["get"];
    assert_eq!(patient["operationId"], "getPatient");
    assert_eq!(patient["security"][0]["host"][0], "patient:read");
    assert!(document["components"]["schemas"]["Patient"].is_object());
    assert_eq!(document["components"]["securitySchemes"]["host"]["description"], "The token of a login");
}

#[cfg(feature = "tower")]
#[test]
fn axum_app_serves_the_service() {
    let server = care_testkit::Server::start(&mut example("axum_app").unwrap()).unwrap();
    let asked = |path: &str, header: &str| care_testkit::get(server.address, path, header).unwrap();
    let patient = asked("/care/1.0.0/patient/1", "api_key: example-key\r\n");
    assert!(patient.starts_with("HTTP/1.1 200 OK\r\n") && patient.contains(r#""name":"Ada Example""#), "{patient}");
    assert!(asked("/care/1.0.0/patient/1", "").starts_with("HTTP/1.1 401 "));
    assert!(asked("/health", "").ends_with("fine\n"));
}
