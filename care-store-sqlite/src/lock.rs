//! Who owns a database.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{
    mark,
    open_error::{OpenErrorKind, Refusal},
};

/// A predecessor that is just shutting down is waited for so long.
const PATIENCE: Duration = Duration::from_secs(1);

/// The right to use a database, for as long as it lives: alone, or with others that share it.
///
/// It is a lock on a file beside the database. The system takes it back when the process ends, however it ends, so a
/// kill leaves no obstacle. The file itself stays: whoever removed it could remove one that another has just locked.
/// The database is never locked this way, because closing any handle of it would drop SQLite's own locks.
#[derive(Debug)]
pub(crate) struct Ownership {
    file: File,
    is_held: bool,
}

impl Ownership {
    /// Takes the lock beside the database at this canonical path. Where there is no database yet it is taken alone,
    /// so that one makes it while the others wait.
    pub(crate) fn take(database: &Path, shared: bool) -> Result<Self, Refusal> {
        let file = open(&beside(database, ".lock"))?;
        patiently(|| if shared && database.exists() { file.try_lock_shared() } else { file.try_lock() })?;
        let is_held = true;
        Ok(Self { file, is_held })
    }

    /// No right at all, for a guest beside those who have it.
    pub(crate) fn none(database: &Path) -> Result<Self, Refusal> {
        let file = open(&beside(database, ".lock"))?;
        let is_held = false;
        Ok(Self { file, is_held })
    }

    /// Lets others in that share it.
    pub(crate) fn share(&self) -> Result<(), Refusal> {
        self.file.unlock()?;
        patiently(|| self.file.try_lock_shared())
    }

    /// Stays as a guest.
    pub(crate) fn give_up(&mut self) -> Result<(), Refusal> {
        if self.is_held {
            self.file.unlock()?;
            self.is_held = false;
        }
        Ok(())
    }

    /// Notes how the database was closed; only an owner knows.
    pub(crate) fn leave(&self, database: &Path) -> io::Result<()> {
        match self.is_held {
            true => mark::keep(&self.file, &mark::of(database).unwrap_or_default()),
            false => Ok(()),
        }
    }

    /// Whether the database is exactly as an owner left it.
    pub(crate) fn is_as_left(&self, database: &Path) -> bool {
        let now = mark::of(database).filter(|_| self.is_held);
        now.is_some_and(|now| mark::kept(&self.file).is_ok_and(|kept| kept == now))
    }

    pub(crate) const fn is_held(&self) -> bool {
        self.is_held
    }

    /// Whether a guest has anybody beside it.
    pub(crate) fn has_company(&self) -> bool {
        match self.file.try_lock() {
            // For a moment only, and whoever comes just then tries again.
            Ok(()) => self.file.unlock().is_err(),
            Err(_) => true,
        }
    }
}

fn patiently(lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), Refusal> {
    let started = Instant::now();
    loop {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(20));
            }
            Err(error) => return Err(refusal(error)),
        }
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
