//! `care-admin` as a process, in a directory with a database.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use care_testkit::{Program, ProgramEnd};

use super::programs::built;
use crate::{Result, ensure};

/// Longest time for a task.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a task in this directory to its end, behind the words of another program if there are any, and kills it after
/// this time if one is given.
///
/// # Errors
/// The task cannot be started, or does not end.
pub(crate) fn admin(folder: &Path, behind: &[&str], task: &[&str], kill: Option<Duration>) -> Result<ProgramEnd> {
    let admin = built("care-admin")?.to_string_lossy().into_owned();
    let words = [behind, &[&admin], task].concat();
    let mut command = Command::new(words[0]);
    command.env_clear().args(&words[1..]).current_dir(folder).stdin(Stdio::null());
    let (begun, program) = (Instant::now(), Program::start(&mut command)?);
    if let Some(after) = kill {
        thread::sleep(after);
        program.kill()?;
    }
    program.wait(PATIENCE)?;
    Ok(program.ended(begun)?)
}

/// Issues a key in the database of this directory, and returns its id and itself.
pub(crate) fn issue(folder: &Path, database: &str, name: &str, scope: &str) -> Result<(String, String)> {
    let task = ["keys", "issue", "--name", name, "--scope", scope, "--database", database];
    let issued = admin(folder, &[], &task, None)?;
    ensure!(issued.status.success(), "no key is issued: {issued:?}");
    let key = issued.out.concat();
    Ok((key.split('_').nth(1).unwrap_or_default().to_owned(), key))
}
