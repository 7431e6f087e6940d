//! `care-admin` over PostgreSQL.

use crate::{
    clinic::{Bench, Ended},
    scratch::{Test, test},
};

/// Runs a task, and leaves out that PostgreSQL does not wait for the disk, which it does not for tests.
fn run(bench: &Bench, arguments: &[&str], input: &str) -> Ended {
    let mut ended = bench.admin_reading(arguments, input);
    let is_said = |line: &&str| !line.contains("is off in PostgreSQL");
    ended.err = ended.err.split_inclusive('\n').filter(is_said).collect();
    ended
}

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_clinic_moves_to_postgresql_and_back_to_the_letter", |server| {
            let bench = Bench::with_clinic();
            let url = server.schema();
            let journal = run(&bench, &["export"], "").done();
            let entries = journal.lines().count();
            assert!(entries > 400 && journal.contains(r#""record":"Stock""#));
            let said = run(&bench, &["import", "--database", &url], &journal).done();
            assert_eq!(said, format!("{entries} entries imported, 0 were there already\n"));
            let there = run(&bench, &["export", "--database", &url], "").done();
            assert!(there == journal, "the export from PostgreSQL is another");
            run(&bench, &["import", "--database", "back.db"], &there).done();
            let back = run(&bench, &["export", "--database", "back.db"], "").done();
            assert!(back == journal, "the export of what came back is another");

            for task in [["stats"].as_slice(), &["restock"], &["restock", "--csv"]] {
                let [file, there] =
                    ["care.db", &url].map(|at| run(&bench, &[task, &["--database", at]].concat(), "").done());
                assert_eq!(file, there, "{task:?}");
            }
        }),
        test("an_import_that_was_interrupted_is_run_again", |server| {
            let bench = Bench::with_clinic();
            let url = server.schema();
            let journal = run(&bench, &["export"], "").done();
            let some: String = journal.split_inclusive('\n').take(100).collect();
            run(&bench, &["import", "--database", &url], &some).done();
            let said = run(&bench, &["import", "--database", &url], &journal).done();
            assert!(said.ends_with("100 were there already\n"), "{said}");
            assert!(run(&bench, &["export", "--database", &url], "").done() == journal);
        }),
        test("keys_are_issued_listed_rotated_and_revoked", |server| {
            let (bench, url) = (Bench::new(), server.schema());
            run(&bench, &["import", "--database", &url], "").done();
            let keys = |task: &[&str]| run(&bench, &[&["keys", "--database", &url], task].concat(), "").done();
            let key = keys(&["issue", "--name", "desk", "--scope", "patient:read"]);
            let id = key.split('_').nth(1).unwrap();
            let next = keys(&["rotate", id, "--overlap", "0"]);
            let next = next.split('_').nth(1).unwrap();
            keys(&["revoke", next]);
            let list = keys(&["list"]);
            assert!(list.contains(id) && list.contains(next) && list.matches("revoked").count() >= 2, "{list}");
        }),
        test("a_person_is_erased", |server| {
            let (bench, url) = (Bench::with_clinic(), server.schema());
            let journal = run(&bench, &["export"], "").done();
            run(&bench, &["import", "--database", &url], &journal).done();
            let said = run(&bench, &["erase-patient", "1", "--database", &url], "").done();
            assert!(said.starts_with("patient 1 is erased, as entry ") && said.contains("write-ahead log"), "{said}");
            run(&bench, &["verify", "--database", &url], "").done();
            let again = run(&bench, &["erase-patient", "1", "--database", &url], "").done();
            assert!(again.contains("; 0 entries were rewritten\n"), "{again}");
        }),
        test("a_schema_without_the_service_is_left_alone", |server| {
            let (bench, url) = (Bench::new(), server.schema());
            for task in [["verify"].as_slice(), &["export"], &["stats"], &["keys", "list"], &["erase-patient", "1"]] {
                let said = run(&bench, &[task, &["--database", &url]].concat(), "").refused();
                assert!(said.contains("holds no database of the service yet"), "{said}");
            }
            server.execute(&url, "CREATE TABLE journal ()").unwrap();
        }),
        test("a_backup_is_left_to_postgresqls_own_tools", |server| {
            let (bench, url) = (Bench::with_clinic(), server.schema());
            for task in [["backup", "copy.db"], ["restore", "care.db"]] {
                let said = run(&bench, &[task.as_slice(), &["--database", &url]].concat(), "").refused();
                assert!(said.contains("pg_basebackup") && said.contains("pgBackRest"), "{said}");
            }
            let said = run(&bench, &["verify", "--database", "postgres://care:sesame@db.invalid/care"], "").refused();
            assert!(said.contains("PGPASSWORD") && !said.contains("sesame"), "{said}");
        }),
    ]
}
