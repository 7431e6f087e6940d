//! UTC offsets at the ends of their range, and dates at the ends of theirs.

use crate::{Clinic, Failure, Finding, Request, Run, post, told};

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
pub(crate) fn clocks(run: &Run) -> Result<Vec<Finding>, Failure> {
    let what = "days at the ends of what can be said, and the facility's offset at its ends";
    let often = format!("{} offsets on each server", OFFSETS.len());
    let mut finding =
        Finding::of(what, often).found("each day and period answered as the contract says, none with 500");
    for (name, program) in &run.programs {
        for offset in OFFSETS {
            let clinic = Clinic::new()?;
            let server = clinic.serve(&program.with(&["--utc-offset", offset]))?;
            let mut wire = server.port();
            for (day, status) in [("01/01/1900", 201), ("31/12/1899", 422), ("31/12/9999", 422), ("29/02/2025", 422)] {
                let patient = clinic.storm.serial();
                post(&mut wire, "/patient", format!(r#"{{"patientId":{patient}}}"#))?;
                let body = format!(
                    r#"{{"patientId":{patient},"date":"{day}","diseases":["Gout"],"prescriptions":[{{"medicine":"Ibuprofen"}}]}}"#
                );
                let said = told(&mut wire, &Request::new("POST", "/consultations").body(body), status);
                finding.bar(said.is_ok(), || format!("{name} at {offset}: a visit on {day}: {said:?}"));
            }
            for (period, status) in PERIODS {
                let said = told(&mut wire, &Request::get(format!("/restock?{period}")), status);
                finding.bar(said.is_ok(), || format!("{name} at {offset}: {period}: {said:?}"));
            }
            finding.takes(name, "ended after", server.end()?.after, run.bars.stop);
            clinic.prove()?;
        }
    }
    Ok(vec![finding])
}
