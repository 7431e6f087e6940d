//! Tasks that are killed at each of their system calls in turn.

use std::fs;

use crate::{BACKED_UP, BEFORE, Context as _, Finding, Inside, Place, Request, Result, Run, admin, ask, ensure, issue};

/// The calls that change or look up files and their names.
const CALLS: [&str; 9] =
    ["pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "link,linkat", "rename", "flock", "openat"];
/// The number of patients that are imported.
const PATIENTS: u64 = 200;
/// Most kills at one kind of call; no task makes that many calls.
const MOST: u64 = 500;

struct Task<'a> {
    arguments: &'a [&'a str],
    /// The file that the task changes.
    file: &'static str,
    /// The file's content before the task, if there is one.
    before: Option<&'static str>,
    /// Judges what the task has left; its exit code is `None` if it was killed.
    judge: fn(&Place, &Self, Option<i32>) -> Result<()>,
}

/// Kills a restore, a backup, the first use of a backup, an import, and the rotation of a key at each system call that
/// changes or opens a file; the rounds are the step from one of these calls to the next. Afterwards the file is sound,
/// and has either its old or its new content.
pub(crate) fn each_call(run: &Run) -> Result<Vec<Finding>> {
    let sources = Place::new()?;
    sources.create("made.db", BACKED_UP, false)?;
    sources.done(&["backup", "--database", "made.db", "backup.db"])?;
    sources.create("before.db", BEFORE, false)?;
    sources.create("keyed.db", BEFORE, false)?;
    let mut inside = Inside::open(&sources.path("source.db"))?;
    (1..=PATIENTS).try_for_each(|id| ask(&mut inside, Request::registration(id)).map(drop))?;
    drop(inside);
    sources.done(&["export", "--database", "source.db", "--out", "source.ndjson"])?;
    let (id, _) = issue(sources.folder(), "keyed.db", "Clerk", "inventory:read")?;
    // A killed server leaves a log that holds all its records.
    let mut inside = Inside::open(&sources.path("open.db"))?;
    ask(&mut inside, Request::registration(BEFORE))?;
    sources.copy(&sources, "open.db", "killed.db")?;
    sources.copy(&sources, "open.db-wal", "killed.db-wal")?;
    drop(inside);
    let restore = &["restore", "backup.db", "--overwrite"];
    let backup = &["backup", "--database", "backup.db", "old.db", "--overwrite"];
    let tasks = [
        Task { arguments: restore, file: "care.db", before: Some("before.db"), judge: is_old_or_new },
        Task { arguments: restore, file: "care.db", before: Some("killed.db"), judge: is_old_or_new },
        Task { arguments: backup, file: "old.db", before: Some("before.db"), judge: is_old_or_new },
        // The first use of a backup as a database.
        Task { arguments: &["stats"], file: "care.db", before: Some("backup.db"), judge: is_old_or_new },
        Task {
            arguments: &["import", "--in", "source.ndjson"],
            file: "care.db",
            before: None,
            judge: is_imported_when_it_is_run_again,
        },
        Task {
            arguments: &["keys", "rotate", &id, "--overlap", "0"],
            file: "care.db",
            before: Some("keyed.db"),
            judge: has_one_key,
        },
    ];
    let mut kills = 0;
    for task in &tasks {
        for call in CALLS {
            for at in (1..=MOST).step_by(run.rounds as usize) {
                let circumstances = format!("care-admin {}, killed at {call} {at}", task.arguments.join(" "));
                if !killed(&sources, task, call, at).when(circumstances)? {
                    break;
                }
                kills += 1;
            }
        }
    }
    let found = "each time the file is sound, and the one or the other; the task works when it is run again, an import \
                 to the byte; always one valid key";
    Ok(vec![Finding::new(format!("{kills} kills")).found(found)])
}

/// Returns whether the task reached the call.
fn killed(sources: &Place, task: &Task<'_>, call: &str, at: u64) -> Result<bool> {
    let place = Place::new()?;
    place.copy(sources, "backup.db", "backup.db")?;
    place.copy(sources, "source.ndjson", "source.ndjson")?;
    if let Some(before) = task.before {
        place.copy(sources, before, task.file)?;
        let log = format!("{before}-wal");
        if sources.path(&log).exists() {
            place.copy(sources, &log, &format!("{}-wal", task.file))?;
        }
    }
    let (calls, fault) = (format!("trace={call}"), format!("inject={call}:signal=KILL:when={at}"));
    let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &calls, "-e", &fault];
    let ended = admin(place.folder(), &strace, task.arguments, None)?;
    let code = ended.status.code();
    ensure!(matches!(code, None | Some(0)), "{}", ended.log);
    (task.judge)(&place, task, code)?;
    place.done(&["verify", "--database", task.file])?;
    place.has_no_drafts()?;
    Ok(code.is_none())
}

/// Checks that the file has its old content or that of the backup, and the latter once the task is run again.
fn is_old_or_new(place: &Place, task: &Task<'_>, code: Option<i32>) -> Result<()> {
    let is_new = place.holds(task.file, BACKED_UP)?;
    let is_old = place.holds(task.file, BEFORE)?;
    ensure!(is_new != is_old, "the backup is there: {is_new}, the former: {is_old}");
    ensure!(code.is_none() || is_new, "a false success");
    place.done(task.arguments)?;
    ensure!(place.holds(task.file, BACKED_UP)?, "it does nothing when it is run again");
    Ok(())
}

/// Checks that an import goes on where it was cut off, to the byte.
fn is_imported_when_it_is_run_again(place: &Place, task: &Task<'_>, _: Option<i32>) -> Result<()> {
    place.done(task.arguments)?;
    place.done(&["export", "--database", task.file, "--out", "again.ndjson"])?;
    let is_equal = fs::read(place.path("again.ndjson"))? == fs::read(place.path("source.ndjson"))?;
    ensure!(is_equal, "the journal is another one");
    Ok(())
}

/// Checks that the key is rotated or not at all, so that one of both is valid.
fn has_one_key(place: &Place, task: &Task<'_>, code: Option<i32>) -> Result<()> {
    let list = place.done(&["keys", "list", "--database", task.file])?.out;
    let valid: Vec<_> = list.iter().filter(|line| line.contains(" valid ")).collect();
    ensure!(valid.len() == 1, "these keys are valid: {valid:?}");
    ensure!(code.is_none() || !valid[0].starts_with(task.arguments[2]), "a false success");
    Ok(())
}
