//! The time to start, and the memory of a server.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{
    Clinic, FRAMEWORKS, Failure, Kind, Server, Setting, Table,
    clinic::{clear, copy},
    figure,
    load::{self, Group},
    median,
};

/// Measures both servers on the largest database.
pub(crate) fn start(setting: &Setting) -> Result<(), Failure> {
    let clinic = Clinic::largest(setting)?;
    let mut table = Table::new(["what", "in", "found", "at most"]);
    let mine = copy(setting, &clinic, "ours.db")?;
    for framework in FRAMEWORKS {
        let ask = |server: &Server, clients, kind, time| {
            load::run(&[Group::of(server.address, clinic.patients, clients, kind)], time).map(drop)
        };
        let answering = || {
            let started = Instant::now();
            let server = Server::care(framework, &mine, &[])?;
            ask(&server, 1, Kind::PatientJson, Duration::ZERO)?;
            Ok::<_, Failure>((started.elapsed().as_secs_f64() * 1e3, server))
        };
        let starts = (0..setting.rounds).map(|_| Ok(answering()?.0)).collect::<Result<_, Failure>>()?;
        let (_, server) = answering()?;
        thread::sleep(Duration::from_millis(200));
        let mebibytes = || Ok::<_, Failure>(server.memory()? as f64 / f64::from(1 << 20));
        let idle = mebibytes()?;
        for kind in [Kind::PatientJson, Kind::PatientXml, Kind::PutPatient] {
            ask(&server, 64, kind, setting.time())?;
        }
        for (what, found, most) in [
            ("start to first answer, ms", median(starts), "50"),
            ("memory when idle, MiB", idle, "20"),
            ("memory after 64 clients, MiB", mebibytes()?, "64"),
        ] {
            table.row([what, framework.name, &figure(found), most]);
        }
    }
    clear(&mine);
    table.print(&format!("A server on {} patients", clinic.patients));
    Ok(())
}
