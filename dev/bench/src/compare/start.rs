//! The time to start, and the memory of a server.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{clear, clinic, copy, group};
use crate::{Failure, Framework, Kind, Report, Server, Setting, Table, figure, load, median};

/// Measures both servers on the largest database.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let clinic = clinic(setting)?;
    let mut table = Table::new(["what", "in", "found", "at most"]);
    let mine = copy(setting, &clinic, "ours.db")?;
    for framework in Framework::ALL {
        let mut starts = Vec::new();
        for _ in 0..setting.rounds {
            let started = Instant::now();
            let server = Server::care(framework, &mine)?;
            load::run(&[group(&server, 1, Kind::PatientJson, &clinic)], Duration::ZERO)?;
            starts.push(started.elapsed().as_secs_f64() * 1e3);
        }
        let server = Server::care(framework, &mine)?;
        load::run(&[group(&server, 1, Kind::PatientJson, &clinic)], Duration::ZERO)?;
        thread::sleep(Duration::from_millis(200));
        let idle = mebibytes(&server)?;
        for kind in [Kind::PatientJson, Kind::PatientXml, Kind::PutPatient] {
            load::run(&[group(&server, 64, kind, &clinic)], setting.time())?;
        }
        let busy = mebibytes(&server)?;
        for (what, found, most) in [
            ("start to first answer, ms", median(starts), "50"),
            ("memory when idle, MiB", idle, "20"),
            ("memory after 64 clients, MiB", busy, "64"),
        ] {
            table.row([what, framework.name(), &figure(found), most]);
        }
    }
    clear(&mine);
    report.add(&format!("A server on {} patients", clinic.patients), &table);
    Ok(())
}

/// Returns the memory of a server.
fn mebibytes(server: &Server) -> Result<f64, Failure> {
    Ok(server.memory()? as f64 / f64::from(1 << 20))
}
