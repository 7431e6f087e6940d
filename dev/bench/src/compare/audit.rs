//! Audited reads, compared with the same reads without an audit.

use super::{clear, clinic, copy, side, versus::Versus};
use crate::{Failure, Framework, Kind, Report, Server, Setting, Table};

/// Measures the same read with few clients and with many, each server on a copy of its own.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let clinic = clinic(setting)?;
    let mut table = Table::new(Versus::HEAD);
    let (audited, plain) = (copy(setting, &clinic, "audited.db")?, copy(setting, &clinic, "plain.db")?);
    for framework in Framework::ALL {
        let ours = Server::care_with(framework, &audited, &["--audit-reads"])?;
        let theirs = Server::care(framework, &plain)?;
        for clients in [1, 16, 64] {
            let side = |server| side(server, clients, Kind::PatientJson, &clinic);
            let versus = Versus::measure(setting, &side(&ours), &side(&theirs))?;
            let work = format!("GET patient with --audit-reads, {clients} clients, beside without");
            table.row(versus.row(&work, framework.name(), ""));
        }
    }
    clear(&audited);
    clear(&plain);
    report.add(&format!("Audited reads, {} patients", clinic.patients), &table);
    Ok(())
}
