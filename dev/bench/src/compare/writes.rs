//! Durable writes, compared with group commit by hand.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use super::{
    clear, clinic, copy, group, side,
    versus::{Side, Versus},
};
use crate::{Failure, Framework, Kind, Report, Server, Setting, Table, clinic::Clinic, figure};

/// Each comparison: its name, the number of clients, what they ask, and the expected ratio.
const WRITES: [(&str, usize, Kind, &str); 3] = [
    ("PUT patient, 64 clients, beside group commit without a journal", 64, Kind::PutPatient, "0.75"),
    ("PUT patient, 256 clients, beside group commit without a journal", 256, Kind::PutPatient, ""),
    ("PUT patient with a new name and telephone, 64 clients, beside group commit", 64, Kind::RenamePatient, ""),
];

/// Measures every write in both frameworks, each server on a copy of its own.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let clinic = clinic(setting)?;
    let mut table = Table::new(Versus::HEAD);
    let mut more = Table::new(["work", "in", "found", "at most"]);
    let (mine, yours) = (copy(setting, &clinic, "ours.db")?, copy(setting, &clinic, "theirs.db")?);
    for framework in Framework::ALL {
        let ours = Server::care(framework, &mine)?;
        let log = Log::default();
        let done = thread::scope(|scope| {
            scope.spawn(|| log.watch(&mine));
            let done = writes(setting, &clinic, (framework, &ours, &yours), &mut table, &mut more);
            log.ends.store(true, Ordering::Relaxed);
            done
        });
        done?;
        let longest = log.longest.load(Ordering::Relaxed) as f64 / f64::from(1 << 20);
        more.row(["the log at its longest, MiB", framework.name(), &figure(longest), "64"]);
        beside_writers(setting, &clinic, (framework, &ours), &mut table, &mut more)?;
    }
    clear(&mine);
    clear(&yours);
    report.add(&format!("Durable writes, {} patients", clinic.patients), &table);
    report.add("What waits for writes", &more);
    Ok(())
}

fn writes(
    setting: &Setting,
    clinic: &Clinic,
    (framework, ours, yours): (Framework, &Server, &Path),
    table: &mut Table,
    more: &mut Table,
) -> Result<(), Failure> {
    let theirs = Server::other(framework, yours)?;
    for (place, (work, clients, kind, least)) in WRITES.into_iter().enumerate() {
        let side = |server| side(server, clients, kind, clinic);
        let versus = Versus::measure(setting, &side(ours), &side(&theirs))?;
        table.row(versus.row(work, framework.name(), least));
        if place == 0 {
            // This server checkpoints like SQLite by default: in the commit that makes the log too long.
            let found = format!("{:.2}", versus.p99);
            more.row(["p99 of PUT, 64 clients, beside `wal_autocheckpoint=1000`", framework.name(), &found, "0.4"]);
        }
    }
    Ok(())
}

/// Measures reads while other clients write without pause.
fn beside_writers(
    setting: &Setting,
    clinic: &Clinic,
    (framework, server): (Framework, &Server),
    table: &mut Table,
    more: &mut Table,
) -> Result<(), Failure> {
    let [readers, writers] =
        [(64, Kind::PatientJson), (16, Kind::PutPatient)].map(|(clients, kind)| group(server, clients, kind, clinic));
    let disturbed = Side::of(server, vec![readers, writers]);
    let versus = Versus::measure(setting, &disturbed, &side(server, 64, Kind::PatientJson, clinic))?;
    table.row(versus.row("GET patient while 16 clients write, beside GET alone", framework.name(), "0.60"));
    let slowest = figure(versus.ours.slowest);
    more.row(["the slowest GET while 16 clients write, ms", framework.name(), &slowest, "20"]);
    Ok(())
}

/// The longest write-ahead log of a database during a measurement.
#[derive(Debug, Default)]
struct Log {
    longest: AtomicU64,
    ends: AtomicBool,
}

impl Log {
    fn watch(&self, database: &Path) {
        let mut log = database.as_os_str().to_owned();
        log.push("-wal");
        while !self.ends.load(Ordering::Relaxed) {
            let length = fs::metadata(&log).map_or(0, |metadata| metadata.len());
            self.longest.fetch_max(length, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(20));
        }
    }
}
