//! The servers print nothing about patients, clients or keys, even at the most verbose log level.

use care_testkit::{RawRequest, sent};
use tempfile::tempdir;

use crate::process::{Bin, started};

/// A text that every submitted value contains. Numbers have a canary of their own.
const CANARY: &str = "canary";
const NUMBER: &str = "440987123";

fn said(method: &'static str, path: &str, body: &str) -> RawRequest {
    sent(method, &format!("/1.0.0{path}")).body(body)
}

/// Returns requests with a canary in each place that a client controls.
fn requests() -> Vec<RawRequest> {
    let patient = format!(
        r#"{{"patientId":1,"name":"canary name","age":36,"gender":"canary gender","address":"canary address",
            "phone":{NUMBER},"email":"canary@example.org","location":"canary location"}}"#
    );
    let consultation = r#"{"patientId":1,"diseases":["canary disease"],
        "prescriptions":[{"medicine":"canary medicine","dosage":"canary dosage","price":3,"currency":"EUR"}]}"#;
    let xml = |body: &str| sent("PUT", "/1.0.0/patient").header("Content-Type", "application/xml").raw_body(body);
    let heads = ["User-Agent", "Cookie", "X-Forwarded-For", "Authorization", "If-None-Match", "Accept", "X-Canary"];
    let mut requests = vec![
        said("POST", "/patient", &patient).header("Idempotency-Key", "canary-key"),
        said("POST", "/patient", &patient).header("Idempotency-Key", "canary-key"),
        said("POST", "/patient", &patient),
        said("POST", "/consultations", consultation),
        said("POST", "/inventory/canary%20medicine", r#"{"dosage":"canary dosage"}"#),
        said("PUT", "/inventory/canary%20medicine", r#"{"medicine":"another canary"}"#),
        said("PUT", "/patient", r#"{"patientId":1,"canary member":1}"#),
        said("PUT", "/patient", r#"{"patientId":1,"age":"canary"}"#),
        said("PUT", "/patient", r#"{"patientId":1,"email":"canary without an at"}"#),
        said("PUT", "/patient", &format!(r#"{{"patientId":1,"phone":-{NUMBER}}}"#)),
        said("PUT", "/patient", r#"{"patientId":1,"name":"canary"#),
        said("PUT", "/patient", r#"{"patientId":1}"#).header("If-Match", "\"canary\""),
        xml("<Patient><patientId>1</patientId><name>canary</name></Patient>"),
        xml("<Patient><patientId>1</patientId><name>canary</nome></Patient>"),
        xml("<canary/>"),
        xml("<!DOCTYPE canary><Patient/>"),
        sent("POST", "/1.0.0/prescriptions/1/invoice"),
        sent("POST", "/1.0.0/invoice/1/payment"),
        sent("GET", "/1.0.0/history/1"),
        sent("GET", &format!("/1.0.0/patient?phone={NUMBER}&name=canary&email=canary@example.org")),
        sent("GET", "/1.0.0/patient?canary=canary"),
        sent("GET", "/1.0.0/journal"),
        sent("GET", "/1.0.0/canary"),
        sent("GET", "/1.0.0/inventory/canary%zz"),
        sent("GET", "/canary/1"),
        sent("CANARY", "/1.0.0/patient/canary"),
        sent("GET", "/1.0.0/patient/1").without_key().header("api_key", "canary-key"),
        sent("DELETE", "/1.0.0/patient/1"),
    ];
    requests.extend(heads.map(|name| sent("GET", "/1.0.0/patient/1").header(name, "canary")));
    requests
}

/// Returns everything that a server prints when it is started with these options and gets all of the requests.
fn printed(bin: Bin, level: &str, format: &str, more: &[&str]) -> String {
    let directory = tempdir().unwrap();
    let mut command = bin.command(directory.path(), &["--api-key", "secret", "--api-key", "canary-of-a-key"]);
    command.args(["--log-format", format]).args(more);
    let server = started(command.env("RUST_LOG", level).env("RUST_BACKTRACE", "1"));
    let answers: Vec<_> = requests().iter().map(|request| server.answer(request).status).collect();
    for status in [200, 201, 400, 401, 404, 405, 409, 412, 422] {
        assert!(answers.contains(&status), "{status} in {answers:?}");
    }
    let mut own = sent("GET", "/1.0.0/patient/1");
    own.headers = vec![("api_key", "canary-of-a-key".to_owned()), ("X-Request-Id", "known".to_owned())];
    assert_eq!(server.answer(&own).status, 404);
    let ended = server.terminate().unwrap();
    format!("{}\n{}", ended.out.join("\n"), ended.log)
}

fn tells_nothing(printed: &str) {
    let told: Vec<_> = printed
        .lines()
        .filter(|line| {
            let line = line.to_lowercase();
            line.contains(CANARY) || line.contains(NUMBER)
        })
        .collect();
    assert!(told.is_empty(), "{told:#?}");
}

on_both! {
    fn nothing_that_was_sent_is_printed(bin: Bin) {
        let printed = printed(bin, "trace", "text", &[]);
        // The output does contain what an operator needs.
        let line = printed.lines().find(|line| line.contains("request_id=\"known\"")).unwrap();
        for part in ["operation=\"getPatient\"", "actor=\"key-2\"", "status=404", "micros=", "refused"] {
            assert!(line.contains(part), "{line}");
        }
        assert!(printed.contains("answered") && printed.contains("operation=\"addPatient\""));
        tells_nothing(&printed);
    }

    fn nothing_that_was_sent_is_printed_at_any_level(bin: Bin) {
        for level in ["error", "warn", "info", "debug", "trace"] {
            let printed = printed(bin, level, "json", &["--request-log", "all"]);
            assert!(printed.contains("\"request_id\":\"known\""), "{level}: {printed}");
            tells_nothing(&printed);
        }
    }
}
