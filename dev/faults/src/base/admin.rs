//! `care-admin` as a process, in a directory with a database.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use care_testkit::{Program, ProgramEnd};

use super::{
    finding::{Failure, ensure},
    programs,
};

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

/// Runs a task to its end.
///
/// # Errors
/// The task cannot be started, or does not end.
pub(crate) fn admin(folder: &Path, task: &[&str]) -> Result<TaskEnd, Failure> {
    RunningTask::begin(folder, task)?.end()
}

/// Issues a key in the database of this directory, and returns its id and itself.
pub(crate) fn issue(folder: &Path, database: &str, name: &str, scope: &str) -> Result<(String, String), Failure> {
    let issued = admin(folder, &["keys", "issue", "--name", name, "--scope", scope, "--database", database])?;
    ensure(issued.is_done(), || format!("no key is issued: {issued:?}"))?;
    Ok((issued.out.split('_').nth(1).unwrap_or_default().to_owned(), issued.out))
}

/// Returns the command that runs a task in this directory.
pub(crate) fn command(folder: &Path, task: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(programs::admin()?);
    command.env_clear().args(task).current_dir(folder).stdin(Stdio::null());
    Ok(command)
}

/// A running `care-admin` task. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct RunningTask {
    program: Program,
    begun: Instant,
}

impl RunningTask {
    /// Starts a task.
    pub(crate) fn begin(folder: &Path, task: &[&str]) -> Result<Self, Failure> {
        Ok(Self { begun: Instant::now(), program: Program::start(&mut command(folder, task)?)? })
    }

    /// Kills it (SIGKILL) if it is still running.
    pub(crate) fn kill(&self) -> Result<(), Failure> {
        Ok(self.program.kill()?)
    }

    /// Waits until it has ended, and returns how.
    pub(crate) fn end(self) -> Result<TaskEnd, Failure> {
        self.program.wait(PATIENCE)?;
        let ProgramEnd { status, after, out, log } = self.program.ended(self.begun)?;
        Ok(TaskEnd { code: status.code(), out: out.join("\n").trim().to_owned(), err: log.trim().to_owned(), after })
    }
}
