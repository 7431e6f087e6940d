//! `--require-synchronous`.

use care_scratch_postgres::{Cluster, Durability};
use care_testkit::sent;

use crate::{
    bench::Bench,
    process::Bin,
    scratch::{Test, test},
};

pub(super) fn tests() -> Vec<Test> {
    vec![test("a_server_that_requires_a_standby_names_what_is_missing", |server| {
        let mut primary = Cluster::start(server.installation(), Durability::Full, &[]).unwrap();
        let schema = primary.schema().unwrap();
        primary.execute(&format!("CREATE ROLE desk LOGIN; GRANT ALL ON SCHEMA {schema} TO desk")).unwrap();
        let bench = Bench::on(primary.address(&schema));
        let as_desk = Bench::on(bench.database.replace("user=postgres", "user=desk"));
        let required = ["--require-synchronous", "--api-key", "secret"];
        let refuses = |bench: &Bench, part: &str| {
            let said = bench.refused(Bin::POEM, &required);
            assert!(said.contains(part), "{said}");
        };
        refuses(&bench, "synchronous_standby_names is empty");

        let standby = primary.standby().unwrap();
        let configure = |script: &str| {
            primary.execute(script).unwrap();
            primary.execute("SELECT pg_reload_conf()").unwrap();
        };
        primary.wait_for_standby(true).unwrap();
        configure("ALTER SYSTEM SET synchronous_commit = local");
        primary.until("current_setting('synchronous_commit') = 'local'").unwrap();
        refuses(&bench, "synchronous_commit is neither on nor remote_apply");
        configure("ALTER SYSTEM RESET synchronous_commit");
        primary.until("current_setting('synchronous_commit') = 'on'").unwrap();
        refuses(&as_desk, "pg_read_all_stats");
        // Otherwise the server would refuse the schema because another role may create objects in it.
        primary.execute(&format!("REVOKE ALL ON SCHEMA {schema} FROM desk")).unwrap();

        for bin in [Bin::POEM, Bin::ROCKET] {
            let server = bin.start(bench.directory(), &["--database", &bench.database, "--require-synchronous"]);
            assert_eq!(server.answer(&sent("POST", "/1.0.0/patient").body("{}")).status, 201);
            assert!(server.terminate().unwrap().status.success());
        }
        drop(standby);
        refuses(&bench, "no standby in synchronous_standby_names is streaming");
    })]
}
