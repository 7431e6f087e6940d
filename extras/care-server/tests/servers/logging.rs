//! The log: its formats, the requests that it covers, and the content of its lines.

use care_testkit::sent;
use serde_json::Value;
use tempfile::tempdir;

use crate::process::{Bin, started};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Returns the log of a server after requests for an existing and an absent patient, and one without a key.
fn log(bin: Bin, args: &[&str]) -> String {
    let directory = tempdir().unwrap();
    let server = started(bin.command(directory.path(), args).args(["--api-key", "secret"]));
    let asked = |path: &str, id: &str| {
        let mut asked = sent("GET", path).header("traceparent", &format!("00-{TRACE}-00f067aa0ba902b7-01"));
        asked.headers.retain(|(name, _)| *name != "X-Request-Id");
        asked.header("X-Request-Id", id)
    };
    assert_eq!(server.answer(&sent("POST", "/1.0.0/patient").body(r#"{"patientId":1}"#)).status, 201);
    assert_eq!(server.answer(&asked("/1.0.0/patient/1", "found")).status, 200);
    assert_eq!(server.answer(&asked("/1.0.0/patient/2", "missing")).status, 404);
    assert_eq!(server.answer(&asked("/1.0.0/patient/1", "keyless").without_key()).status, 401);
    server.terminate().unwrap().log
}

/// Parses each line as JSON.
fn objects(log: &str) -> Vec<Value> {
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

fn of<'a>(lines: &'a [Value], id: &str) -> Option<&'a Value> {
    lines.iter().find(|line| line["request_id"] == id)
}

on_both! {
    fn each_request_has_a_line_of_json(bin: Bin) {
        let lines = objects(&log(bin, &["--log-format", "json", "--request-log", "all"]));
        let found = of(&lines, "found").unwrap();
        assert_eq!(found["message"], "answered");
        assert_eq!(found["operation"], "getPatient");
        assert_eq!(found["actor"], "key-1");
        assert_eq!(found["status"], 200);
        assert!(found["micros"].as_u64().is_some(), "{found}");
        assert_eq!(found["trace_id"], TRACE);
        assert_eq!(found["parent_id"], "00f067aa0ba902b7");
        assert_eq!(found["target"], "care_core::request");
        assert_eq!(of(&lines, "missing").unwrap()["status"], 404);
        assert_eq!(of(&lines, "keyless").unwrap()["actor"], "-");
        assert!(of(&lines, "the-same").unwrap()["trace_id"].is_null());
    }

    fn unless_told_otherwise_it_speaks_of_refused_requests(bin: Bin) {
        for args in [&["--log-format", "json"][..], &["--log-format", "json", "--request-log", "refused"]] {
            let lines = objects(&log(bin, args));
            assert!(of(&lines, "missing").is_some() && of(&lines, "found").is_none(), "{lines:#?}");
            assert!(lines.iter().any(|line| line["unauthorized"] == 1), "{lines:#?}");
        }
    }

    fn lines_of_requests_can_be_switched_off(bin: Bin) {
        let lines = objects(&log(bin, &["--log-format", "json", "--request-log", "none"]));
        assert!(lines.iter().all(|line| line["target"] != "care_core::request"), "{lines:#?}");
        assert!(lines.iter().any(|line| line["message"] == "told to stop"), "{lines:#?}");
    }
}
