//! Prints the service's XML answers to records that are hard to write in XML, each after its length, as input for
//! another parser than ours.
//!
//! ```sh
//! cargo run -p care-conformance --example xml_answers
//! ```

use std::io::{self, Write};

use bytes::Bytes;
use care_conformance::samples;
use care_core::{
    keys::{KeyRing, Scopes},
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use futures_executor::block_on;
use http::Request;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let care = CareService::new(MemoryStore::new());
    let api = Api::new(care).with_keys(KeyRing::new().with_key("a key", "examples", Scopes::ALL));
    let mut out = io::stdout().lock();
    let mut ask = |method: &str, path: &str, body: &serde_json::Value| -> Result<u16, Box<dyn std::error::Error>> {
        let request = Request::builder().method(method).uri(format!("/1.0.0{path}")).header("api_key", "a key");
        let request = request.header("accept", "application/xml").header("content-type", "application/json");
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let answer = block_on(api.handle(request.body(body)?));
        writeln!(out, "{}", answer.body().len())?;
        out.write_all(answer.body())?;
        Ok(answer.status().as_u16())
    };
    let mut number = 0;
    let mut accepted = 0;
    for text in texts() {
        number += 1;
        let patient = serde_json::json!({ "patientId": number, "gender": text, "address": text, "location": text });
        let visit = serde_json::json!({
            "patientId": number, "diseases": [format!("x{text}")],
            "prescriptions": [{ "medicine": format!("m {number}"), "dosage": text, "price": 1 }],
        });
        accepted += usize::from(ask("POST", "/patient", &patient)? == 201);
        ask("POST", "/consultations", &visit)?;
        ask("POST", &format!("/inventory/m%20{number}"), &serde_json::json!({ "dosage": text }))?;
        let nothing = serde_json::Value::Null;
        for (method, path) in [
            ("POST", format!("/prescriptions/{number}/invoice")),
            ("POST", format!("/invoice/{number}/payment")),
            ("GET", format!("/invoice/{number}")),
            ("GET", format!("/patient/{number}")),
            ("GET", format!("/history/{number}")),
            ("GET", format!("/consultations/{number}")),
            ("GET", format!("/inventory/m%20{number}")),
        ] {
            ask(method, &path, &nothing)?;
        }
    }
    for path in
        ["/patient?limit=500", "/prescriptions", "/invoice", "/inventory", "/restock", "/journal?limit=500", "/x"]
    {
        ask("GET", path, &serde_json::Value::Null)?;
    }
    eprintln!("{accepted} of {number} texts were accepted");
    Ok(())
}

/// Returns the sample texts, and every character of the first plane in blocks, including forbidden ones.
fn texts() -> Vec<String> {
    let block = |start: u32| (start..start + 128).filter_map(char::from_u32).collect::<String>();
    let planes = (0..0x1_0000).step_by(128).map(block);
    // The same blocks without forbidden characters, so that they are accepted.
    let allowed = (0..0x1_0000).step_by(128).map(|start| {
        let is_allowed = |c: &char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
        block(start).chars().filter(is_allowed).collect()
    });
    samples::texts().into_iter().chain(planes).chain(allowed).filter(|text| !text.is_empty()).collect()
}
