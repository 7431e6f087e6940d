//! Durable writes, compared with group commit by hand.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use super::versus::{Comparisons, Side};
use crate::{
    Clinic, FRAMEWORKS, Failure, Kind, Server, Setting, Table,
    clinic::{clear, copy},
    figure,
};

/// Each comparison: its name, the number of clients, what they ask, and the expected ratio.
const WRITES: [(&str, usize, Kind, &str); 3] = [
    ("PUT patient, 64 clients, beside group commit without a journal", 64, Kind::PutPatient, "0.75"),
    ("PUT patient, 256 clients, beside group commit without a journal", 256, Kind::PutPatient, ""),
    ("PUT patient with a new name and telephone, 64 clients, beside group commit", 64, Kind::RenamePatient, ""),
];

/// Measures every write in both frameworks, each server on a copy of its own, then reads while other clients write
/// without pause.
pub(crate) fn writes(setting: &Setting) -> Result<(), Failure> {
    let clinic = Clinic::largest(setting)?;
    let mut table = Comparisons::of(setting);
    let mut more = Table::new(["work", "in", "found", "at most"]);
    let copies = [copy(setting, &clinic, "ours.db")?, copy(setting, &clinic, "theirs.db")?];
    for framework in FRAMEWORKS {
        let [mine, yours] = &copies;
        let ours = Server::care(framework, mine, &[])?;
        let mut tails = Vec::new();
        let longest = longest_log(mine, || {
            let theirs = Server::other(framework, yours)?;
            for (work, clients, kind, least) in WRITES {
                let side = |server| Side::of(server, clinic.patients, &[(clients, kind)]);
                tails.push(table.measure(work, framework, [&ours, &theirs].map(side), least)?.p99());
            }
            Ok(())
        })?;
        let [disturbed, alone] = [&[(64, Kind::PatientJson), (16, Kind::PutPatient)][..], &[(64, Kind::PatientJson)]]
            .map(|clients| Side::of(&ours, clinic.patients, clients));
        let work = "GET patient while 16 clients write, beside GET alone";
        let slowest = table.measure(work, framework, [disturbed, alone], "0.60")?.slowest();
        for (what, found, most) in [
            // The hand-written server checkpoints like SQLite by default: in the commit that makes the log too long.
            ("p99 of PUT, 64 clients, beside `wal_autocheckpoint=1000`", tails[0], "0.4"),
            ("the log at its longest, MiB", longest as f64 / f64::from(1 << 20), "64"),
            ("the slowest GET while 16 clients write, ms", slowest, "20"),
        ] {
            more.row([what, framework.name, &figure(found), most]);
        }
    }
    copies.iter().for_each(|copy| clear(copy));
    table.print(&format!("Durable writes, {} patients", clinic.patients));
    more.print("What waits for writes");
    Ok(())
}

/// Returns the length in bytes of a database's write-ahead log at its longest while this runs.
fn longest_log(database: &Path, run: impl FnOnce() -> Result<(), Failure>) -> Result<u64, Failure> {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut longest = 0;
            while !is_over.load(Ordering::Relaxed) {
                longest = longest.max(fs::metadata(&log).map_or(0, |metadata| metadata.len()));
                thread::sleep(Duration::from_millis(20));
            }
            longest
        });
        let done = run();
        is_over.store(true, Ordering::Relaxed);
        let longest = watching.join().map_err(|_| "the log was not watched to the end")?;
        done.map(|()| longest)
    })
}
