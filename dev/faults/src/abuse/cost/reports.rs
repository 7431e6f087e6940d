//! Reports over millions of medicine-days.

use std::{path::Path, time::Duration};

use rusqlite::Connection;

use super::{heavy, requests::memory};
use crate::{
    Finding, Inside, Place, Request, Result, Run, Server,
    abuse::{
        MEMORY, Sizes, WAIT,
        other::{change, median, other},
    },
    ask, mib, ms, percentile,
};

/// Days of each medicine, ending today.
const DAYS: u64 = 1000;
/// One medicine in this many is tracked, and has movements on each of the days.
const TRACKED: u64 = 4;

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
pub(crate) fn reports(run: &Run) -> Result<Vec<Finding>> {
    let place = Place::new()?;
    let first = fill(&place.database(), &run.sizes)?;
    let rows = REPORTS.into_iter().map(|(what, path)| {
        let what = format!("{what}, of {} days of medicines", run.sizes.medicine_days);
        let path = if path.ends_with("from=") { format!("{path}{first}") } else { path.to_owned() };
        let form = if path.contains("5000") { "application/xml" } else { "application/json" };
        let request = Request::get(path).header("Accept", form);
        run.measured(Finding::of(what, "once on each server, and once beside writes"), |part| {
            let server = Server::start(part.program, &place.database())?;
            let mut wire = server.port();
            let before = server.processor()?;
            let (taken, _) = memory(&server, || ask(&mut wire, request.clone()))?;
            let processor = server.processor()? - before;
            let ([waits], _) = other(server.port(), [change], || ask(&mut wire, request.clone()))?;
            part.note(&format!("{:.0} ms, {:.1} MiB, {}", ms(processor), mib(taken), median(&waits)));
            part.takes("another's write waits", percentile(&waits, 100), WAIT);
            part.holds(taken, MEMORY);
            part.ends(&server).map(drop)
        })
    });
    rows.collect()
}

/// Writes the days directly, without the requests that would create them. Returns the first day of the longest
/// back-test.
fn fill(database: &Path, sizes: &Sizes) -> Result<String> {
    let mut port = Inside::open(database)?;
    ask(&mut port, Request::registration(heavy::ORDINARY))?;
    drop(port);
    let medicines = (sizes.medicine_days / DAYS).max(1);
    let today = "CAST(julianday('now') - 2440587.5 AS INTEGER)";
    let database = Connection::open(database)?;
    database.busy_timeout(Duration::from_secs(5))?;
    database.execute_batch(&format!(
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
    ))?;
    let first = format!("SELECT strftime('%d/%m/%Y', julianday('now') - {})", DAYS.min(1090));
    Ok(database.query_row(&first, [], |row| row.get(0))?)
}
