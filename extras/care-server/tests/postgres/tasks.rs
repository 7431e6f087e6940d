//! `care-admin` over PostgreSQL.

use std::{fs, path::Path};

use care_scratch_postgres::{Cluster, Durability};

use crate::{
    clinic::{Bench, ProgramEnd},
    scratch::{Server, Test, test},
};

/// Runs a task, and drops the warning that PostgreSQL does not wait for the disk: test servers do not.
fn run(bench: &Bench, arguments: &[&str], input: &str) -> ProgramEnd {
    let mut ended = bench.admin_reading(arguments, input);
    let is_said = |line: &&str| !line.contains("is off in PostgreSQL");
    ended.err = ended.err.split_inclusive('\n').filter(is_said).collect();
    ended
}

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_clinic_moves_to_postgresql_and_back_to_the_letter", |server| {
            let bench = Bench::with_clinic_after_a_year();
            let url = server.schema();
            let journal = run(&bench, &["export"], "").done();
            let entries = journal.lines().count();
            assert!(entries > 400 && journal.contains(r#""record":"Stock""#));
            let said = run(&bench, &["import", "--database", &url], &journal).done();
            assert_eq!(said, format!("{entries} entries imported, 0 were already there\n"));
            let there = run(&bench, &["export", "--database", &url], "").done();
            assert!(there == journal, "the export from PostgreSQL is another");
            run(&bench, &["import", "--database", "back.db"], &there).done();
            let back = run(&bench, &["export", "--database", "back.db"], "").done();
            assert!(back == journal, "the export of what came back is another");

            let proven = run(&bench, &["verify"], "").done();
            for database in [url.as_str(), "back.db"] {
                assert_eq!(run(&bench, &["verify", "--database", database], "").done(), proven);
            }
            for task in [["stats"].as_slice(), &["restock"], &["restock", "--csv"]] {
                let [file, there] =
                    ["care.db", &url].map(|at| run(&bench, &[task, &["--database", at]].concat(), "").done());
                assert_eq!(file, there, "{task:?}");
            }
        }),
        test("an_import_that_was_interrupted_is_run_again", |server| {
            let bench = Bench::with_clinic_after_a_year();
            let url = server.schema();
            let journal = run(&bench, &["export"], "").done();
            let some: String = journal.split_inclusive('\n').take(100).collect();
            run(&bench, &["import", "--database", &url], &some).done();
            let said = run(&bench, &["import", "--database", &url], &journal).done();
            assert!(said.ends_with("100 were already there\n"), "{said}");
            assert!(run(&bench, &["export", "--database", &url], "").done() == journal);
        }),
        test("patients_come_from_a_table_all_or_those_that_are_good", |server| {
            let (bench, url) = (Bench::new(), server.schema());
            bench.write("good.csv", "patientId,name\n7,Ada Example\n,Bo Example\n");
            bench.write("bad.csv", "patientId,age\n9,40\n10,400\n7,50\n");
            let said = run(&bench, &["import-patients", "good.csv", "--database", &url], "").done();
            assert_eq!(said, "2 patients imported\n");
            let refused = |more: &[&str]| {
                let said =
                    run(&bench, &[&["import-patients", "bad.csv", "--database", &url], more].concat(), "").refused();
                assert!(said.contains("line 3: age") && said.contains("line 4: patientId"), "{said}");
                patients(&bench, &url)
            };
            assert_eq!(refused(&["--all-or-nothing"]), 2);
            assert_eq!(refused(&[]), 3);
            run(&bench, &["verify", "--database", &url], "").done();
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
            let name = journal.split(r#""name":""#).nth(1).unwrap().split('"').next().unwrap().to_owned();
            let said = run(&bench, &["erase-patient", "1", "--database", &url], "").done();
            assert!(
                said.starts_with("patient 1 was erased in journal entry ") && said.contains("write-ahead log"),
                "{said}"
            );
            let after = run(&bench, &["export", "--database", &url], "").done();
            assert!(journal.contains(&name) && !after.contains(&name), "{name} is still there");
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
        test("the_documented_drill_works", drill),
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

fn patients(bench: &Bench, url: &str) -> u64 {
    let stats = run(bench, &["stats", "--database", url], "").done();
    let line = stats.lines().find(|line| line.starts_with("Patient ")).unwrap();
    line.split_whitespace().last().unwrap().parse().unwrap()
}

/// Runs the lines of the document as the server's user, who may start another server.
fn drill(server: &Server) {
    let programs = server.installation().program("pg_basebackup");
    if !programs.is_file() {
        println!("left out: this PostgreSQL comes without pg_basebackup");
        return;
    }
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let document = fs::read_to_string(document).unwrap();
    let (_, drill) = document.split_once("```sh drill-postgres\n").unwrap();
    let (drill, _) = drill.split_once("```").unwrap();

    let cluster = Cluster::start(server.installation(), Durability::Full, &[]).unwrap();
    let url = cluster.address(&cluster.schema().unwrap());
    let bench = Bench::with_clinic();
    let journal = run(&bench, &["export"], "").done();
    run(&bench, &["import", "--database", &url], &journal).done();
    // The server's user may not be able to see this project's directory.
    fs::copy(env!("CARGO_BIN_EXE_care-admin"), cluster.socket().join("care-admin")).unwrap();
    let directory = cluster.socket().join("drill");
    assert!(cluster.command("mkdir").arg(&directory).status().unwrap().success());
    let [from, to] = [cluster.socket(), &directory].map(|path| path.display().to_string().replace('/', "%2F"));
    let shell = cluster
        .command("sh")
        .args(["-e", "-c", &format!("PATH=$PATH:$PWD; cd drill; {drill}")])
        .envs([("DATABASE", &url), ("RESTORED", &url.replace(&from, &to))])
        .output()
        .unwrap();
    assert!(shell.status.success(), "{shell:?}");
    assert_eq!(fs::read_dir(directory).unwrap().count(), 0);
}
