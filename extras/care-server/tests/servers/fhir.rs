//! FHIR as a server delivers it: the same suite on both.

use care_testkit::{Answer, RawRequest, Server, sent};
use tempfile::tempdir;

use crate::process::{Bin, admin};

fn get(path: &str) -> RawRequest {
    sent("GET", &format!("/1.0.0/fhir/{path}"))
}

/// Registers a patient with a prescription.
fn fill(server: &Server) {
    let patient = sent("POST", "/1.0.0/patient").body(r#"{"patientId": 7, "name": "Ada Example", "weight": 61.5}"#);
    assert_eq!(server.answer(&patient).status, 201);
    let prescription = sent("POST", "/1.0.0/prescriptions").body(r#"{"patientId": 7, "medicine": "Ibuprofen 400"}"#);
    assert_eq!(server.answer(&prescription).status, 201);
}

/// Returns what must not differ between servers.
fn shown(answer: Answer) -> (u16, Vec<(String, String)>, String) {
    let mut headers = answer.headers;
    headers.retain(|(name, _)| !matches!(name.as_str(), "date" | "server"));
    headers.sort();
    (answer.status, headers, answer.body)
}

on_both! {
    fn resources_are_served_to_those_who_ask_for_them(bin: Bin) {
        let directory = tempdir().unwrap();
        let uri = ["--in-memory", "--fhir", "--facility-uri", "https://clinic.example"];
        let server = bin.start(directory.path(), &uri);
        fill(&server);
        let patient = server.answer(&get("Patient/7"));
        let form = Some("application/fhir+json; charset=utf-8");
        assert_eq!((patient.status, patient.header("content-type")), (200, form));
        assert!(patient.body.starts_with(r#"{"resourceType":"Patient","id":"7","meta":{"versionId":""#), "{patient:?}");
        assert!(patient.body.contains(r#""system":"https://clinic.example/patient","value":"7""#), "{patient:?}");
        let tag = patient.header("etag").unwrap();
        assert!(tag.starts_with("W/\"") && patient.header("last-modified").is_some(), "{patient:?}");
        let again = server.answer(&get("Patient/7").header("If-None-Match", tag));
        assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", Some(tag)));
        let xml = server.answer(&get("Observation/7-weight?_format=xml"));
        assert!(xml.status == 200 && xml.body.contains(r#"<value value="61.5"/>"#), "{xml:?}");
        let bearer = get("MedicationRequest/1").without_key().header("Authorization", "Bearer secret");
        assert_eq!(server.answer(&bearer).status, 200);
        let head = server.answer(&RawRequest { method: "HEAD", ..get("Encounter/1") });
        assert_eq!((head.status, head.body.as_str()), (200, ""));
        assert_ne!(head.header("content-length"), Some("0"));
    }

    fn a_public_url_is_that_of_the_statement(bin: Bin) {
        let directory = tempdir().unwrap();
        let url = ["--in-memory", "--fhir", "--public-url", "https://clinic.example/care/1.0.0"];
        let server = bin.start(directory.path(), &url);
        let statement = server.answer(&get("metadata").without_key());
        assert_eq!(statement.status, 200);
        assert!(statement.body.contains(r#""url":"https://clinic.example/care/1.0.0/fhir""#), "{statement:?}");
        for bad in ["clinic.example", "https://", "https://user@clinic.example", "ftp://clinic.example", "https://a/"] {
            let ended = bin.refuses(directory.path(), &["--in-memory", "--fhir", "--public-url", bad]);
            assert!(ended.log.contains("--public-url is not an address"), "{bad}: {ended:?}");
        }
    }

    fn a_facility_uri_that_is_none_names_its_option(bin: Bin) {
        let directory = tempdir().unwrap();
        for bad in ["clinic", "https://clinic.example/", "https://a b", "https://", "/x"] {
            let ended = bin.refuses(directory.path(), &["--in-memory", "--fhir", "--facility-uri", bad]);
            assert!(ended.log.contains("--facility-uri"), "{bad}: {ended:?}");
            assert!(ended.log.contains("must be an absolute URI without a slash at the end"), "{bad}: {ended:?}");
        }
    }

    fn nothing_of_it_is_there_unless_asked_for(bin: Bin) {
        let directory = tempdir().unwrap();
        for args in [&["--in-memory"][..], &["--in-memory", "--fhir", "--contract-only"]] {
            let server = bin.start(directory.path(), args);
            let statement = server.answer(&get("metadata"));
            assert_eq!((statement.status, statement.header("content-type")), (404, Some("application/problem+json")));
            assert_eq!(server.answer(&get("metadata").without_key()).status, 401);
        }
    }
}

#[test]
fn both_servers_answer_alike() {
    let directory = tempdir().unwrap();
    let servers = [Bin::POEM, Bin::ROCKET].map(|bin| bin.start(directory.path(), &["--in-memory", "--fhir"]));
    let mut requests = vec![
        get("metadata").without_key(),
        get("metadata?_format=xml"),
        get("Patient/7"),
        get("Patient/7").without_key(),
        get("Patient/7").header("Authorization", "Bearer secret"),
        get("Patient/7").header("Accept", "application/fhir+xml"),
        get("Patient/7").header("Accept", "image/png"),
        get("Patient/7?x=1"),
        get("Patient/7?x=%ff"),
        get("Patient/%ff"),
        get("Patient"),
        get("Nothing/7"),
        get(""),
        RawRequest { method: "OPTIONS", ..get("Patient/7") },
        RawRequest { method: "DELETE", ..get("Patient/7") },
        RawRequest { method: "HEAD", ..get("metadata") },
    ];
    requests.push(RawRequest { method: "PUT", ..get("Patient/7") }.body("{}"));
    for request in requests {
        let [one, other] = servers.each_ref().map(|server| shown(server.answer(&request)));
        assert_eq!(one, other, "{request:?}");
        assert!(one.0 == 204 || one.1.iter().any(|(_, value)| value.contains("fhir+")), "{request:?}: {one:?}");
    }
}

#[test]
fn a_tag_from_before_a_restore_is_never_current() {
    let directory = tempdir().unwrap();
    let server = Bin::POEM.start(directory.path(), &["--fhir"]);
    fill(&server);
    let paths = ["Patient/7", "MedicationRequest/1", "Encounter/1", "Observation/7-weight"];
    let tags = paths.map(|path| server.answer(&get(path)).header("etag").unwrap().to_owned());
    assert!(server.terminate().unwrap().status.success());
    for args in [&["backup", "kept.db"][..], &["restore", "kept.db", "--overwrite"]] {
        let done = admin(directory.path(), args);
        assert!(done.status.success(), "{done:?}");
    }
    let server = Bin::POEM.start(directory.path(), &["--fhir"]);
    for (path, tag) in paths.iter().zip(&tags) {
        let answer = server.answer(&get(path).header("If-None-Match", tag));
        assert_eq!(answer.status, 200, "{path}");
        let now = answer.header("etag").unwrap();
        assert_eq!(server.answer(&get(path).header("If-None-Match", now)).status, 304, "{path}");
    }
}
