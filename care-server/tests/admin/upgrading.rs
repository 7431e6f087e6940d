//! Databases of earlier versions, from `care-server/tests/upgrades/`: one folder for each schema, named after the
//! version that wrote it, with the file and with the export that its own `care-admin` made.
//!
//! A release whose schema is another one adds its folder here and never changes those that are there.

use std::{fs, io::Read, path::Path};

use flate2::read::GzDecoder;

use crate::bench::Bench;

/// The folders, each with whether its file must open: files from 0.1.0 on must, and older ones may be refused.
const WRITTEN: [(&str, bool); 1] = [("before-0.1.0", false)];

fn upgrades() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/upgrades"))
}

/// Returns a directory with the file as `care.db` and with the export as `journal.ndjson`.
fn bench(version: &str) -> Bench {
    let folder = upgrades().join(version);
    let bench = Bench::new();
    let mut database = Vec::new();
    let packed = fs::File::open(folder.join("care.db.gz")).unwrap();
    GzDecoder::new(packed).read_to_end(&mut database).unwrap();
    bench.write("care.db", database);
    fs::copy(folder.join("journal.ndjson"), bench.path("journal.ndjson")).unwrap();
    bench
}

#[test]
fn each_folder_is_listed_here() {
    let folders = fs::read_dir(upgrades()).unwrap();
    let mut folders: Vec<_> = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    folders.sort();
    assert_eq!(folders, WRITTEN.map(|(version, _)| version));
}

#[test]
fn a_database_of_an_earlier_version_opens_or_is_refused_with_what_to_do() {
    for (version, must_open) in WRITTEN {
        let bench = bench(version);
        let before = fs::read(bench.path("care.db")).unwrap();
        let verified = bench.admin(&["verify", "--database", "care.db"]);
        if verified.is_success {
            assert!(verified.out.contains("agree"), "{version}: {verified:?}");
            bench.admin(&["export", "--database", "care.db", "--out", "again.ndjson"]).done();
            assert_eq!(bench.read("again.ndjson").lines().count(), bench.read("journal.ndjson").lines().count());
        } else {
            assert!(!must_open, "{version}: {verified:?}");
            let what = "was made before version 0.1.0: export it with the care-admin that goes with it, \
                and import that into a new one";
            assert!(verified.err.contains(what), "{version}: {verified:?}");
            assert_eq!(fs::read(bench.path("care.db")).unwrap(), before, "{version}");
        }
    }
}

#[test]
fn an_export_of_an_earlier_version_makes_a_database_that_proves() {
    for (version, _) in WRITTEN {
        let bench = bench(version);
        let entries = bench.read("journal.ndjson").lines().count();
        bench.admin(&["import", "--in", "journal.ndjson", "--database", "new.db"]).done();
        let verified = bench.admin(&["verify", "--database", "new.db"]).done();
        assert!(verified.starts_with(&format!("{entries} journal entries")), "{version}: {verified}");
        let store = bench.store("new.db");
        let care = care_core::service::CareService::new(store);
        let ada = care_core::model::PatientId::try_from(7).unwrap();
        let found = futures_executor::block_on(care.history(ada)).unwrap();
        assert_eq!(found.record.visits, 1, "{version}");
    }
}
