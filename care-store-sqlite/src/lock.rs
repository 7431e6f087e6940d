//! Who owns a database.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::open_error::{OpenErrorKind, Refusal};

/// A predecessor that is just shutting down is waited for so long.
const PATIENCE: Duration = Duration::from_secs(1);

/// The right to use a database, for as long as it lives: alone, or with others that share it.
///
/// It is a lock on a file beside the database. The system takes it back when the process ends, however it ends, so a
/// kill leaves no obstacle. The file itself stays: whoever removed it could remove one that another has just locked.
/// The database is never locked this way, because closing any handle of it would drop SQLite's own locks.
#[derive(Debug)]
pub(crate) struct Ownership {
    locked: File,
}

impl Ownership {
    /// Takes the lock beside the database at this canonical path. Where there is no database yet it is taken alone,
    /// so that one makes it while the others wait.
    pub(crate) fn take(database: &Path, shared: bool) -> Result<Self, Refusal> {
        let file = open(&beside(database, ".lock"))?;
        let started = Instant::now();
        loop {
            let taken = if shared && database.exists() {
                file.try_lock_shared()
            } else {
                file.try_lock()
            };
            match taken {
                Ok(()) => return Ok(Self { locked: file }),
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(refusal(error)),
            }
        }
    }

    /// Lets others in that share it.
    pub(crate) fn share(&self) -> Result<(), Refusal> {
        self.locked.unlock()?;
        self.locked.try_lock_shared().map_err(refusal)
    }
}

fn refusal(error: TryLockError) -> Refusal {
    match error {
        TryLockError::WouldBlock => OpenErrorKind::InUse.into(),
        TryLockError::Error(error) => error.into(),
    }
}

/// A file name beside the database, in the manner of `-wal`.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Makes a file that only its owner can use, whatever the umask; fails when there is one.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(0o600).open(path)?;
        file.set_permissions(PermissionsExt::from_mode(0o600))?;
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

fn open(path: &Path) -> io::Result<File> {
    match create_private(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().read(true).write(true).open(path)
        }
        opened => opened,
    }
}
