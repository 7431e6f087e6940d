//! Servers on one database.

use care_testkit::sent;

use crate::{
    bench::{Bench, Watched},
    process::Bin,
    scratch::{Test, test},
};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("both_servers_serve_one_database_in_both_forms", |server| {
            let bench = Bench::on(server.schema());
            let [poem, rocket] = bench.both();
            let ada = sent("POST", "/1.0.0/patient").body(r#"{"name":"Ada Example"}"#);
            assert_eq!(poem.answer(&ada).status, 201);
            let older = sent("PUT", "/1.0.0/patient")
                .header("Content-Type", "application/xml")
                .header("Accept", "application/xml")
                .raw_body("<Patient><patientId>1</patientId><age>40</age></Patient>");
            let answer = rocket.answer(&older);
            assert_eq!(answer.status, 200);
            assert!(
                answer.body.contains("<name>Ada Example</name><patientId>1</patientId><age>40</age>"),
                "{answer:?}"
            );
            for target in ["/1.0.0/patient/1", "/1.0.0/journal", "/1.0.0/patient/1?version=1"] {
                let asked = sent("GET", target);
                assert_eq!(poem.answer(&asked), rocket.answer(&asked), "{target}");
            }
        }),
        test("the_writer_is_the_server_that_wrote_last", |server| {
            let bench = Bench::on(server.schema());
            let servers = bench.both();
            let writers = || servers.iter().map(|server| server.probe("/writer")).collect::<Vec<_>>();
            assert_eq!(writers(), [503, 503]);
            assert!(servers.iter().all(|server| server.probe("/ready") == 200));
            for _ in 0..2 {
                write(&servers[0]);
                assert_eq!(writers(), [200, 503]);
            }
            write(&servers[1]);
            assert_eq!(writers(), [503, 200]);
            // Reads and refused writes do not make a server the writer.
            assert_eq!(servers[0].answer(&sent("GET", "/1.0.0/patient/1")).status, 200);
            assert_eq!(servers[0].answer(&sent("DELETE", "/1.0.0/patient/99")).status, 404);
            assert_eq!(writers(), [503, 200]);
        }),
        test("the_figures_of_the_store_are_those_of_a_file_as_far_as_they_mean_the_same", |server| {
            let bench = Bench::on(server.schema());
            let served = bench.start(Bin::POEM);
            write(&served);
            let figures = served.watched("/metrics").body;
            for line in [
                "care_store_queue 0",
                "care_store_batch_decisions_sum 1",
                "care_store_commits_total{outcome=\"committed\"} 1",
                "care_store_commit_duration_seconds_count 1",
                "care_store_sync_duration_seconds_count 1",
                "care_store_stopped 0",
                "care_store_resolved_total{outcome=\"unknown\"} 0",
                "care_store_lost_connections_total 0",
            ] {
                assert!(figures.lines().any(|found| found == line), "{line} is not in\n{figures}");
            }
        }),
    ]
}

fn write(server: &Watched) {
    assert_eq!(server.answer(&sent("POST", "/1.0.0/patient").body("{}")).status, 201);
}
