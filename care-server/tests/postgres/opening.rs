//! Addresses and passwords.

use std::{fs, os::unix::fs::PermissionsExt};

use care_scratch_postgres::{Cluster, Durability};

use crate::{
    bench::Bench,
    process::{Bin, Server},
    request::sent,
    scratch::{Test, test},
};

/// Lets one user in with a password only. The settings of a server say where the file is that does it.
const WITH_PASSWORD: &str = "DO $$ BEGIN \
     EXECUTE format('COPY (SELECT ''local all desk scram-sha-256'' UNION ALL SELECT ''local all postgres trust'') TO %L', \
         current_setting('hba_file')); \
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
            // On a server of its own, because it changes who may log in.
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
                let server = Server::run(Bin::POEM.command(bench.directory(), &args).env(name, value));
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
            assert!(said.contains("cannot be"), "{said}");
            fs::set_permissions(bench.directory().join(".pgpass"), PermissionsExt::from_mode(0o640)).unwrap();
            let mut command = Bin::POEM.command(bench.directory(), &args);
            let output = command.env("HOME", bench.directory()).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && said.contains("mode 0600"), "{said}");
        }),
        test("a_server_that_is_not_there_is_named", |_| {
            let bench = Bench::on("postgres:///care?host=/nowhere".to_owned());
            let said = bench.refused(Bin::ROCKET, &[]);
            assert!(said.starts_with("error: postgres:///care cannot be reached"), "{said}");
        }),
    ]
}
