//! Tracing and mounting, which not every machine allows.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use super::programs::Program;

/// A right or a program that a row needs, and that not every machine has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Means {
    /// The words of a command that works where the machine has it.
    works: &'static [&'static str],
    /// The reason to leave the row out elsewhere.
    pub(crate) otherwise: &'static str,
}

/// Calls can be traced.
pub(crate) const TRACING: Means =
    Means { works: &["strace", "-f", "-qq", "-o", "/dev/null", "true"], otherwise: "strace cannot trace here" };
/// Small disks can be mounted, visible only to a process and its children.
pub(crate) const MOUNTING: Means = Means {
    works: &["unshare", "-Urm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
    otherwise: "nothing can be mounted here",
};

impl Means {
    /// Returns whether this machine has it.
    pub(crate) fn are_here(&self) -> bool {
        let mut probe = Command::new(self.works[0]);
        probe.args(&self.works[1..]).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    }
}

impl Program {
    /// Returns the program with this fault in the calls that write to a database or to its log.
    pub(crate) fn traced(&self, database: &Path, fault: &str) -> Self {
        let (file, log) = (database.to_string_lossy(), format!("{}-wal", database.display()));
        // strace runs as a grandchild, so that the child is the server itself.
        let (calls, fault) = ("trace=pwrite64,fsync,ftruncate", format!("inject={fault}"));
        let words = ["-D", "-f", "-qq", "-o", "/dev/null", "-P", &file, "-P", &log, "-e", calls, "-e", &fault];
        self.behind("strace", &words)
    }

    /// Returns the program with mounts of its own, which this script makes in the directory of a database.
    pub(crate) fn mounted(&self, script: &str, folder: &Path) -> Self {
        self.behind("unshare", &["-Urm", "sh", "-c", script, "sh", &folder.to_string_lossy()])
    }
}
