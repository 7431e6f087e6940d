//! The user that PostgreSQL runs as.

use std::{fs, io, os::unix::fs::chown, os::unix::process::CommandExt, path::Path, process::Command};

/// The user that PostgreSQL runs as if the tests run as root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct User {
    other: Option<(u32, u32)>,
}

impl User {
    /// Returns the user who runs the tests or, if that is root, `postgres` or `nobody`.
    pub(crate) fn find() -> io::Result<Self> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self { other: None });
        }
        let users = fs::read_to_string("/etc/passwd")?;
        let found = ["postgres", "nobody"].iter().find_map(|name| {
            let fields: Vec<_> =
                users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|f| f[0] == *name)?;
            Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
        });
        let other = found.ok_or_else(|| io::Error::other("root has no other user to run PostgreSQL as"))?;
        Ok(Self { other: Some(other) })
    }

    /// Makes the user the owner of a directory.
    pub(crate) fn give(self, path: &Path) -> io::Result<()> {
        match self.other {
            Some((user, group)) => chown(path, Some(user), Some(group)),
            None => Ok(()),
        }
    }

    /// Makes a program run as the user.
    pub(crate) fn run(self, command: &mut Command) -> &mut Command {
        match self.other {
            Some((user, group)) => command.uid(user).gid(group),
            None => command,
        }
    }
}
