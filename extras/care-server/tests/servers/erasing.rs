//! A person is erased for good while servers write to the database as fast as they can.

use std::{
    fs,
    net::SocketAddr,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use care_core::{
    error::Error,
    model::{Address, Name, PatientDetails, PatientId},
    operation::Operation,
    service::{CareService, ExpectedVersion},
    store::{Act, Change, Journal, Limit, Seq},
};
use care_store_sqlite::SqliteStore;
use care_testkit::{Server, Wire, sent};
use futures_executor::block_on;
use tempfile::tempdir;

use crate::process::{Bin, admin};

const CANARY: &str = "Canary-Name";

/// The number of patients: enough to keep the write-ahead log busy with checkpoints and restarts.
const PATIENTS: i64 = 12_000;

/// Makes a database with many patients. Patient 1 had another name before.
fn fill(database: &Path) {
    let store = SqliteStore::open(database).unwrap();
    let act = Act {
        actor: "tests".into(),
        operation: Operation::AddPatient.into(),
        at: std::time::SystemTime::now().into(),
        until: None,
    };
    for from in (2..PATIENTS).step_by(2000) {
        let act = act.clone();
        let registered: Result<(), Error> = block_on(store.bulk(move |bulk| {
            for number in from..(from + 2000).min(PATIENTS) {
                let patient = care_core::model::Patient {
                    name: Some(Name::new("Other").unwrap()),
                    address: Some(Address::new("x".repeat(800)).unwrap()),
                    ..care_core::model::Patient::new(PatientId::try_from(number).unwrap())
                };
                bulk.decide(&act, &mut (Box::new(move |_: &_| Ok(vec![Change::put(patient.clone())].into())) as _))?;
            }
            Ok(())
        }));
        registered.unwrap();
    }
    let care = CareService::new(store);
    let details = |name: &str| PatientDetails { name: Name::new(name).unwrap().into(), ..PatientDetails::default() };
    let person = PatientId::try_from(1).unwrap();
    block_on(care.register_patient_as(person, details(&format!("{CANARY}-before")))).unwrap();
    block_on(care.update_patient(person, details(CANARY), ExpectedVersion::Any)).unwrap();
}

/// Returns the files of the directory that contain the person's name.
fn found(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let content = fs::read(entry.path()).unwrap_or_default();
        let has =
            |canary: &str| content.windows(canary.len()).any(|window| window.eq_ignore_ascii_case(canary.as_bytes()));
        if has(CANARY) {
            found.push(entry.file_name().into_string().unwrap());
        }
    }
    found
}

/// Registers patients until `over` is set, and counts them. 503 is expected while the file is rewritten.
fn write(address: SocketAddr, over: &AtomicBool, written: &AtomicU64) {
    let mut wire = Wire::open(address);
    while !over.load(Ordering::SeqCst) {
        let answer = sent("POST", "/1.0.0/patient").body(r#"{"name": "Other"}"#).over(&mut wire);
        match answer.status {
            201 => written.fetch_add(1, Ordering::SeqCst),
            503 => 0,
            _ => panic!("{answer:?}"),
        };
        if answer.header("connection") == Some("close") {
            wire = Wire::open(address);
        }
    }
}

fn erase(directory: &Path) -> (String, Duration) {
    let begun = Instant::now();
    let erased = admin(directory, &["erase-patient", "1"]);
    assert!(erased.status.success(), "{erased:?}");
    (String::from_utf8(erased.stdout).unwrap(), begun.elapsed())
}

/// A guard that lets the writers end, even after a panic.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Erases a person while 16 writers use these servers.
fn erase_beside(directory: &Path, servers: &[Server]) {
    let (over, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let elsewhere = tempdir().unwrap();
    let said = thread::scope(|scope| {
        let _ending = Ending(&over);
        for address in servers.iter().map(|server| server.address).cycle().take(16) {
            let (over, written) = (&over, &written);
            scope.spawn(move || write(address, over, written));
        }
        while written.load(Ordering::SeqCst) < 100 {
            thread::sleep(Duration::from_millis(10));
        }
        let mut said = Vec::new();
        // A second erasure returns the same entry.
        for _ in 0..2 {
            said.push(erase(directory));
            assert_eq!(found(directory), [] as [&str; 0]);
        }
        thread::sleep(Duration::from_secs(1));
        for name in ["care.db", "care.db-wal"] {
            fs::copy(directory.join(name), elsewhere.path().join(name)).unwrap();
        }
        let (before, since) = (written.load(Ordering::SeqCst), Instant::now());
        while written.load(Ordering::SeqCst) == before {
            // A disk that is busy with other work may take seconds for a commit.
            assert!(since.elapsed() < Duration::from_secs(30), "nothing is written behind it");
            thread::sleep(Duration::from_millis(10));
        }
        said
    });
    assert_eq!(found(elsewhere.path()), [] as [&str; 0]);
    assert_eq!(said[0].0.split(';').next(), said[1].0.split(';').next());
    println!("{} written beside it, which took {:?} and {:?}", written.into_inner(), said[0].1, said[1].1);
}

fn entries_that_say_so(database: &Path) -> usize {
    let store = SqliteStore::open(database).unwrap();
    let entries = block_on(store.journal(Seq::ZERO, Limit::ALL)).unwrap().items;
    entries.iter().filter(|entry| entry.operation == "erasePatient").count()
}

on_both! {
    fn a_person_is_erased_beside_sixteen_writers(bin: Bin) {
        let directory = tempdir().unwrap();
        let database = directory.path().join("care.db");
        fill(&database);
        let server = bin.start(directory.path(), &[]);
        erase_beside(directory.path(), &[server]);
        assert_eq!(entries_that_say_so(&database), 1);
    }
}

#[test]
fn a_person_is_erased_beside_servers_that_share_the_database() {
    let directory = tempdir().unwrap();
    let database = directory.path().join("care.db");
    fill(&database);
    let servers = [Bin::POEM, Bin::ROCKET].map(|bin| bin.start(directory.path(), &["--shared"]));
    erase_beside(directory.path(), &servers);
    drop(servers);
    assert_eq!(entries_that_say_so(&database), 1);
}
