//! Reports over millions of medicine-days, and a voiding that is refused because of its size.

use std::{path::Path, time::Duration};

use care_core::store::Deciding;
use rusqlite::Connection;

use super::{
    heavy,
    requests::{memory, note, number_of, said, wait},
};
use crate::{
    abuse::{Bars, Sizes},
    base::{
        attempt::{Ending, Port, Request},
        failure::{Failure, ensure},
        finding::Finding,
        inside::Inside,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    runs::power::in_memory,
    work::clients::ask,
};

/// Days of each medicine, ending today.
const DAYS: u64 = 1000;
/// One medicine in this many is tracked, and has movements on each of the days.
const TRACKED: u64 = 4;
/// Most records that one decision looks at.
const LIMIT: u64 = Deciding::<()>::LIMIT as u64;

/// The reports, with their names.
const REPORTS: [(&str, &str); 3] = [
    ("`GET /restock` of the last 90 days", "/restock"),
    (
        "`GET /restock` of all years, with as many items as there can be, in XML",
        "/restock?from=01/01/1900&to=31/12/9999&limit=5000",
    ),
    ("`GET /restock/backtest` of the longest period", "/restock/backtest?medicine=Medicine%200&from="),
];

/// Asks both servers for reports over very many medicine-days while another client writes.
///
/// # Errors
/// The measurement that failed. Bars that are missed are in the findings.
pub fn reports(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let folder = in_memory()?;
    let database = folder.path().join("care.db");
    let first = fill(&database, sizes)?;
    let mut findings = Vec::new();
    for (what, path) in REPORTS {
        let what = format!("{what}, of {} days of medicines", sizes.medicine_days);
        findings.push(Finding::of(what, "once on each server, and once beside writes"));
        for (name, program) in programs {
            let server = Server::start(program, &database)?;
            let mut wire = Wire::new(server.address);
            let path = if path.ends_with("from=") { format!("{path}{first}") } else { path.to_owned() };
            let form = if path.contains("5000") { "application/xml" } else { "application/json" };
            let request = Request::new("GET", path).header("Accept", form);
            let before = server.processor()?;
            let taken = memory(&server, || ask(&mut wire, request.clone()).map(drop))?;
            let processor = server.processor()? - before;
            let waited = wait(&server, || ask(&mut wire, request).map(drop))?;
            let ended = server.end()?.after;
            if let Some(finding) = findings.last_mut() {
                let mib = taken as f64 / f64::from(1 << 20);
                let words = format!("{:.0} ms, {mib:.1} MiB, {}", processor.as_secs_f64() * 1e3, said(waited));
                note(finding, name, &words);
                finding
                    .bar(waited.longest <= bars.wait, || format!("{name}: another's write waits {:?}", waited.longest));
                finding.bar(taken <= bars.memory, || format!("{name}: {taken} bytes of memory"));
                finding.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
            }
        }
    }
    findings.push(refused(sizes, bars, programs)?);
    Ok(findings)
}

/// Voids a patient with more records than one decision may load.
fn refused(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Finding, Failure> {
    let patient = heavy::PRESCRIBED;
    let many = LIMIT + sizes.medicine_days / DAYS;
    let what = format!("`deletePatient` of one with {many} records, which is refused");
    let mut finding = Finding::of(what, "10 times on each server");
    for (name, program) in programs {
        let folder = in_memory()?;
        let database = folder.path().join("care.db");
        let mut port = Inside::open(&database)?;
        for id in [heavy::ORDINARY, patient] {
            ask(&mut port, Request::new("POST", "/patient").body(format!(r#"{{"patientId":{id}}}"#)))?;
        }
        drop(port);
        execute(
            &database,
            &format!(
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {many})
             INSERT INTO consultation SELECT 1, i, {patient}, 0, '[]', 'completed', 0 FROM n"
            ),
        )?;
        let server = Server::start(program, &database)?;
        let mut wire = Wire::new(server.address);
        let before = server.processor()?;
        let waited = wait(&server, || {
            for _ in 0..10 {
                let said = wire.ask(&Request::new("DELETE", format!("/patient/{patient}")));
                let is_refused = match &said {
                    Ending::Answer(answer) => answer.status == 503 && answer.body.contains("excessive"),
                    _ => false,
                };
                ensure(is_refused, || format!("it is answered {said:?}"))?;
            }
            Ok(())
        })?;
        let processor = (server.processor()? - before) / 10;
        let ended = server.end()?.after;
        note(&mut finding, name, &format!("{:.1} ms at most, {}", processor.as_secs_f64() * 1e3, said(waited)));
        finding.bar(waited.longest <= bars.wait, || format!("{name}: another's write waits {:?}", waited.longest));
        finding.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
        let left = number_of(&database, "SELECT count(*) FROM consultation")?;
        finding.bar(left == many, || format!("{name}: {left} of {many} records are left"));
    }
    Ok(finding)
}

/// Writes the days directly, without the requests that would create them. Returns the first day of the longest
/// back-test.
fn fill(database: &Path, sizes: &Sizes) -> Result<String, Failure> {
    let mut port = Inside::open(database)?;
    ask(&mut port, Request::new("POST", "/patient").body(format!(r#"{{"patientId":{}}}"#, heavy::ORDINARY)))?;
    drop(port);
    let medicines = (sizes.medicine_days / DAYS).max(1);
    let today = "CAST(julianday('now') - 2440587.5 AS INTEGER)";
    execute(
        database,
        &format!(
            "CREATE TEMP TABLE medicine AS WITH RECURSIVE n (i) AS (SELECT 0
            UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {medicines})
             SELECT i, 'medicine ' || i AS key, 'Medicine ' || i AS name FROM n;
         CREATE TEMP TABLE past AS WITH RECURSIVE n (i) AS (SELECT {DAYS} UNION ALL SELECT i - 1 FROM n WHERE i > 1)
             SELECT {today} - i AS day FROM n;
         INSERT INTO item SELECT 1, key, name, 1, NULL, NULL, 9, 'EUR' FROM medicine;
         INSERT INTO demand SELECT 1, day, key, name, 3, 1, 2, 2, 0, 1, 0 FROM past, medicine ORDER BY day, key;
         INSERT INTO stock SELECT 1, key, name, 'tablets', 1, 1, 0, 0, 0, 'cover', NULL, NULL, 30, 90, 14, 30, 95,
                 'dispensed', 0, NULL, NULL, 0, NULL FROM medicine WHERE i % {TRACKED} = 0;
         INSERT INTO stock_day SELECT 1, key, day, name, 0, 5, 2, 0, 1, 0, 0, 0, 9, 9, NULL
             FROM medicine, past WHERE i % {TRACKED} = 0 ORDER BY key, day;
         DROP TABLE medicine; DROP TABLE past"
        ),
    )?;
    let conn = Connection::open(database).map_err(broken)?;
    let first = format!("SELECT strftime('%d/%m/%Y', julianday('now') - {})", DAYS.min(1090));
    conn.query_row(&first, [], |row| row.get(0)).map_err(broken)
}

fn execute(database: &Path, sql: &str) -> Result<(), Failure> {
    let conn = Connection::open(database).map_err(broken)?;
    conn.busy_timeout(Duration::from_secs(5)).map_err(broken)?;
    conn.execute_batch(sql).map_err(broken)
}

fn broken(error: rusqlite::Error) -> Failure {
    Failure::new(error.to_string())
}
