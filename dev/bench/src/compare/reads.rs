//! Reads, compared with servers that only read, and audited ones with the same reads without an audit.

use super::versus::{Comparisons, Side};
use crate::{
    Clinic, FRAMEWORKS, Failure, Kind, Server, Setting,
    clinic::{clear, copy},
};

const CLIENTS: usize = 64;

/// Measures every read in both frameworks.
pub(crate) fn reads(setting: &Setting) -> Result<(), Failure> {
    let clinic = Clinic::largest(setting)?;
    let mut table = Comparisons::of(setting);
    for framework in FRAMEWORKS {
        let ours = Server::care(framework, &clinic.path, &[])?;
        let theirs = Server::other(framework, &clinic.path)?;
        let side = |(server, kind)| Side::of(server, clinic.patients, &[(CLIENTS, kind)]);
        for (work, sides, least) in [
            ("GET patient, beside a prepared statement", [&ours, &theirs].map(|on| (on, Kind::PatientJson)), "1.00"),
            (
                "GET prescription, beside two prepared statements",
                [&ours, &theirs].map(|on| (on, Kind::Prescription)),
                "0.90",
            ),
            (
                "GET patient as XML, beside JSON",
                [Kind::PatientXml, Kind::PatientJson].map(|kind| (&ours, kind)),
                "0.90",
            ),
        ] {
            table.measure(work, framework, sides.map(side), least)?;
        }
    }
    table.print(&format!("Reads with {CLIENTS} clients, {} patients", clinic.patients));
    Ok(())
}

/// Measures the same read with few clients and with many, each server on a copy of its own.
pub(crate) fn audit(setting: &Setting) -> Result<(), Failure> {
    let clinic = Clinic::largest(setting)?;
    let mut table = Comparisons::of(setting);
    let copies = [copy(setting, &clinic, "audited.db")?, copy(setting, &clinic, "plain.db")?];
    for framework in FRAMEWORKS {
        let [audited, plain] = &copies;
        let ours = Server::care(framework, audited, &["--audit-reads"])?;
        let theirs = Server::care(framework, plain, &[])?;
        for clients in [1, 16, 64] {
            let side = |server| Side::of(server, clinic.patients, &[(clients, Kind::PatientJson)]);
            let work = format!("GET patient with --audit-reads, {clients} clients, beside without");
            table.measure(&work, framework, [&ours, &theirs].map(side), "")?;
        }
    }
    copies.iter().for_each(|copy| clear(copy));
    table.print(&format!("Audited reads, {} patients", clinic.patients));
    Ok(())
}
