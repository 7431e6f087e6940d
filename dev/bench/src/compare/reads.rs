//! Reads, compared with servers that only read.

use super::{clinic, side, versus::Versus};
use crate::{Failure, Framework, Kind, Report, Server, Setting, Table};

const CLIENTS: usize = 64;

/// Each comparison: its name, the request, and the expected ratio.
const READS: [(&str, Kind, &str); 2] = [
    ("GET patient, beside a prepared statement", Kind::PatientJson, "1.00"),
    ("GET prescription, beside two prepared statements", Kind::Prescription, "0.90"),
];

/// Measures every read in both frameworks.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let clinic = clinic(setting)?;
    let mut table = Table::new(Versus::HEAD);
    for framework in Framework::ALL {
        let ours = Server::care(framework, &clinic.path)?;
        let theirs = Server::other(framework, &clinic.path)?;
        for (work, kind, least) in READS {
            let side = |server| side(server, CLIENTS, kind, &clinic);
            let versus = Versus::measure(setting, &side(&ours), &side(&theirs))?;
            table.row(versus.row(work, framework.name(), least));
        }
        let [xml, json] = [Kind::PatientXml, Kind::PatientJson].map(|kind| side(&ours, CLIENTS, kind, &clinic));
        let versus = Versus::measure(setting, &xml, &json)?;
        table.row(versus.row("GET patient as XML, beside JSON", framework.name(), "0.90"));
    }
    report.add(&format!("Reads with {CLIENTS} clients, {} patients", clinic.patients), &table);
    Ok(())
}
