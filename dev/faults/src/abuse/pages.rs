//! Clients that ask for the longest pages in FHIR without a pause, compared with the same pages of the interface.

use std::{path::Path, time::Duration};

use super::{
    cost::heavy,
    other::{change, for_a_while, other, read},
    readers::ask_for_ever,
};
use crate::{Failure, Finding, Inside, Place, Request, Run, Server, ms, percentile, post};

/// Clients that ask for pages.
const CLIENTS: usize = 64;
/// Resources of a page.
const PAGE: u64 = 500;
/// The time for which each kind of page is asked for.
const TIME: Duration = Duration::from_secs(5);
/// Waits up to this are not compared.
const LEAST: Duration = Duration::from_millis(2);

/// Asks for pages of patients on both servers, in both forms, while another client reads and writes.
pub(crate) fn pages(run: &Run) -> Result<Vec<Finding>, Failure> {
    let place = Place::new()?;
    fill(&place.database())?;
    let what = format!("{CLIENTS} clients that ask for pages of {PAGE} patients in FHIR without a pause");
    let mut finding = Finding::of(what, "both forms on each server, reads of another client beside");
    for (name, program) in &run.programs {
        let server = Server::start(&program.with(&["--fhir"]), &place.database())?;
        let p99 = |path: String, accept: &str| {
            let page = |_| Request::get(path.as_str()).header("Accept", accept);
            let ([reads, _], ()) = ask_for_ever(&server, CLIENTS, page, || {
                other(server.port(), [read, change], || for_a_while(run.sizes.time(TIME)))
            })?;
            Ok::<_, Failure>(percentile(&reads, 99))
        };
        for form in ["json", "xml"] {
            let ours = p99(format!("/patient?limit={PAGE}"), &format!("application/{form}"))?;
            let fhir = p99(format!("/fhir/Patient?_count={PAGE}"), &format!("application/fhir+{form}"))?;
            let found = format!("{form}: one in a hundred waits {:.1} ms, {:.1} beside our own", ms(fhir), ms(ours));
            finding.note(name, &found);
            finding.takes(name, "one in a hundred waits", fhir, ours.max(LEAST).mul_f64(run.bars.pages));
        }
        server.end()?;
    }
    Ok(vec![finding])
}

/// Fills a database with the patients of more than one page.
fn fill(database: &Path) -> Result<(), Failure> {
    let mut port = Inside::open(database)?;
    for patient in (0..PAGE + PAGE / 10).map(|number| heavy::ORDINARY + number) {
        let body = format!(
            r#"{{"patientId":{patient},"name":"Ada Example {patient}","age":36,"phone":{},"address":"{patient} High St",
                "gender":"female","weight":61.5,"email":"patient{patient}@example.org","location":"Leeds"}}"#,
            441_632_000_000 + patient
        );
        post(&mut port, "/patient", body)?;
    }
    Ok(())
}
