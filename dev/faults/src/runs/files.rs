//! Databases whose disk is full, or can only be read.

use std::{fs, net::SocketAddr, path::Path, thread, time::Duration};

use care_conformance::Dice;
use care_testkit::until;

use crate::{
    Clinic, Failure, Finding, Front as _, Outcome, Place, Port, Program, Request, Result, Run, Server, ask, ensure,
    probe, prove, stock,
};

/// Longest time until writes resume once there is space again, and until a probe notices that a disk is full.
const HEALING: Duration = Duration::from_secs(2);
/// Longest time in which a probe must be answered.
const PROBE: Duration = Duration::from_secs(1);

/// Fills the disk under a storm, beside probes, and starts a server on a disk that can only be read.
pub(crate) fn full(run: &Run) -> Result<Vec<Finding>> {
    run.on_each(|program, round, dice| {
        filled(program, dice)?;
        if round == 0 { read_only(program) } else { Ok(()) }
    })?;
    let found = "507 and nothing written, `/ready` 503 meanwhile; heals within 2 s; 0 lost";
    Ok(vec![Finding::new(format!("{} times on each server", run.each())).found(found)])
}

/// Fills the disk during a storm, and makes space again. Until then, writes are answered with 507, reads continue, and
/// no answer is a lie. The server is not ready meanwhile, but it is alive and serves its metrics.
fn filled(program: &Program, dice: &mut Dice) -> Result<()> {
    let mut clinic = Clinic::new()?;
    // A server wants 8 MiB free, and a new database takes less than 1 MiB.
    let script = r#"folder=$1; shift
        mount -t tmpfs -o size=24m tmpfs "$folder" || exit 1
        exec 3<&0
        { read -r line <&3; cat /dev/zero > "$folder/ballast" 2>/dev/null; read -r line <&3; rm "$folder/ballast"; } &
        exec "$@""#;
    let program = program.with(&["--metrics", "127.0.0.1:0"]).mounted(script, clinic.place.folder());
    let server = Server::start(&program, &clinic.database())?;
    let figures = server.metrics()?;
    let mut port = server.port();
    stock(&mut port)?;
    is_ready(figures, 200)?;
    let was_full = clinic.beside(server.ports(8), dice, |storm, _| {
        storm.wait(Duration::from_millis(50), || false);
        server.tell("fill\n")?;
        // The file and its log still have free space inside for a while.
        let was_full = until(Duration::from_secs(30), || {
            thread::sleep(Duration::from_millis(20));
            is_full(&mut port)
        });
        // Writes after the first refusal count too: a log that starts over makes space for a while.
        thread::sleep(Duration::from_millis(200));
        Ok(was_full)
    })?;
    ensure!(was_full, "the disk does not run full");
    let unknown = clinic.asked.iter().find(|asked| asked.outcome == Outcome::Unknown);
    ensure!(unknown.is_none(), "on a full disk the outcome is unknown: {unknown:?}");
    is_ready(figures, 503)?;
    for (path, due) in [("/alive", 200), ("/metrics", 200), ("/ready", 503)] {
        let (status, wait) = probe(figures, path)?;
        ensure!(status == due && wait < PROBE, "on a full disk {path} is answered {status} after {wait:?}");
    }
    ask(&mut port, Request::get("/inventory"))?;
    server.tell("room\n")?;
    ensure!(until(HEALING, || !is_full(&mut port)), "with room again, no write is acknowledged");
    is_ready(figures, 200)?;
    let copy = copied(&server, clinic.place.folder())?;
    server.kill()?;
    prove(&copy.database(), &clinic.asked, usize::MAX)
}

/// Starts a server on a read-only disk: it is refused with one sentence, and the file does not change.
fn read_only(program: &Program) -> Result<()> {
    let clinic = Clinic::new()?;
    clinic.serve(program)?.kill()?;
    let before = fs::read(clinic.database())?;
    let script = r#"folder=$1; shift
        mount --bind "$folder" "$folder" && mount -o remount,bind,ro "$folder" || exit 1
        exec "$@""#;
    let refused = Server::start(&program.mounted(script, clinic.place.folder()), &clinic.database());
    let refused = refused.err().map(|failure| failure.to_string()).unwrap_or_default();
    ensure!(refused.contains("care.db"), "a server on a disk that can only be read is told {refused:?}");
    ensure!(before == fs::read(clinic.database())?, "a file that can only be read was changed");
    clinic.prove()
}

/// Waits until `/ready` answers with this status.
fn is_ready(figures: SocketAddr, due: u16) -> Result<()> {
    let mut last = Err(Failure::new("not asked"));
    let is_due = until(HEALING, || {
        last = probe(figures, "/ready");
        last.as_ref().is_ok_and(|(status, _)| *status == due)
    });
    let (status, wait) = last?;
    ensure!(wait < PROBE, "/ready is answered after {wait:?}");
    ensure!(is_due, "/ready is {status} for {HEALING:?}, and not {due}");
    Ok(())
}

/// Returns a copy of a server's database from a disk that no other process sees: it is read through the server's
/// process.
fn copied(server: &Server, folder: &Path) -> Result<Place> {
    let copy = Place::new()?;
    for name in ["care.db", "care.db-wal"] {
        let seen = server.proc("root").join(folder.join(name).strip_prefix("/").unwrap_or(folder));
        fs::copy(seen, copy.path(name))?;
    }
    Ok(copy)
}

/// Returns whether a write is refused for lack of space.
fn is_full(port: &mut dyn Port) -> bool {
    port.ask(&Request::new("POST", "/patient").body("{}")).status() == Some(507)
}
