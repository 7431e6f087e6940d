//! `care-admin` as a process, in a directory with a database.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{failure::Failure, programs};

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

    fn of(output: &Output, begun: Instant) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Self {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
            after: begun.elapsed(),
        }
    }
}

/// Runs a task to its end.
///
/// # Errors
/// The task cannot be started.
pub(crate) fn admin(folder: &Path, task: &[&str]) -> Result<TaskEnd, Failure> {
    let begun = Instant::now();
    let output = command(folder, task)?.output()?;
    Ok(TaskEnd::of(&output, begun))
}

/// Returns the command that runs a task in this directory.
pub(crate) fn command(folder: &Path, task: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(programs::admin()?);
    command.env_clear().args(task).current_dir(folder).stdin(Stdio::null());
    Ok(command)
}

/// A running `care-admin` task.
#[derive(Debug)]
pub(crate) struct RunningTask {
    child: Child,
    begun: Instant,
    said: PathBuf,
}

impl RunningTask {
    /// Starts a task. Its output goes into files in the directory.
    pub(crate) fn begin(folder: &Path, task: &[&str]) -> Result<Self, Failure> {
        let said = folder.join(format!("said-{}", task[0]));
        let (out, err) = (File::create(&said)?, File::create(said.with_extension("err"))?);
        let child = command(folder, task)?.stdout(out).stderr(err).spawn()?;
        Ok(Self { child, begun: Instant::now(), said })
    }

    /// Kills it (SIGKILL) if it is still running.
    pub(crate) fn kill(&mut self) -> Result<(), Failure> {
        // It may already have ended.
        let _ = self.child.kill();
        Ok(())
    }

    /// Waits until it has ended, and returns how.
    pub(crate) fn end(mut self) -> Result<TaskEnd, Failure> {
        while self.begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
                let after = self.begun.elapsed();
                let (out, err) = (read(&self.said), read(&self.said.with_extension("err")));
                return Ok(TaskEnd { code: status.code(), out, err, after });
            }
            thread::sleep(Duration::from_millis(1));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        Err(Failure::new("care-admin does not end"))
    }
}
