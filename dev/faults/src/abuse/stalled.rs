//! A reader that stalls while others write: how long the log grows, and how much memory is held.

use std::{
    io::Write,
    net::TcpStream,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use super::{Sizes, cost::heavy};
use crate::{Failure, Finding, Place, Request, Run, Server, Wire, bodies, command, ms, post};

/// The longest that the log may grow beside clients that do not read, in bytes.
const LOG: u64 = 128 << 20;
/// Clients that ask for the longest pages and do not read them.
const READERS: usize = 64;
/// Bytes that are written meanwhile.
const WRITTEN: u64 = 96 << 20;

/// Stalls clients and an exporting program while others write.
pub(crate) fn stalled(run: &Run) -> Result<Vec<Finding>, Failure> {
    let written = if run.sizes.entries > 10_000 { WRITTEN } else { WRITTEN / 16 };
    let clients = Finding::of(
        "clients that ask for the longest pages and do not read them, while another writes",
        format!("{READERS} clients and {} MiB on each server", written >> 20),
    );
    let exports = Finding::of(
        "an export into a pipe that is not read, while a client writes",
        format!("{} MiB on each server", written >> 20),
    );
    let mut findings = vec![clients, exports];
    for (name, program) in &run.programs {
        for (is_export, finding) in [false, true].into_iter().zip(&mut findings) {
            let place = Place::new()?;
            heavy::fill(&place.database(), &Sizes { visits: 20, prescriptions: 30, entries: 10, ..run.sizes })?;
            let server = Server::start(program, &place.database())?;
            let before = server.memory()?;
            let (mut readers, mut export) = (Vec::new(), None);
            if is_export {
                let mut command = command(place.folder(), &["export", "--database", "care.db"])?;
                export = Some(command.stdout(Stdio::piped()).spawn()?);
            } else {
                readers = unread(&server)?;
            }
            thread::sleep(Duration::from_millis(300));
            let (log, wait) = write(&server, &place, written)?;
            let memory = server.memory()?.saturating_sub(before);
            let words = format!(
                "the log {} MiB at its longest, {} MiB of memory more, the longest wait of a write {:.0} ms",
                log >> 20,
                memory >> 20,
                ms(wait)
            );
            finding.note(name, &words);
            finding.holds(name, "log", log, LOG);
            finding.takes(name, "a write waits", wait, run.bars.wait);
            finding.holds(name, "memory more", memory, run.bars.memory * readers.len().max(4) as u64);
            finding.takes(name, "ended after", server.end()?.after, run.bars.stop);
            drop(readers);
            if let Some(mut export) = export {
                // It may already have ended.
                let _ = export.kill();
                export.wait()?;
            }
        }
    }
    Ok(findings)
}

fn unread(server: &Server) -> Result<Vec<TcpStream>, Failure> {
    let paths = ["/journal?limit=500", "/patient?limit=500", "/inventory?limit=500"];
    let mut readers = Vec::new();
    for number in 0..READERS {
        let mut connection = Wire::connected(server.address)?;
        let request = Request::get(paths[number % paths.len()]).written("secret");
        connection.write_all(request.repeat(2).as_bytes())?;
        readers.push(connection);
    }
    Ok(readers)
}

/// Writes this many bytes. Returns the log's greatest length and the longest write.
fn write(server: &Server, place: &Place, bytes: u64) -> Result<(u64, Duration), Failure> {
    let (mut wire, mut sent, mut longest, mut wait) = (server.port(), 0, 0, Duration::ZERO);
    for number in heavy::FREE + 1.. {
        let body = bodies::patient(number);
        sent += body.len() as u64;
        let begun = Instant::now();
        post(&mut wire, "/patient", body)?;
        wait = wait.max(begun.elapsed());
        longest = longest.max(place.path("care.db-wal").metadata().map_or(0, |metadata| metadata.len()));
        if sent >= bytes {
            break;
        }
    }
    Ok((longest, wait))
}
