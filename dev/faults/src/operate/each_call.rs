//! Tasks that are killed at each of their system calls in turn.

use std::process::Command;

use super::place::{BACKED_UP, BEFORE, Place, told};
use crate::{
    base::{
        admin,
        failure::{Failure, ensure},
        finding::Finding,
        inside::Inside,
    },
    work::clients::ask,
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

/// Kills a restore, a backup, and the first use of a backup at each system call that changes or opens a file, or at
/// every `every`-th one. Afterwards the file is sound, has either its old or its new content, and the task can be
/// repeated.
///
/// # Errors
/// A database with neither content, with the task and the call.
pub fn each_call(every: usize) -> Result<Vec<Finding>, Failure> {
    let sources = Place::new()?;
    sources.database("made.db", BACKED_UP, false)?;
    sources.done(&["backup", "--database", "made.db", "backup.db"])?;
    sources.database("before.db", BEFORE, false)?;
    killed_with_a_log(&sources)?;
    let mut kills = 0;
    for task in &TASKS {
        for call in CALLS {
            for at in (1..=MOST).step_by(every.max(1)) {
                let circumstances = || format!("care-admin {}, killed at {call} {at}", task.arguments.join(" "));
                if !killed(&sources, task, call, at).map_err(|failure| failure.when(circumstances()))? {
                    break;
                }
                kills += 1;
            }
        }
    }
    let what = "`care-admin restore` and `backup`, each with `--overwrite`, and the first use of a backup, \
        killed at each system call that changes or opens a file";
    let found = "each time the file is sound, and the one or the other; the task works when it is run again";
    Ok(vec![Finding::of(what, format!("{kills} kills")).found(found)])
}

/// Makes `killed.db`, whose log holds all its records, as a killed server leaves it.
fn killed_with_a_log(sources: &Place) -> Result<(), Failure> {
    let mut inside = Inside::open(&sources.path("open.db"))?;
    ask(&mut inside, told(BEFORE))?;
    sources.copy(&sources.path("open.db"), "killed.db")?;
    sources.copy(&sources.path("open.db-wal"), "killed.db-wal")
}

/// Returns whether the task reached the call.
fn killed(sources: &Place, task: &Task, call: &str, at: u64) -> Result<bool, Failure> {
    let place = Place::new()?;
    place.copy(&sources.path("backup.db"), "backup.db")?;
    place.copy(&sources.path(task.before), task.file)?;
    let log = sources.path(&format!("{}-wal", task.before));
    if log.exists() {
        place.copy(&log, &format!("{}-wal", task.file))?;
    }
    let plain = admin::command(place.folder(), task.arguments)?;
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
