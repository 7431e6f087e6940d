//! A reader that stalls while others write: how long the log grows, and how much memory is held.

use std::{
    io::Write,
    net::TcpStream,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use super::{
    Bars, Sizes,
    cost::{bodies, heavy},
};
use crate::{
    base::{
        admin::command, attempt::Request, failure::Failure, finding::Finding, process::Server, programs::Program,
        wire::Wire,
    },
    runs::power::in_memory,
    work::clients::ask,
};

/// The longest that the log may grow beside clients that do not read, in bytes.
const LOG: u64 = 128 << 20;
/// Clients that ask for the longest pages and do not read them.
const READERS: usize = 64;
/// Bytes that are written meanwhile.
const WRITTEN: u64 = 96 << 20;

/// Stalls clients and an exporting program while others write.
///
/// # Errors
/// The reason why it cannot be measured. Bars that are missed are in the findings.
pub fn stalled(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let written = if sizes.entries > 10_000 { WRITTEN } else { WRITTEN / 16 };
    let mut clients = Finding::of(
        "clients that ask for the longest pages and do not read them, while another writes",
        format!("{READERS} clients and {} MiB on each server", written >> 20),
    );
    let mut exports = Finding::of(
        "an export into a pipe that is not read, while a client writes",
        format!("{} MiB on each server", written >> 20),
    );
    for (name, program) in programs {
        for is_export in [false, true] {
            let folder = in_memory()?;
            let database = folder.path().join("care.db");
            heavy::fill(&database, &Sizes { visits: 20, prescriptions: 30, entries: 10, ..*sizes })?;
            let server = Server::start(program, &database)?;
            let before = server.memory()?;
            let finding = if is_export { &mut exports } else { &mut clients };
            let (mut readers, mut export) = (Vec::new(), None);
            match is_export {
                true => {
                    export = Some(
                        command(folder.path(), &["export", "--database", "care.db"])?.stdout(Stdio::piped()).spawn()?,
                    )
                }
                false => readers = unread(&server)?,
            }
            thread::sleep(Duration::from_millis(300));
            let (longest, wait) = write(&server, &database, written)?;
            let memory = server.memory()?.saturating_sub(before);
            let separator = if finding.found.is_empty() { "" } else { "; " };
            let (log_mib, memory_mib) = (longest >> 20, memory >> 20);
            finding.found += &format!(
                "{separator}{name}: the log {log_mib} MiB at its longest, {memory_mib} MiB of memory more, the \
                 longest wait of a write {:.0} ms",
                wait.as_secs_f64() * 1e3
            );
            finding.bar(longest <= LOG, || format!("{name}: the log is {log_mib} MiB long"));
            finding.bar(wait <= bars.wait, || format!("{name}: a write waits {wait:?}"));
            let most = bars.memory * readers.len().max(4) as u64;
            finding.bar(memory <= most, || format!("{name}: {memory_mib} MiB of memory more"));
            let ended = server.end()?.after;
            finding.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
            drop(readers);
            if let Some(mut export) = export {
                // It may already have ended.
                let _ = export.kill();
                export.wait()?;
            }
        }
    }
    Ok(vec![clients, exports])
}

fn unread(server: &Server) -> Result<Vec<TcpStream>, Failure> {
    let paths = ["/journal?limit=500", "/patient?limit=500", "/inventory?limit=500"];
    let mut readers = Vec::new();
    for number in 0..READERS {
        let mut connection = Wire::connected(server.address)?;
        let request = Wire::written(&Request::new("GET", paths[number % paths.len()]));
        connection.write_all(request.repeat(2).as_bytes())?;
        readers.push(connection);
    }
    Ok(readers)
}

/// Writes this many bytes. Returns the log's greatest length and the longest write.
fn write(server: &Server, database: &std::path::Path, bytes: u64) -> Result<(u64, Duration), Failure> {
    let log = database.with_extension("db-wal");
    let (mut wire, mut sent, mut longest, mut wait) = (Wire::new(server.address), 0, 0, Duration::ZERO);
    let mut number = heavy::FREE;
    while sent < bytes {
        number += 1;
        let body = bodies::patient(number);
        sent += body.len() as u64;
        let begun = Instant::now();
        ask(&mut wire, Request::new("POST", "/patient").body(body))?;
        wait = wait.max(begun.elapsed());
        longest = longest.max(log.metadata().map_or(0, |metadata| metadata.len()));
    }
    Ok((longest, wait))
}
