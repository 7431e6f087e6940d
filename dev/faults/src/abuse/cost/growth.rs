//! A patient with hundreds of full visits: how fast the file grows with what is sent, and what a page of it costs.

use std::path::Path;

use super::requests::{memory, pages};
use crate::{Answer, Failure, Finding, Inside, Place, Request, Run, Server, ask, bodies, mib};

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
pub(crate) fn growth(run: &Run) -> Result<Vec<Finding>, Failure> {
    let place = Place::new()?;
    let flow = fill(&place.database(), run.sizes.flows)?;
    let what = format!(
        "one patient with every field full, and {} visits of {PRESCRIPTIONS} prescriptions whose dosage and medicine \
         are as long as they may be, each billed and paid",
        run.sizes.flows
    );
    let each = flow.grown as f64 / flow.sent as f64;
    let (sent, grown) = (mib(flow.sent), mib(flow.grown));
    let found = format!("{sent:.0} MiB sent, {grown:.0} MiB written: {each:.1} bytes for each byte sent");
    let mut finding = Finding::of(what, format!("{} requests", flow.requests)).found(found);
    finding.bar(each <= run.bars.growth, || format!("the file grows by {each:.1} bytes for each byte sent"));
    let mut findings = vec![finding];
    for (what, path) in PAGES {
        let what = format!("{what} of that patient, in JSON and in XML: memory");
        let mut finding = Finding::of(what, "once on each server");
        for (name, program) in &run.programs {
            let server = Server::start(program, &place.database())?;
            let mut wire = server.port();
            // The first request pays for the connection and its thread.
            ask(&mut wire, Request::get(format!("/patient/{PATIENT}")))?;
            let path = if path.ends_with("after=") { format!("{path}{}", flow.last) } else { path.to_owned() };
            let mut most = 0;
            for form in ["application/json", "application/xml"] {
                let request = Request::get(&path).header("Accept", form);
                most = most.max(memory(&server, || ask(&mut wire, request))?.0);
            }
            server.end()?;
            finding.note(name, &format!("{:.1} MiB", mib(most)));
            finding.holds(name, "memory", most, run.bars.memory);
        }
        findings.push(finding);
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
    fn post(&mut self, path: &str, body: &str) -> Result<Answer, Failure> {
        let request = Request::new("POST", path).body(body);
        self.flow.requests += 1;
        self.flow.sent += request.written("secret").len() as u64;
        ask(&mut self.port, request)
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
        for id in visit.document()?["prescriptionIds"].as_array().map_or(&[][..], Vec::as_slice) {
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
