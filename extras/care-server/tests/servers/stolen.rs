//! The database or its lock file disappears under a running server. The harness in `dev/faults` tests this with
//! writers.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use care_testkit::{Answer, Server, sent};
use tempfile::tempdir;

use crate::process::{Bin, admin};

/// A mistake that an operator makes in the database's directory.
type Theft = fn(&Path);

const LOCKS: [(&str, Theft); 2] = [
    ("the lock file is removed", |here| fs::remove_file(here.join("care.db.lock")).unwrap()),
    ("the lock file is exchanged", |here| {
        fs::write(here.join("other.lock"), "").unwrap();
        fs::rename(here.join("other.lock"), here.join("care.db.lock")).unwrap();
    }),
];

const FILES: [(&str, Theft); 4] = [
    ("the database is moved", |here| fs::rename(here.join("care.db"), here.join("moved.db")).unwrap()),
    ("the database is removed", |here| fs::remove_file(here.join("care.db")).unwrap()),
    ("the database is exchanged", |here| {
        fs::copy(here.join("backup.db"), here.join("other.db")).unwrap();
        fs::rename(here.join("other.db"), here.join("care.db")).unwrap();
    }),
    ("the database is restored over without its lock", |here| {
        fs::remove_file(here.join("care.db.lock")).unwrap();
        admin(here, &["restore", "backup.db", "--overwrite"]);
    }),
];

fn register(server: &Server, id: u32) -> Answer {
    server.answer(&sent("POST", "/1.0.0/patient").body(&format!(r#"{{"patientId": {id}}}"#)))
}

fn read(server: &Server, id: u32) -> u16 {
    server.answer(&sent("GET", &format!("/1.0.0/patient/{id}"))).status
}

/// Starts a server on a database with patient 1, with a backup next to it.
fn served(bin: Bin, directory: &Path) -> Server {
    let server = bin.start(directory, &[]);
    assert_eq!(register(&server, 1).status, 201);
    assert!(admin(directory, &["backup", "backup.db"]).status.success());
    server
}

/// Checks that writes are refused, reads continue, and the log names the missing file in one line.
fn takes_no_more(server: Server, what: &str) {
    for id in 2..5 {
        let answer = register(&server, id);
        assert_eq!((answer.status, answer.header("retry-after").is_some()), (503, true), "{what}: {answer:?}");
    }
    assert_eq!((read(&server, 1), read(&server, 2)), (200, 404), "{what}");
    let ended = server.terminate().unwrap();
    assert!(ended.status.success(), "{what}: {ended:?}");
    let told = ended.log.lines().filter(|line| line.contains("moved, removed or exchanged")).count();
    assert_eq!(told, 1, "{what}: {}", ended.log);
}

on_both! {
    fn a_write_after_a_theft_is_refused_and_the_next_server_takes_writes(bin: Bin) {
        for (what, theft) in LOCKS.into_iter().chain(FILES) {
            let directory = tempdir().unwrap();
            let server = served(bin, directory.path());
            theft(directory.path());
            takes_no_more(server, what);
            if what == "the database is exchanged" {
                // The log file next to the database belongs to the missing file, and a restore sets it aside.
                assert!(admin(directory.path(), &["restore", "backup.db", "--overwrite"]).status.success());
            }
            let server = bin.start(directory.path(), &[]);
            assert_eq!(register(&server, 2).status, 201, "{what}");
        }
    }

    fn a_second_server_starts_on_no_file_whose_lock_was_taken_away(bin: Bin) {
        let directory = tempdir().unwrap();
        let server = served(bin, directory.path());
        fs::remove_file(directory.path().join("care.db.lock")).unwrap();
        for second in [Bin::POEM, Bin::ROCKET] {
            let begun = Instant::now();
            let ended = second.refuses(directory.path(), &["--bind", "127.0.0.1:0"]);
            assert!(!ended.status.success() && ended.log.contains("is in use by another process"), "{ended:?}");
            assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        }
        drop(server);
        let server = bin.start(directory.path(), &[]);
        assert_eq!((read(&server, 1), register(&server, 2).status), (200, 201));
    }
}
