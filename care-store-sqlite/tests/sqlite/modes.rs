//! Only the owner can use the files.

use std::{fs, os::unix::fs::PermissionsExt};

use care_core::store::Change;
use care_store_sqlite::SqliteStore;

use crate::bench::{Bench, commit, given_database, patient, process};

#[test]
fn files_are_private_whatever_the_umask() {
    for umask in ["0000", "0022", "0377", "0777"] {
        let bench = Bench::new();
        let shell = format!("umask {umask}");
        let mut child = process(&shell, "modes::process_opens_and_looks", &bench.database());
        assert!(child.status().unwrap().success(), "umask {umask}");
    }
}

#[test]
#[ignore = "the second process of another test"]
fn process_opens_and_looks() {
    let path = given_database();
    let store = SqliteStore::open(&path).unwrap();
    commit(&store, vec![Change::put(patient(1))]).unwrap();
    let mut names = Vec::new();
    for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600, "{:?}", entry.file_name());
        names.push(entry.file_name());
    }
    assert_eq!(names.len(), 4, "{names:?}");
}
