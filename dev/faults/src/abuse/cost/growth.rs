//! A patient with hundreds of full visits: how fast the file grows with what is sent, and what a page of it costs.

use std::path::Path;

use super::{
    bodies,
    requests::{memory, note, pages},
};
use crate::{
    abuse::{Bars, Sizes},
    base::{
        attempt::{Port, Request},
        failure::Failure,
        finding::Finding,
        inside::Inside,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    runs::power::in_memory,
    work::clients::ask,
};

/// The patient of the visits.
const PATIENT: u64 = 1;
/// Prescriptions of each visit.
const PRESCRIPTIONS: u64 = 30;
/// Diseases of each visit, each as long as it may be.
const DISEASES: u64 = 3;

/// The pages that are read, with their names.
const PAGES: [(&str, &str); 6] = [
    ("`GET /journal`", "/journal"),
    ("`GET /journal?limit=500`", "/journal?limit=500"),
    ("the last page of the journal", "/journal?limit=500&after="),
    ("`GET /invoice?limit=500`", "/invoice?limit=500"),
    ("`GET /prescriptions?limit=500`", "/prescriptions?limit=500"),
    ("`GET /history/1`", "/history/1"),
];

/// Goes through the whole flow with one patient hundreds of times, and then reads the result on both servers.
///
/// # Errors
/// The measurement that failed. Bars that are missed are in the findings.
pub fn growth(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let folder = in_memory()?;
    let database = folder.path().join("care.db");
    let flow = fill(&database, sizes.flows)?;
    let what = format!(
        "one patient with every field full, and {} visits of {PRESCRIPTIONS} prescriptions whose dosage and medicine \
         are as long as they may be, each billed and paid",
        sizes.flows
    );
    let mut grown = Finding::of(what, format!("{} requests", flow.requests));
    let each = flow.grown as f64 / flow.sent as f64;
    let [sent, length] = [flow.sent, flow.grown].map(|bytes| bytes as f64 / f64::from(1 << 20));
    grown.found = format!("{sent:.0} MiB sent, {length:.0} MiB written: {each:.1} bytes for each byte sent");
    grown.bar(each <= bars.growth, || format!("the file grows by {each:.1} bytes for each byte sent"));

    let mut findings = vec![grown];
    for (what, path) in PAGES {
        findings
            .push(Finding::of(format!("{what} of that patient, in JSON and in XML: memory"), "once on each server"));
        for (name, program) in programs {
            let server = Server::start(program, &database)?;
            let mut wire = Wire::new(server.address);
            // The first request pays for the connection and its thread.
            ask(&mut wire, Request::new("GET", format!("/patient/{PATIENT}")))?;
            let path = if path.ends_with("after=") { format!("{path}{}", flow.last) } else { path.to_owned() };
            let taken = ["application/json", "application/xml"].map(|form| {
                let request = Request::new("GET", &path).header("Accept", form);
                memory(&server, || ask(&mut wire, request).map(drop))
            });
            let [json, xml] = taken;
            let most = json?.max(xml?);
            server.end()?;
            if let Some(finding) = findings.last_mut() {
                note(finding, name, &format!("{:.1} MiB", most as f64 / f64::from(1 << 20)));
                finding.bar(most <= bars.memory, || format!("{name}: {most} bytes"));
            }
        }
    }
    Ok(findings)
}

/// The bytes that the flow has sent and written.
#[derive(Debug, Clone, Copy, Default)]
struct Flow {
    requests: u64,
    sent: u64,
    grown: u64,
    /// The entry one page before the last.
    last: u64,
}

/// A client that counts what it would send over a socket.
struct Counting {
    port: Inside,
    flow: Flow,
}

impl Counting {
    fn post(&mut self, path: &str, body: &str) -> Result<String, Failure> {
        let request = Request::new("POST", path).body(body);
        self.flow.requests += 1;
        self.flow.sent += Wire::written(&request).len() as u64;
        Ok(ask(&mut self.port as &mut dyn Port, request)?.body)
    }
}

fn fill(database: &Path, visits: u64) -> Result<Flow, Failure> {
    let mut client = Counting { port: Inside::open(database)?, flow: Flow::default() };
    let before = pages(database)?;
    client.post("/patient", &bodies::patient(PATIENT))?;
    let mut invoice = 0;
    for visit in 0..visits {
        let visit =
            client.post("/consultations", &bodies::full_consultation(PATIENT, visit, PRESCRIPTIONS, DISEASES))?;
        let visit: serde_json::Value = serde_json::from_str(&visit).unwrap_or_default();
        for id in visit["prescriptionIds"].as_array().map_or(&[][..], Vec::as_slice) {
            client.post(&format!("/prescriptions/{id}/invoice"), "{}")?;
            invoice += 1;
            client.post(&format!("/invoice/{invoice}/payment"), "{}")?;
        }
    }
    let grown = pages(database)?.saturating_sub(before);
    // One entry for the registration, one for each visit, and two for each prescription.
    let entries = 1 + visits * (1 + 2 * PRESCRIPTIONS);
    Ok(Flow { grown, last: entries.saturating_sub(500), ..client.flow })
}
