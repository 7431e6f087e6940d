//! The growth of the file when requests change a part of something long: a shelf of 64 lots, the intervals of a
//! medicine, the prescriptions of a patient; and when everything is as long as it may be.

use std::{path::Path, time::Duration};

use super::{
    heavy::AT_ONCE,
    requests::{REQUEST, pages},
};
use crate::{
    Answer, Ending, Failure, Finding, Inside, Place, Port, Request, Result, Run,
    abuse::other::{change, other},
    ask, bodies, percentile,
};

/// The bytes by which the file may grow for each byte of a request that changes a part of something long. Each request
/// counts for [more](REQUEST), and for still more for each prescription that it creates or withdraws.
const STORED: f64 = 8.0;
/// The longest wait of another client for the answer to a write while a patient with 900 regular prescriptions is
/// voided.
const VOIDING: Duration = Duration::from_millis(60);
/// The bytes that each prescription counts for that a request creates or withdraws.
const PRESCRIPTION: u64 = 256;
/// Intervals between supplies, in days.
const INTERVALS: u64 = 365;
/// Regular prescriptions of a patient who is voided.
const WITHDRAWN: u64 = 900;
/// Most attempts at a request that is answered 503, which writes nothing.
const ATTEMPTS: usize = 8;
/// The patient with every field full.
const FULL: u64 = 1_000_000;
/// Lots of a shelf.
const LOTS: u64 = 64;

/// Sends each of these requests again and again, and compares the growth of the file with what was sent.
pub(crate) fn stored(run: &Run) -> Result<Vec<Finding>> {
    let place = Place::new()?;
    let (port, database) = (Inside::open(&place.database())?, &*place.database());
    let mut client = Client { port, database, run, sent: 0, requests: 0, findings: Vec::new() };
    let often = 2000 / run.sizes.part;
    shelves(&mut client, often)?;
    intervals(&mut client, often)?;
    flood(&mut client, run.sizes.part)?;
    flow(&mut client, run.sizes.flows)?;
    Ok(client.findings)
}

struct Client<'a> {
    port: Inside,
    database: &'a Path,
    run: &'a Run,
    /// The bytes and the requests sent since the current row began.
    sent: u64,
    requests: u64,
    findings: Vec<Finding>,
}

impl Client<'_> {
    fn send(&mut self, method: &'static str, path: &str, body: &str) -> Result<Answer> {
        let request = Request::new(method, path).body(body);
        self.sent += request.written("secret").len() as u64;
        self.requests += 1;
        // On a machine that is busy with other work, a long decision may take longer than it is allowed.
        let mut attempts = (1..ATTEMPTS).map(|_| self.port.ask(&request));
        match attempts.find(|said| said.status() != Some(503)) {
            Some(Ending::Answer(answer)) if answer.status < 300 => Ok(answer),
            _ => ask(&mut self.port, request),
        }
    }

    /// Registers a patient, and returns its number.
    fn patient(&mut self, body: &str) -> Result<u64> {
        let answer = self.send("POST", "/patient", body)?;
        let number = answer.number().map(i64::unsigned_abs);
        number.ok_or_else(|| Failure::new(format!("a registration is answered {answer:?}")))
    }

    /// Measures a row: this many times, each of which creates or withdraws that many prescriptions.
    fn row(
        &mut self,
        what: &str,
        (often, prescriptions): (u64, u64),
        mut each: impl FnMut(&mut Self, u64) -> Result<()>,
    ) -> Result<()> {
        let before = pages(self.database)?;
        (self.sent, self.requests) = (0, 0);
        for number in 0..often {
            each(self, number)?;
        }
        let grown = pages(self.database)?.saturating_sub(before);
        let requests = self.requests;
        let counted = self.sent + requests * REQUEST as u64 + often * prescriptions * PRESCRIPTION;
        let ratio = grown as f64 / counted as f64;
        let mut finding = Finding::of(what, format!("{requests} requests"));
        finding.found = format!(
            "{} bytes sent with each, {} stored: {ratio:.1} for each byte counted",
            self.sent / requests,
            grown / requests
        );
        finding.bar(ratio <= STORED, || format!("{ratio:.1} bytes are stored for each byte counted"));
        self.findings.push(finding);
        Ok(())
    }
}

/// Changes parts of a shelf with the maximum number of lots, each with the longest text.
fn shelves(client: &mut Client<'_>, often: u64) -> Result<()> {
    let lot = |number| format!(r#""lot":"{}","expires":"31/12/2090""#, bodies::wide(20, number));
    let opening = bodies::list(0..LOTS, |number| format!(r#"{{{},"units":5}}"#, lot(number)));
    client.send("POST", "/inventory/Tracked", "{}")?;
    let start = format!(r#"{{"unit":"tablets","opening":[{opening}]}}"#);
    client.send("POST", "/inventory/Tracked/stock", &start)?;
    client.row("`PUT …/stock` of one setting, beside 64 lots", (often, 0), |client, number| {
        client.send("PUT", "/inventory/Tracked/stock", &format!(r#"{{"ordered":{}}}"#, number % 2 + 5)).map(drop)
    })?;
    client.row("`POST …/movements`, a receipt of one unit, beside 64 lots", (often, 0), |client, _| {
        let receipt = format!(r#"{{"kind":"receipt","units":1,{}}}"#, lot(7));
        client.send("POST", "/inventory/Tracked/movements", &receipt).map(drop)
    })?;
    let note = bodies::wide(256, 1);
    client.row("`POST …/count` of 64 lines with a note", (often.div_ceil(10), 0), |client, number| {
        let lines = bodies::list(0..LOTS, |of| format!(r#"{{{},"counted":{}}}"#, lot(of), number % 2 + 1));
        let count = format!(r#"{{"note":"{note}","lines":[{lines}]}}"#);
        client.send("POST", "/inventory/Tracked/count", &count).map(drop)
    })
}

/// Changes an interval of a medicine that is prescribed with all of them.
fn intervals(client: &mut Client<'_>, often: u64) -> Result<()> {
    let mut last = 0;
    for days in 1..=INTERVALS {
        let patient = client.patient("{}")?;
        let body = format!(r#"{{"patientId":{patient},"medicine":"Regular","isRegular":true,"everyDays":{days}}}"#);
        client.send("POST", "/prescriptions", &body)?;
        last += 1;
    }
    client.row("`PUT …/supply` of `everyDays`, beside 365 intervals", (often, 0), |client, number| {
        let path = format!("/prescriptions/{last}/supply");
        client.send("PUT", &path, &format!(r#"{{"everyDays":{}}}"#, number % 2 + 200)).map(drop)
    })
}

/// Creates regular prescriptions of 900 medicines, each with many intervals, and withdraws those of some patients.
fn flood(client: &mut Client<'_>, part: u64) -> Result<()> {
    let patients = (0..(INTERVALS / part).max(3)).map(|_| client.patient("{}")).collect::<Result<Vec<_>, _>>()?;
    let visits = WITHDRAWN / AT_ONCE;
    let what = "`POST /consultations` with 30 regular prescriptions of medicines with up to 365 intervals";
    client.row(what, (patients.len() as u64 * visits, AT_ONCE), |client, number| {
        let (patient, visit) = ((number / visits) as usize, number % visits);
        let medicine = |of: u64| format!(r#"{{"medicine":"m{}","isRegular":true,"everyDays":{}}}"#, of, patient + 1);
        let body = bodies::prescribing(patients[patient], visit * AT_ONCE..(visit + 1) * AT_ONCE, medicine);
        client.send("POST", "/consultations", &body).map(drop)
    })?;
    let (beside, often) = (client.port.clone(), (patients.len() as u64).min(20));
    let ([waits], ()) = other(beside, [change], || {
        client.row("`DELETE /patient/{id}` with 900 regular prescriptions", (often, WITHDRAWN), |client, number| {
            client.send("DELETE", &format!("/patient/{}", patients[number as usize]), "").map(drop)
        })
    })?;
    let waited = percentile(&waits, 100);
    let mut finding = Finding::of("the write of another client beside these", format!("{often} voidings"));
    finding.found = format!("waits for at most {} ms", waited.as_millis());
    let is_in_time = client.run.sizes.are_short() || waited <= VOIDING;
    finding.bar(is_in_time, || format!("in one process: it waits for {waited:?}"));
    client.findings.push(finding);
    Ok(())
}

/// Goes through the whole flow with one patient, whose fields are all full, as are those of its visits.
fn flow(client: &mut Client<'_>, visits: u64) -> Result<()> {
    client.patient(&bodies::patient(FULL))?;
    let mut invoice = 0;
    let what = format!(
        "one patient with every field full, and {visits} visits of {AT_ONCE} prescriptions whose dosage and medicine \
         are as long as they may be, each billed and paid"
    );
    client.row(&what, (visits, AT_ONCE), |client, visit| {
        let body = bodies::full_consultation(FULL, visit, AT_ONCE, 3);
        let visit = client.send("POST", "/consultations", &body)?.document()?;
        for id in visit["prescriptionIds"].as_array().into_iter().flatten() {
            client.send("POST", &format!("/prescriptions/{id}/invoice"), "{}")?;
            invoice += 1;
            client.send("POST", &format!("/invoice/{invoice}/payment"), "{}")?;
        }
        Ok(())
    })
}
