//! The service on PostgreSQL, compared with the service on one file.

use super::beside::{Asked, Beside};
use crate::{
    Failure, Framework, Kind, Report, Server, Table,
    compare::{self, Versus},
};

/// Each comparison: its name, and what is asked.
const WORK: [(&str, Asked); 6] = [
    ("GET patient, 64 clients", Asked(Kind::PatientJson, 64)),
    ("GET patient, 1 client", Asked(Kind::PatientJson, 1)),
    ("GET prescription, 64 clients", Asked(Kind::Prescription, 64)),
    ("PUT patient, 64 clients", Asked(Kind::PutPatient, 64)),
    ("PUT patient, 1 client", Asked(Kind::PutPatient, 1)),
    ("POST prescription of one medicine, 64 clients", Asked(Kind::Prescribe, 64)),
];

/// Measures both in both frameworks.
pub(super) fn measure(on: &Beside<'_>, report: &mut Report) -> Result<(), Failure> {
    let mut table = Table::new(Versus::HEAD);
    let file = compare::copy(on.setting, on.clinic, "file.db")?;
    for framework in Framework::ALL {
        let (ours, theirs) = (Server::care(framework, on.database.ours())?, Server::care(framework, &file)?);
        for (work, asked) in WORK {
            let Asked(kind, clients) = asked;
            let one = compare::side(&theirs, clients, kind, on.clinic);
            let versus = Versus::measure(on.setting, &on.side(&ours, asked), &one)?;
            table.row(versus.row(work, framework.name(), ""));
        }
    }
    compare::clear(&file);
    report.add(&format!("PostgreSQL beside one file, {} patients", on.clinic.patients), &table);
    Ok(())
}
