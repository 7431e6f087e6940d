//! Runs the embeddings as programs.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use care_testkit::{Server, example, get};

fn start(name: &str) -> Server {
    Server::start(&mut example(name).unwrap()).unwrap()
}

/// Returns the text that an example prints.
fn printed(name: &str) -> String {
    let output = example(name).unwrap().output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the whole answer to a GET.
fn asked(server: &Server, path: &str, header: &str) -> String {
    get(server.address, path, header).unwrap()
}

/// Tests the service in an embedding.
fn serves_the_service(server: &Server) {
    let key = "api_key: example-key\r\n";
    let patient = asked(server, "/care/1.0.0/patient/1", key);
    assert!(patient.starts_with("HTTP/1.1 200 OK\r\n"), "{patient}");
    assert!(patient.contains(r#""name":"Ada Example""#), "{patient}");
    let nobody = asked(server, "/care/1.0.0/patient/1", "");
    assert!(nobody.starts_with("HTTP/1.1 401 "), "{nobody}");
    let nothing = asked(server, "/care/1.0.0/", key);
    assert!(nothing.starts_with("HTTP/1.1 404 "), "{nothing}");
    assert!(nothing.contains("application/problem+json"), "{nothing}");
}

fn is_an_application_of_its_own(server: &Server) {
    let waiting = asked(server, "/waiting", "");
    assert!(waiting.starts_with("HTTP/1.1 200 OK\r\n"), "{waiting}");
    assert!(waiting.ends_with("invoices wait for payment\n"), "{waiting}");
    for path in ["/waiting", "/care/1.0.0/patient/1"] {
        let answer = asked(server, path, "api_key: example-key\r\n").to_ascii_lowercase();
        assert!(answer.contains("x-application: example\r\n"), "{answer}");
    }
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

#[test]
fn webhooks_sends_what_an_endpoint_asks_for_and_no_name() {
    let text = printed("webhooks");
    assert!(text.contains(r#"-1 {"type":"patient.registered","#), "{text}");
    assert!(text.contains(r#"-3 {"type":"prescription.made","#), "{text}");
    assert!(!text.contains("medicine.added") && !text.contains("Ada"), "{text}");
}

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

#[test]
fn readers_of_documents_read_the_parameters_of_each_operation() {
    let api = care_core::Api::new(care_core::CareService::new(care_core::MemoryStore::new()));
    let document: serde_json::Value = serde_json::from_str(&api.openapi()).unwrap();
    let of_utoipa: utoipa::openapi::OpenApi = serde_json::from_value(document.clone()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(of_utoipa.paths.paths.len(), paths.len());
    for operation in paths.values().flat_map(|path| path.as_object().unwrap().values()) {
        let parameters = operation["parameters"].clone();
        let of_openapiv3: Vec<openapiv3::ReferenceOr<openapiv3::Parameter>> =
            serde_json::from_value(parameters).unwrap();
        for parameter in operation["parameters"].as_array().unwrap() {
            assert!(parameter["required"].is_boolean(), "{parameter}");
        }
        assert!(of_openapiv3.iter().all(|parameter| parameter.as_item().is_some()), "{}", operation["operationId"]);
    }
}

#[test]
fn actix_app_serves_the_service() {
    serves_the_service(&start("actix_app"));
}

#[test]
fn axum_app_serves_the_service() {
    let server = start("axum_app");
    serves_the_service(&server);
    assert!(asked(&server, "/health", "").ends_with("fine\n"));
}

#[test]
fn poem_app_serves_the_service_beside_its_own() {
    let server = start("poem_app");
    serves_the_service(&server);
    is_an_application_of_its_own(&server);
}

#[test]
fn rocket_app_serves_the_service_beside_its_own() {
    let server = start("rocket_app");
    serves_the_service(&server);
    is_an_application_of_its_own(&server);
}
