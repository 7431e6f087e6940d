//! Addresses and passwords.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use care_scratch_postgres::{Cluster, Durability};
use care_testkit::sent;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    bench::Bench,
    clinic,
    process::{Bin, started},
    scratch::{Test, test},
};

/// Makes one user log in with a password. The server's own settings tell where the file is that decides it.
const WITH_PASSWORD: &str = "DO $$ BEGIN \
     EXECUTE format('COPY (SELECT ''local all desk scram-sha-256'' UNION ALL SELECT ''local all postgres trust'') TO \
         %L', current_setting('hba_file')); \
     PERFORM pg_reload_conf(); END $$";

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_password_in_the_address_is_refused", |server| {
            let bench = Bench::on(server.schema().replace("user=postgres", "user=postgres&password=sesame"));
            for bin in [Bin::POEM, Bin::ROCKET] {
                let said = bench.refused(bin, &[]);
                assert!(said.contains("PGPASSWORD") && !said.contains("sesame"), "{said}");
            }
            let bench = Bench::on("postgres://care:sesame@db.invalid/care".to_owned());
            let said = bench.refused(Bin::POEM, &[]);
            assert!(said.contains("postgres://db.invalid/care") && !said.contains("sesame"), "{said}");
        }),
        test("a_password_comes_from_the_environment_or_from_a_file", |server| {
            // This needs a server of its own, because it changes who may log in.
            let settings = ["password_encryption=scram-sha-256"];
            let cluster = Cluster::start(server.installation(), Durability::None, &settings);
            let cluster = cluster.unwrap();
            let schema = cluster.schema().unwrap();
            let role = format!("CREATE ROLE desk LOGIN PASSWORD 'sesame'; GRANT ALL ON SCHEMA {schema} TO desk");
            cluster.execute(&role).unwrap();
            cluster.execute(WITH_PASSWORD).unwrap();
            let bench = Bench::on(cluster.address(&schema).replace("user=postgres", "user=desk"));
            let args = ["--database", &bench.database, "--api-key", "secret"];
            let serves = |name: &str, value: &str| {
                let server = started(Bin::POEM.command(bench.directory(), &args).env(name, value));
                assert_eq!(server.answer(&sent("GET", "/1.0.0/patient")).status, 200);
            };

            serves("PGPASSWORD", "sesame");
            let file = bench.directory().join("passwords");
            fs::write(&file, "elsewhere:*:*:*:other\n*:*:*:desk:sesame\n").unwrap();
            fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
            serves("PGPASSFILE", file.to_str().unwrap());
            fs::rename(&file, bench.directory().join(".pgpass")).unwrap();
            serves("HOME", bench.directory().to_str().unwrap());

            let said = bench.refused(Bin::POEM, &[]);
            assert!(said.contains("asks for a password"), "{said}");
            fs::set_permissions(bench.directory().join(".pgpass"), PermissionsExt::from_mode(0o640)).unwrap();
            let mut command = Bin::POEM.command(bench.directory(), &args);
            let output = command.env("HOME", bench.directory()).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && said.contains("mode 0600"), "{said}");
        }),
        test("an_address_that_is_misspelt_is_not_shown", |_| {
            for (address, said) in [
                ("postgres://care:se?cretpw@db.invalid/care", "PGPASSWORD"),
                ("POSTGRES://care:secretpw@db.invalid/care", "PGPASSWORD"),
                (" postgres://care:secretpw@db.invalid/care", "PGPASSWORD"),
                ("host=db.invalid password=secretpw", "it is not shown"),
                ("postgre://care:secretpw@db.invalid/care", "it is not shown"),
            ] {
                let bench = Bench::on(address.to_owned());
                let log = bench.refused(Bin::POEM, &[]);
                assert!(!log.contains("cretpw") && (log.contains(said) || log.contains("is no address")), "{log}");
                let admin = clinic::Bench::new().admin(&["verify", "--database", address]).refused();
                assert!(!admin.contains("cretpw"), "{admin}");
                let stray = clinic::Bench::new().admin(&["verify", address]).refused();
                assert!(!stray.contains("cretpw") && stray.contains("it is not shown"), "{stray}");
                let stray = Bench::on("care.db".to_owned()).refused(Bin::ROCKET, &[address]);
                assert!(!stray.contains("cretpw") && stray.contains("it is not shown"), "{stray}");
            }
        }),
        test("a_start_that_waits_says_for_whom_and_ends_on_a_signal", |server| {
            let address = server.schema();
            let schema = address.rsplit("%3D").next().unwrap();
            let hold = format!(
                "SET application_name = 'the holder'; SELECT pg_advisory_lock(1128354374, hashtext('{schema}')); \
                 SELECT pg_sleep(60)"
            );
            let bench = Bench::on(address.clone());
            thread::scope(|scope| {
                // This thread ends with its connection.
                scope.spawn(|| server.cluster().execute(&hold));
                server.cluster().until_asleep("the holder").unwrap();
                for bin in [Bin::POEM, Bin::ROCKET] {
                    let mut command =
                        bin.command(bench.directory(), &["--database", &address, "--bind", "127.0.0.1:0"]);
                    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
                    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
                    let line = lines.find(|line| line.contains("waits for")).unwrap();
                    assert!(line.contains("role postgres, application the holder"), "{line}");
                    let begun = Instant::now();
                    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
                    assert!(child.wait().unwrap().success());
                    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
                }
                let end =
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'the holder'";
                server.cluster().execute(end).unwrap();
            });
            drop(bench.start(Bin::POEM));
        }),
        test("a_server_that_is_not_there_is_named", |_| {
            let bench = Bench::on("postgres:///care?host=/nowhere".to_owned());
            let said = bench.refused(Bin::ROCKET, &[]);
            assert!(said.starts_with("error: postgres:///care cannot be reached"), "{said}");
        }),
    ]
}
