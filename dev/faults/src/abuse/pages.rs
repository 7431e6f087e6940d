//! Clients that ask for the longest pages in FHIR without a pause, compared with the same pages of the interface.

use std::{path::Path, thread, time::Duration};

use super::{
    Bars, Sizes,
    cost::{heavy, requests::note},
    readers::{ask_for_ever, beside, percentile},
};
use crate::{
    base::{attempt::Request, failure::Failure, finding::Finding, inside::Inside, process::Server, programs::Program},
    runs::power::in_memory,
    work::clients::ask,
};

/// Clients that ask for pages.
const CLIENTS: usize = 64;
/// Resources of a page.
const PAGE: u64 = 500;
/// The time for which each kind of page is asked for.
const TIME: Duration = Duration::from_secs(5);
/// Waits up to this are not compared.
const LEAST: Duration = Duration::from_millis(2);

/// Asks for pages of patients on both servers, in both forms, while another client reads and writes.
///
/// # Errors
/// The measurement that failed. Bars that are missed are in the findings.
pub fn pages(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let folder = in_memory()?;
    let database = folder.path().join("care.db");
    fill(&database)?;
    let time = TIME / u32::try_from(sizes.part).unwrap_or(u32::MAX);
    let what = format!("{CLIENTS} clients that ask for pages of {PAGE} patients in FHIR without a pause");
    let mut finding = Finding::of(what, "both forms on each server, reads of another client beside");
    for (name, program) in programs {
        let mut program = program.clone();
        program.args.push("--fhir".to_owned());
        let server = Server::start(&program, &database)?;
        let p99 = |path: String, accept: &str| {
            let page = |_| Request::new("GET", path.as_str()).header("Accept", accept);
            let waits =
                beside(&server, |is_over| ask_for_ever(&server, (CLIENTS, &page), is_over), || thread::sleep(time))?;
            Ok::<_, Failure>(percentile(&waits.reads, 99))
        };
        for form in ["json", "xml"] {
            let ours = p99(format!("/patient?limit={PAGE}"), &format!("application/{form}"))?;
            let fhir = p99(format!("/fhir/Patient?_count={PAGE}"), &format!("application/fhir+{form}"))?;
            let [beside_ours, beside_fhir] = [ours, fhir].map(|wait| wait.as_secs_f64() * 1e3);
            let found = format!("{form}: one in a hundred waits {beside_fhir:.1} ms, {beside_ours:.1} beside our own");
            note(&mut finding, name, &found);
            finding.bar(fhir <= ours.max(LEAST).mul_f64(bars.pages), || format!("{name}: {found}"));
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
        ask(&mut port, Request::new("POST", "/patient").body(body))?;
    }
    Ok(())
}
