//! Tasks that are killed at each of their system calls in turn.

use std::process::Command;

use crate::{
    BACKED_UP, BEFORE, Failure, Finding, Inside, Place, Request, Run, ask, can_trace, command, ensure, left_out,
};

/// The calls that change or look up files and their names.
const CALLS: [&str; 9] =
    ["pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "link,linkat", "rename", "flock", "openat"];
/// Most kills at one kind of call; no task makes that many calls.
const MOST: u64 = 500;

/// A task after which a file has the content of `backup.db`.
struct Task {
    arguments: &'static [&'static str],
    /// The file that the task changes.
    file: &'static str,
    /// The file's content before the task.
    before: &'static str,
}

const TASKS: [Task; 4] = [
    Task { arguments: &["restore", "backup.db", "--overwrite"], file: "care.db", before: "before.db" },
    Task { arguments: &["restore", "backup.db", "--overwrite"], file: "care.db", before: "killed.db" },
    Task {
        arguments: &["backup", "--database", "backup.db", "old.db", "--overwrite"],
        file: "old.db",
        before: "before.db",
    },
    // The first use of a backup as a database.
    Task { arguments: &["stats"], file: "care.db", before: "backup.db" },
];

/// Kills a restore, a backup, and the first use of a backup at each system call that changes or opens a file; the
/// rounds are the step from one of these calls to the next. Afterwards the file is sound, has either its old or its new
/// content, and the task can be repeated.
pub(crate) fn each_call(run: &Run) -> Result<Vec<Finding>, Failure> {
    if !can_trace() {
        return left_out("strace cannot trace here");
    }
    let sources = Place::new()?;
    sources.create("made.db", BACKED_UP, false)?;
    sources.done(&["backup", "--database", "made.db", "backup.db"])?;
    sources.create("before.db", BEFORE, false)?;
    // A killed server leaves a log that holds all its records.
    let mut inside = Inside::open(&sources.path("open.db"))?;
    ask(&mut inside, Request::registration(BEFORE))?;
    sources.copy(&sources, "open.db", "killed.db")?;
    sources.copy(&sources, "open.db-wal", "killed.db-wal")?;
    drop(inside);
    let mut kills = 0;
    for task in &TASKS {
        for call in CALLS {
            for at in (1..=MOST).step_by(run.rounds as usize) {
                let circumstances = || format!("care-admin {}, killed at {call} {at}", task.arguments.join(" "));
                if !killed(&sources, task, call, at).map_err(|failure| failure.when(circumstances()))? {
                    break;
                }
                kills += 1;
            }
        }
    }
    let found = "each time the file is sound, and the one or the other; the task works when it is run again";
    Ok(vec![Finding::new(format!("{kills} kills")).found(found)])
}

/// Returns whether the task reached the call.
fn killed(sources: &Place, task: &Task, call: &str, at: u64) -> Result<bool, Failure> {
    let place = Place::new()?;
    place.copy(sources, "backup.db", "backup.db")?;
    place.copy(sources, task.before, task.file)?;
    let log = format!("{}-wal", task.before);
    if sources.path(&log).exists() {
        place.copy(sources, &log, &format!("{}-wal", task.file))?;
    }
    let plain = command(place.folder(), task.arguments)?;
    let mut traced = Command::new("strace");
    traced.env_clear().args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    traced.args(["-e", &format!("inject={call}:signal=KILL:when={at}")]);
    traced.arg(plain.get_program()).args(plain.get_args()).current_dir(place.folder());
    let ended = traced.output()?;
    let code = ended.status.code();
    ensure(matches!(code, None | Some(0)), || String::from_utf8_lossy(&ended.stderr).into_owned())?;

    let is_new = place.holds(task.file, BACKED_UP)?;
    let is_old = place.holds(task.file, BEFORE)?;
    ensure(is_new != is_old, || format!("the backup is there: {is_new}, the former: {is_old}"))?;
    ensure(code.is_none() || is_new, || "a false success".to_owned())?;
    place.done(task.arguments)?;
    ensure(place.holds(task.file, BACKED_UP)?, || "it does nothing when it is run again".to_owned())?;
    place.done(&["verify", "--database", task.file])?;
    place.has_no_drafts()?;
    Ok(code.is_none())
}
