//! Databases that another process has locked, that are read-only, or whose disk is full.

use std::{
    fs,
    net::SocketAddr,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use care_testkit::until;
use rusqlite::Connection;

use crate::{
    Clinic, Failure, Finding, Outcome, Place, Port, Program, Request, Run, Server, ask, can_mount, ensure, left_out,
    mounted, probe, prove, stock, told, verify,
};

/// Longest time that a server may wait for another process's lock: two seconds, and slack for slow machines.
const LOCKED: Duration = Duration::from_secs(6);
/// Longest time until writes resume once there is space again, and until a probe notices that a disk is full.
const HEALING: Duration = Duration::from_secs(2);
/// Longest time in which a probe must be answered.
const PROBE: Duration = Duration::from_secs(1);

/// Locks the database from another connection.
pub(crate) fn locked(run: &Run) -> Result<Vec<Finding>, Failure> {
    run.on_each(|program, _, _| held(program))?;
    let found = "503 within 6 s and nothing written";
    Ok(vec![Finding::new(format!("{} times on each server", run.each())).found(found)])
}

/// Fills the disk under a storm, and beside probes, and starts a server on a disk that can only be read.
pub(crate) fn full(run: &Run) -> Result<Vec<Finding>, Failure> {
    if !can_mount() {
        return left_out("nothing can be mounted here");
    }
    run.on_each(|program, round, dice| {
        filled(program, dice)?;
        match round {
            0 => full_beside_probes(program).and_then(|()| read_only(program)),
            _ => Ok(()),
        }
    })?;
    let found = "507 and nothing written, `/ready` 503 meanwhile; heals within 2 s; 0 lost";
    Ok(vec![Finding::new(format!("{} times on each server", run.each())).found(found)])
}

/// Checks that writes are refused in time while another connection has the file locked, that reads continue, and that
/// afterwards everything works as before.
fn held(program: &Program) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    let server = clinic.serve(program)?;
    let mut port = server.port();
    let stranger = Connection::open(clinic.database())?;
    stranger.execute_batch("BEGIN IMMEDIATE")?;
    let begun = Instant::now();
    told(&mut port, &anybody(), 503)?;
    ensure(begun.elapsed() < LOCKED, || format!("a write to a locked file is refused after {:?}", begun.elapsed()))?;
    ask(&mut port, Request::get("/inventory"))?;
    drop(stranger);
    let number = ask(&mut port, anybody())?.number();
    ensure(number == Some(1), || format!("the first patient who was not refused has the number {number:?}"))?;
    server.kill()?;
    clinic.prove()
}

/// Fills the disk during a storm, and makes space again: until then, writes are answered with 507 and reads continue,
/// and no answer is a lie.
fn filled(program: &Program, dice: &mut Dice) -> Result<(), Failure> {
    let mut clinic = Clinic::new()?;
    let script = r#"folder=$1; shift
        mount -t tmpfs -o size=6m tmpfs "$folder" && head -c 2000000 /dev/zero > "$folder/ballast" || exit 1
        exec 3<&0
        { read -r line <&3; rm "$folder/ballast"; } &
        exec "$@""#;
    let server = Server::run(&mut mounted(script, program, &clinic.database()))?;
    let mut port = server.port();
    stock(&mut port)?;
    let was_full = clinic.beside(server.ports(8), dice, |_, _| {
        let was_full = until(Duration::from_secs(30), || {
            thread::sleep(Duration::from_millis(20));
            is_full(&mut port)
        });
        // Writes after the first refusal count too: a log that starts over makes space for a while.
        thread::sleep(Duration::from_millis(200));
        Ok(was_full)
    })?;
    ensure(was_full, || "the disk does not run full".to_owned())?;
    let unknown = clinic.asked.iter().find(|asked| asked.outcome == Outcome::Unknown);
    ensure(unknown.is_none(), || format!("on a full disk the outcome is unknown: {unknown:?}"))?;
    ask(&mut port, Request::get("/inventory"))?;
    server.tell("room\n")?;
    let heals = until(HEALING, || !is_full(&mut port));
    ensure(heals, || "with room again, no write is acknowledged".to_owned())?;
    let copy = copied(&server, clinic.place.folder())?;
    server.kill()?;
    prove(&copy.database(), &clinic.asked, usize::MAX)
}

/// Fills a server's disk while probes are running: the server is not ready until there is space again, but it is alive
/// and serves its metrics, reads continue, and writes are answered with 507.
fn full_beside_probes(program: &Program) -> Result<(), Failure> {
    let place = Place::on_disk()?;
    // A server wants 8 MiB free, and a new database takes less than 1 MiB.
    let script = r#"folder=$1; shift
        mount -t tmpfs -o size=24m tmpfs "$folder" || exit 1
        exec 3<&0
        { read -r line <&3; cat /dev/zero > "$folder/ballast" 2>/dev/null; read -r line <&3; rm "$folder/ballast"; } &
        exec "$@""#;
    let program = program.with(&["--metrics", "127.0.0.1:0"]);
    let server = Server::run(&mut mounted(script, &program, &place.database()))?;
    let figures = server.metrics()?;
    let mut port = server.port();
    stock(&mut port)?;
    is_ready(figures, 200)?;
    for _ in 0..3 {
        ensure(!is_full(&mut port), || "a write is refused while there is room".to_owned())?;
    }
    server.tell("fill\n")?;
    is_ready(figures, 503)?;
    // The file and its log still have free space inside for a while.
    let fills = until(Duration::from_secs(30), || is_full(&mut port));
    ensure(fills, || "writes go on although the disk is full".to_owned())?;
    for (path, due) in [("/alive", 200), ("/metrics", 200), ("/ready", 503)] {
        let (status, wait) = probe(figures, path)?;
        let is_due = status == due && wait < PROBE;
        ensure(is_due, || format!("on a full disk {path} is answered {status} after {wait:?}"))?;
    }
    ask(&mut port, Request::get("/inventory"))?;
    server.tell("room\n")?;
    is_ready(figures, 200)?;
    ensure(!is_full(&mut port), || "with room again, no write is acknowledged".to_owned())?;
    let copy = copied(&server, place.folder())?;
    server.kill()?;
    verify(&copy.database())
}

/// Starts a server on a read-only disk: it is refused with one sentence, and the file does not change.
fn read_only(program: &Program) -> Result<(), Failure> {
    let clinic = Clinic::new()?;
    clinic.serve(program)?.kill()?;
    let before = fs::read(clinic.database())?;
    let script = r#"folder=$1; shift
        mount --bind "$folder" "$folder" && mount -o remount,bind,ro "$folder" || exit 1
        exec "$@""#;
    let refused = Server::run(&mut mounted(script, program, &clinic.database()));
    let refused = refused.err().map(|failure| failure.to_string()).unwrap_or_default();
    ensure(refused.contains("care.db"), || format!("a server on a disk that can only be read is told {refused:?}"))?;
    ensure(before == fs::read(clinic.database())?, || "a file that can only be read was changed".to_owned())?;
    clinic.prove()
}

/// Waits until `/ready` answers with this status.
fn is_ready(figures: SocketAddr, due: u16) -> Result<(), Failure> {
    let mut last = Err(Failure::new("not asked"));
    let is_due = until(HEALING, || {
        last = probe(figures, "/ready");
        last.as_ref().is_ok_and(|(status, _)| *status == due)
    });
    let (status, wait) = last?;
    ensure(wait < PROBE, || format!("/ready is answered after {wait:?}"))?;
    ensure(is_due, || format!("/ready is {status} for {HEALING:?}, and not {due}"))
}

/// Returns a copy of a server's database from a disk that no other process sees: it is read through the server's
/// process.
fn copied(server: &Server, folder: &Path) -> Result<Place, Failure> {
    let copy = Place::new()?;
    for name in ["care.db", "care.db-wal"] {
        let seen = server.proc("root").join(folder.join(name).strip_prefix("/").unwrap_or(folder));
        fs::copy(seen, copy.path(name))?;
    }
    Ok(copy)
}

/// Returns whether a write is refused for lack of space.
fn is_full(port: &mut dyn Port) -> bool {
    port.ask(&anybody()).status() == Some(507)
}

fn anybody() -> Request {
    Request::new("POST", "/patient").body("{}")
}
