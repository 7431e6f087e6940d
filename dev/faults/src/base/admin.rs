//! `care-admin` as a process, in a directory with a database.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use care_testkit::{Program, ProgramEnd};

use super::programs;
use crate::{Result, ensure};

/// Longest time for a task.
const PATIENCE: Duration = Duration::from_secs(300);

/// The end of a task of `care-admin`.
#[derive(Debug, Clone)]
pub(crate) struct TaskEnd {
    /// Its exit code, unless it was killed.
    pub(crate) code: Option<i32>,
    /// Its standard output.
    pub(crate) out: String,
    /// Its standard error.
    pub(crate) err: String,
    /// The time that it took.
    pub(crate) after: Duration,
}

impl TaskEnd {
    /// Returns whether it succeeded.
    pub(crate) fn is_done(&self) -> bool {
        self.code == Some(0)
    }
}

/// Runs a task to its end, and kills it after this time if one is given.
///
/// # Errors
/// The task cannot be started, or does not end.
pub(crate) fn admin(folder: &Path, task: &[&str], kill: Option<Duration>) -> Result<TaskEnd> {
    let (begun, program) = (Instant::now(), Program::start(&mut command(folder, task)?)?);
    if let Some(after) = kill {
        thread::sleep(after);
        program.kill()?;
    }
    program.wait(PATIENCE)?;
    let ProgramEnd { status, after, out, log } = program.ended(begun)?;
    Ok(TaskEnd { code: status.code(), out: out.join("\n").trim().to_owned(), err: log.trim().to_owned(), after })
}

/// Issues a key in the database of this directory, and returns its id and itself.
pub(crate) fn issue(folder: &Path, database: &str, name: &str, scope: &str) -> Result<(String, String)> {
    let issued = admin(folder, &["keys", "issue", "--name", name, "--scope", scope, "--database", database], None)?;
    ensure!(issued.is_done(), "no key is issued: {issued:?}");
    Ok((issued.out.split('_').nth(1).unwrap_or_default().to_owned(), issued.out))
}

/// Returns the command that runs a task in this directory.
pub(crate) fn command(folder: &Path, task: &[&str]) -> Result<Command> {
    let mut command = Command::new(programs::admin()?);
    command.env_clear().args(task).current_dir(folder).stdin(Stdio::null());
    Ok(command)
}
