//! Databases that another process has locked, that are read-only, or whose disk is full.

use std::{
    fs,
    net::SocketAddr,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_testkit::until;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::{
    base::{
        attempt::{Outcome, Port, Request},
        failure::{Failure, ensure},
        process::{Server, arguments, probe, verify},
        programs::Program,
    },
    work::{clients::ask, clinic::Clinic, prove::prove},
};

/// Longest time that a server may wait for another process's lock: two seconds, and slack for slow machines.
const LOCKED: Duration = Duration::from_secs(6);
/// Longest time until writes resume once there is space again, and until a probe notices that a disk is full.
const HEALING: Duration = Duration::from_secs(2);
/// Longest time in which a probe must be answered.
const PROBE: Duration = Duration::from_secs(1);

/// Locks the database from another connection: writes are refused in time, reads continue, and afterwards everything
/// works as before.
///
/// # Errors
/// The answer that came instead.
pub fn locked(program: &Program) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    let server = Server::start(program, &clinic.database())?;
    let mut port = server.ports(1).remove(0);
    clinic.stock(&mut *port)?;
    let stranger = Connection::open(clinic.database()).and_then(|conn| {
        conn.execute_batch("BEGIN IMMEDIATE")?;
        Ok(conn)
    });
    let stranger = stranger.map_err(|error| Failure::new(error.to_string()))?;
    let begun = Instant::now();
    let said = port.ask(&Request::new("POST", "/patient").body("{}"));
    let is_refused = said.status() == Some(503) && begun.elapsed() < LOCKED;
    ensure(is_refused, || format!("a write to a locked file is answered {said:?} after {:?}", begun.elapsed()))?;
    ask(&mut *port, Request::new("GET", "/inventory"))?;
    drop(stranger);
    let number = ask(&mut *port, Request::new("POST", "/patient").body("{}"))?.number();
    ensure(number == Some(1), || format!("the first patient who was not refused has the number {number:?}"))?;
    server.kill()?;
    clinic.prove()
}

/// Starts a second server on the same database: it is refused and the first continues; after a kill, the next starts at
/// once.
///
/// # Errors
/// A description of what happened instead.
pub fn owned(program: &Program) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    let server = Server::start(program, &clinic.database())?;
    let begun = Instant::now();
    let second = Server::start(program, &clinic.database());
    let refused = second.err().map(|failure| failure.to_string()).unwrap_or_default();
    let is_refused = refused.contains("is in use") && begun.elapsed() < Duration::from_secs(2);
    ensure(is_refused, || format!("a second server is told {refused:?} after {:?}", begun.elapsed()))?;
    clinic.stock(&mut *server.ports(1).remove(0))?;
    server.kill()?;
    let next = Server::start(program, &clinic.database())?;
    ask(&mut *next.ports(1).remove(0), Request::new("GET", "/inventory/Ibuprofen"))?;
    next.kill()?;
    clinic.prove()
}

/// Returns whether small disks can be mounted here, visible only to a process and its children.
pub fn can_mount() -> bool {
    let mut probe = Command::new("unshare");
    probe.args(["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// Fills the disk during a storm, and makes space again: until then, writes are answered with 507 and reads continue,
/// and no answer is a lie.
///
/// # Errors
/// A description of what happened instead.
pub fn full(program: &Program, seed: u64) -> Result<(), Failure> {
    let mut clinic = Clinic::new()?;
    let database = clinic.database();
    let folder = database.parent().ok_or_else(|| Failure::new("the database is nowhere"))?;
    let script = r#"folder=$1; shift
        mount -t tmpfs -o size=6m tmpfs "$folder" && head -c 2000000 /dev/zero > "$folder/ballast" || exit 1
        exec 3<&0
        { read -r line <&3; rm "$folder/ballast"; } &
        exec "$@""#;
    let server = Server::run(&mut mounted(script, folder, program, &database))?;
    let mut port = server.ports(1).remove(0);
    clinic.stock(&mut *port)?;
    let (failure, was_full) = clinic.beside(server.ports(8), &mut Dice::new(seed), |_| {
        let was_full = until(Duration::from_secs(30), || {
            thread::sleep(Duration::from_millis(20));
            is_full(&mut *port)
        });
        // Writes after the first refusal count too: a log that starts over makes space for a while.
        thread::sleep(Duration::from_millis(200));
        Ok(was_full)
    })?;
    failure.map_or(Ok(()), Err)?;
    ensure(was_full, || "the disk does not run full".to_owned())?;
    let unknown = clinic.asked.iter().find(|asked| asked.outcome == Outcome::Unknown);
    ensure(unknown.is_none(), || format!("on a full disk the outcome is unknown: {unknown:?}"))?;
    ask(&mut *port, Request::new("GET", "/inventory"))?;
    server.tell("room\n")?;
    let begun = Instant::now();
    while is_full(&mut *port) {
        ensure(begun.elapsed() < HEALING, || "with room again, no write is acknowledged".to_owned())?;
        thread::sleep(Duration::from_millis(20));
    }
    let copy = copied(&server, folder)?;
    server.kill()?;
    prove(&copy.path().join("care.db"), &clinic.asked, usize::MAX)
}

/// Fills a server's disk while probes are running: the server is not ready until there is space again, but it is alive
/// and serves its metrics, reads continue, and writes are answered with 507.
///
/// # Errors
/// A description of what happened instead.
pub fn full_beside_probes(program: &Program) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    let database = clinic.database();
    let folder = database.parent().ok_or_else(|| Failure::new("the database is nowhere"))?;
    let mut program = program.clone();
    program.args.extend(["--metrics", "127.0.0.1:0"].map(str::to_owned));
    // A server wants 8 MiB free, and a new database takes less than 1 MiB.
    let script = r#"folder=$1; shift
        mount -t tmpfs -o size=24m tmpfs "$folder" || exit 1
        exec 3<&0
        { read -r line <&3; cat /dev/zero > "$folder/ballast" 2>/dev/null; read -r line <&3; rm "$folder/ballast"; } &
        exec "$@""#;
    let server = Server::run(&mut mounted(script, folder, &program, &database))?;
    let figures = server.metrics()?;
    let mut port = server.ports(1).remove(0);
    clinic.stock(&mut *port)?;
    becomes(figures, 200)?;
    for _ in 0..3 {
        ensure(!is_full(&mut *port), || "a write is refused while there is room".to_owned())?;
    }
    server.tell("fill\n")?;
    becomes(figures, 503)?;
    let begun = Instant::now();
    while !is_full(&mut *port) {
        // The file and its log still have free space inside for a while.
        ensure(begun.elapsed() < Duration::from_secs(30), || "writes go on although the disk is full".to_owned())?;
    }
    for (path, due) in [("/alive", 200), ("/metrics", 200), ("/ready", 503)] {
        let (status, wait) = probe(figures, path)?;
        let is_due = status == due && wait < PROBE;
        ensure(is_due, || format!("on a full disk {path} is answered {status} after {wait:?}"))?;
    }
    ask(&mut *port, Request::new("GET", "/inventory"))?;
    server.tell("room\n")?;
    becomes(figures, 200)?;
    ensure(!is_full(&mut *port), || "with room again, no write is acknowledged".to_owned())?;
    let copy = copied(&server, folder)?;
    server.kill()?;
    verify(&copy.path().join("care.db"))
}

/// Waits until `/ready` answers with this status.
fn becomes(figures: SocketAddr, due: u16) -> Result<(), Failure> {
    let begun = Instant::now();
    loop {
        let (status, wait) = probe(figures, "/ready")?;
        ensure(wait < PROBE, || format!("/ready is answered after {wait:?}"))?;
        if status == due {
            return Ok(());
        }
        ensure(begun.elapsed() < HEALING, || format!("/ready is {status} for {HEALING:?}, and not {due}"))?;
        thread::sleep(Duration::from_millis(20));
    }
}

/// Returns a copy of a server's database from a disk that no other process sees: it is read through the server's
/// process.
fn copied(server: &Server, folder: &Path) -> Result<TempDir, Failure> {
    let copy = super::power::in_memory()?;
    for suffix in ["", "-wal"] {
        let name = format!("care.db{suffix}");
        fs::copy(
            server.proc("root").join(folder.join(&name).strip_prefix("/").unwrap_or(folder)),
            copy.path().join(&name),
        )?;
    }
    Ok(copy)
}

/// Returns whether a write is refused for lack of space.
fn is_full(port: &mut dyn Port) -> bool {
    let said = port.ask(&Request::new("POST", "/patient").body("{}"));
    said.status() == Some(507)
}

/// Starts a server on a read-only disk: it is refused with one sentence, and the file does not change.
///
/// # Errors
/// A description of what happened instead.
pub fn read_only(program: &Program) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    let database = clinic.database();
    let server = Server::start(program, &database)?;
    clinic.stock(&mut *server.ports(1).remove(0))?;
    server.kill()?;
    let before = fs::read(&database)?;
    let folder = database.parent().ok_or_else(|| Failure::new("the database is nowhere"))?;
    let script = r#"folder=$1; shift
        mount --bind "$folder" "$folder" && mount -o remount,bind,ro "$folder" || exit 1
        exec "$@""#;
    let refused = Server::run(&mut mounted(script, folder, program, &database));
    let refused = refused.err().map(|failure| failure.to_string()).unwrap_or_default();
    ensure(refused.contains("care.db"), || format!("a server on a disk that can only be read is told {refused:?}"))?;
    ensure(before == fs::read(&database)?, || "a file that can only be read was changed".to_owned())?;
    clinic.prove()
}

/// Returns the command that runs a server with mounts of its own, which this script makes in its directory.
fn mounted(script: &str, folder: &Path, program: &Program, database: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.env_clear().args(["-Urm", "sh", "-c", script, "sh"]).arg(folder);
    command.arg(&program.path).args(arguments(program, database)).stdin(Stdio::piped());
    command
}
