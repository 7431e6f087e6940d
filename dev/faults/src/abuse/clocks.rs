//! UTC offsets at the ends of their range, and dates at the ends of theirs.

use super::Bars;
use crate::{
    base::{
        attempt::{Port, Request},
        failure::{Failure, ensure},
        finding::Finding,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    work::clinic::Clinic,
};

/// The facility's UTC offsets in minutes, from one end of the range to the other.
const OFFSETS: [&str; 5] = ["-1080", "-1", "0", "1", "1080"];
/// Periods of the restock report, and the status each is answered with.
const PERIODS: [(&str, u16); 8] = [
    ("from=01/01/1900&to=31/12/9999", 200),
    ("from=01/01/1900&to=01/01/1900", 200),
    ("from=31/12/9999&to=31/12/9999", 200),
    ("to=02/01/1900", 200),
    ("from=31/12/9999", 400),
    ("from=02/01/1900&to=01/01/1900", 400),
    ("from=31/12/1899&to=01/01/1900", 400),
    ("from=01/01/10000&to=01/01/10000", 400),
];

/// Asks both servers for the ends of time, at both ends of the offsets' range.
///
/// # Errors
/// The reason why it cannot be tried. Bars that are missed are in the findings.
pub fn clocks(bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let what = "days at the ends of what can be said, and the facility's offset at its ends";
    let often = format!("{} offsets on each server", OFFSETS.len());
    let mut finding =
        Finding::of(what, often).found("each day and period answered as the contract says, none with 500");
    for (name, program) in programs {
        for offset in OFFSETS {
            let mut program = program.clone();
            program.args.extend(["--utc-offset".to_owned(), offset.to_owned()]);
            let clinic = Clinic::new()?;
            let server = Server::start(&program, &clinic.database())?;
            let mut wire = Wire::new(server.address);
            clinic.stock(&mut wire)?;
            for (day, status) in [("01/01/1900", 201), ("31/12/1899", 422), ("31/12/9999", 422), ("29/02/2025", 422)] {
                let patient = clinic.storm.serial();
                expect(&mut wire, &post("/patient", format!(r#"{{"patientId":{patient}}}"#)), 201)?;
                let prescriptions = r#"[{"medicine":"Ibuprofen"}]"#;
                let body = format!(
                    r#"{{"patientId":{patient},"date":"{day}","diseases":["Gout"],"prescriptions":{prescriptions}}}"#
                );
                let said = expect(&mut wire, &post("/consultations", body), status);
                finding.bar(said.is_ok(), || format!("{name} at {offset}: a visit on {day}: {said:?}"));
            }
            for (period, status) in PERIODS {
                let said = expect(&mut wire, &Request::new("GET", format!("/restock?{period}")), status);
                finding.bar(said.is_ok(), || format!("{name} at {offset}: {period}: {said:?}"));
            }
            let ended = server.end()?.after;
            finding.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
            clinic.prove()?;
        }
    }
    Ok(vec![finding])
}

fn post(path: &str, body: String) -> Request {
    Request::new("POST", path).body(body)
}

fn expect(wire: &mut Wire, request: &Request, status: u16) -> Result<(), Failure> {
    let said = wire.ask(request);
    ensure(said.status() == Some(status), || format!("{status} expected, but {said:?}"))
}
