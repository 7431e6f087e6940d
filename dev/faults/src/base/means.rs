//! Tracing and mounting, which not every machine allows.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use super::programs::Program;
use crate::{Finding, Result};

/// Reports that a part is left out here.
pub(crate) fn left_out(reason: &str) -> Result<Vec<Finding>> {
    eprintln!("care-faults: left out: {reason}");
    Ok(Vec::new())
}

/// Returns whether calls can be traced here.
pub(crate) fn can_trace() -> bool {
    works("strace", &["-f", "-qq", "-o", "/dev/null", "true"])
}

/// Returns whether small disks can be mounted here, visible only to a process and its children.
pub(crate) fn can_mount() -> bool {
    works("unshare", &["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
}

fn works(program: &str, arguments: &[&str]) -> bool {
    let mut probe = Command::new(program);
    probe.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// Returns the command that runs a server on a database, with this fault in the calls that write to it or to its log.
pub(crate) fn traced(program: &Program, database: &Path, fault: &str) -> Command {
    let mut command = Command::new("strace");
    // strace runs as a grandchild, so that the child is the server itself.
    command.env_clear().args(["-D", "-f", "-qq", "-o", "/dev/null"]);
    for suffix in ["", "-wal"] {
        let mut file = database.as_os_str().to_owned();
        file.push(suffix);
        command.arg("-P").arg(file);
    }
    command.args(["-e", "trace=pwrite64,fsync,ftruncate", "-e", &format!("inject={fault}")]);
    command.arg(&program.path).args(program.arguments(database));
    command
}

/// Returns the command that runs a server with mounts of its own, which this script makes in its directory.
pub(crate) fn mounted(script: &str, program: &Program, database: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.env_clear().args(["-Urm", "sh", "-c", script, "sh"]).arg(database.parent().unwrap_or(Path::new("/")));
    command.arg(&program.path).args(program.arguments(database)).stdin(Stdio::piped());
    command
}
