//! The ownership of a database, and the mark of a closed file, with which an unchanged large file need not be checked
//! again.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::paths::{self, beside, has_content, open_private};
use crate::base::{
    connect,
    open_error::{OpenErrorKind, Refusal},
};

/// The longest wait for an earlier owner that is shutting down.
const PATIENCE: Duration = Duration::from_secs(1);

/// The right to use a database while this lives: exclusively, or together with others that share it.
///
/// It is a lock on a file beside the database. The system releases it when the process ends in any way, so a kill
/// leaves no obstacle. The file itself stays once the database is in use, because a process that removed it could
/// remove one that another has just locked. Where the database is refused, the process that made the lock file removes
/// it again, unless it was [kept](Self::keep). The database itself is never locked in this way, because closing any
/// handle of it would drop SQLite's own locks.
///
/// An owner that is about to replace the database [says so](Self::replacing) in the lock file, because a guest, which
/// takes no lock, must not open the old one meanwhile.
#[derive(Debug)]
#[must_use = "the database has no owner once this is dropped"]
pub(crate) struct Ownership {
    file: File,
    path: PathBuf,
    is_held: bool,
    /// Whether this process has made the lock file, and has not used the database yet.
    is_to_go: bool,
}

impl Ownership {
    /// Takes the lock beside the database at this canonical path. Where there is no database yet the lock is exclusive,
    /// so that one process makes the database while the others wait.
    pub(crate) fn take(database: &Path, shared: bool) -> Result<Self, Refusal> {
        let path = beside(database, ".lock");
        let started = Instant::now();
        loop {
            let (file, is_new) = open_private(&path)?;
            // When the lock file is missing, a server may still be running on the database.
            let may_be_used = is_new && database.exists();
            let with_others = || shared && !may_be_used && database.exists();
            patiently(started, || if with_others() { file.try_lock_shared() } else { file.try_lock() })?;
            // Another process may have removed the file between the two calls.
            if paths::names(&path, &file)? {
                if may_be_used && connect::is_used(database, PATIENCE) {
                    // The mark goes with it, so that the next check is complete.
                    paths::unless_absent(fs::remove_file(&path))?;
                    return Err(OpenErrorKind::InUse.into());
                }
                let ownership = Self { file, path, is_held: true, is_to_go: is_new };
                forget_replacing(&ownership.file)?;
                return Ok(ownership);
            }
            if started.elapsed() >= PATIENCE {
                return Err(OpenErrorKind::InUse.into());
            }
        }
    }

    /// Returns an ownership without a right, for a guest beside the owners.
    pub(crate) fn none(database: &Path) -> Result<Self, Refusal> {
        let path = beside(database, ".lock");
        let (file, is_new) = open_private(&path)?;
        Ok(Self { file, path, is_held: false, is_to_go: is_new })
    }

    /// Lets the lock file stay: the database is in use, or in its place.
    pub(crate) const fn keep(&mut self) {
        self.is_to_go = false;
    }

    /// Announces, until the owner ends, that the database is being replaced.
    pub(crate) fn replacing(&self) -> io::Result<()> {
        keep_mark(&self.file, REPLACING)
    }

    /// Refuses a guest while the database is being replaced.
    ///
    /// Call it after opening the database: the owner announces the replacement first and then looks for guests, so that
    /// one of the two finds the other.
    pub(crate) fn admit(&self) -> Result<(), Refusal> {
        match !self.is_held && kept_mark(&self.file)? == REPLACING && self.has_company() {
            true => Err(OpenErrorKind::InUse.into()),
            false => Ok(()),
        }
    }

    /// Returns whether the path still names the lock file that is held, or that a guest has open.
    pub(crate) fn is_in_place(&self) -> io::Result<bool> {
        Ok(!self.is_held || paths::names(&self.path, &self.file)?)
    }

    /// Turns the exclusive right into a shared one.
    pub(crate) fn share(&self) -> Result<(), Refusal> {
        self.file.unlock()?;
        patiently(Instant::now(), || self.file.try_lock_shared())
    }

    /// Gives up the right, and stays as a guest.
    pub(crate) fn give_up(&mut self) -> Result<(), Refusal> {
        if self.is_held {
            self.file.unlock()?;
            self.is_held = false;
        }
        Ok(())
    }

    /// Notes the state in which the database was closed, which only an owner knows.
    pub(crate) fn leave(&self, database: &Path) -> io::Result<()> {
        match self.is_held {
            true => keep_mark(&self.file, &mark_of(database).unwrap_or_default()),
            false => Ok(()),
        }
    }

    /// Returns whether the database is exactly as an owner left it.
    pub(crate) fn is_as_left(&self, database: &Path) -> bool {
        let now = mark_of(database).filter(|_| self.is_held);
        now.is_some_and(|now| kept_mark(&self.file).is_ok_and(|kept| kept == now))
    }

    pub(crate) const fn is_held(&self) -> bool {
        self.is_held
    }

    /// Returns whether another process uses the database beside a guest.
    pub(crate) fn has_company(&self) -> bool {
        match self.file.try_lock() {
            // The lock is held for a moment only; a process that wants it just then tries again.
            Ok(()) => self.file.unlock().is_err(),
            Err(_) => true,
        }
    }
}

impl Drop for Ownership {
    /// Removes a lock file that this process made for nothing, unless another process holds it by now.
    fn drop(&mut self) {
        // A process that waits for this lock finds that the path no longer names it, and takes another.
        let is_mine = || self.file.try_lock().is_ok() && paths::names(&self.path, &self.file).unwrap_or_default();
        if self.is_to_go && is_mine() {
            // A file that stays does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn patiently(started: Instant, lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), Refusal> {
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

/// The text in place of a mark while an owner replaces the database.
const REPLACING: &str = "the database is being replaced\n";

/// The smallest size in bytes of a file with a mark. A smaller one is always checked, since that takes hardly any time.
const LARGE: u64 = 64 << 20;

/// Returns a mark that changes whenever the file does; `None` for a small file, beside a log, or when the system does
/// not provide the data.
fn mark_of(database: &Path) -> Option<String> {
    let metadata = fs::metadata(database).ok()?;
    let is_worthwhile = metadata.len() >= LARGE && !has_content(&beside(database, "-wal"));
    is_worthwhile.then(|| identity(&metadata)).flatten()
}

/// Returns the identity of the file's content. Its last two parts change with every write, and no process can set the
/// time of the last change of the file's own data.
#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let (inode, length) = (metadata.ino(), metadata.len());
    let written = (metadata.mtime(), metadata.mtime_nsec());
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    Some(format!("{inode} {length} {}.{:09} {}.{:09}\n", written.0, written.1, changed.0, changed.1))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<String> {
    None
}

/// Stores a mark in the file that the owner holds; an empty one means none.
fn keep_mark(mut file: &fs::File, mark: &str) -> io::Result<()> {
    use io::{Seek, Write};
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(mark.as_bytes())
}

/// Returns the stored mark, empty when there is none.
fn kept_mark(mut file: &fs::File) -> io::Result<String> {
    use io::{Read, Seek};
    let mut mark = String::new();
    file.rewind()?;
    file.take(256).read_to_string(&mut mark)?;
    Ok(mark)
}

/// Removes the note of an earlier owner, which is gone, that it was replacing the database.
fn forget_replacing(file: &fs::File) -> io::Result<()> {
    match kept_mark(file)? == REPLACING {
        true => keep_mark(file, ""),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Seek, SeekFrom, Write},
        thread::sleep,
        time::Duration,
    };

    use super::*;

    /// Returns a file of that length, nearly all of it a hole.
    fn file(length: u64) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("care.db");
        fs::File::create(&path).unwrap().set_len(length).unwrap();
        (directory, path)
    }

    #[test]
    fn whoever_writes_changes_the_mark() {
        let (_directory, path) = file(LARGE);
        let before = mark_of(&path).unwrap();
        assert_eq!(mark_of(&path), Some(before.clone()));
        // The clock of files ticks every few milliseconds.
        sleep(Duration::from_millis(50));
        let mut written = fs::OpenOptions::new().write(true).open(&path).unwrap();
        written.seek(SeekFrom::Start(4096)).unwrap();
        written.write_all(b"x").unwrap();
        // A writer that sets the modification time back is revealed by the other time.
        written.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_ne!(mark_of(&path), Some(before));
    }

    #[test]
    fn a_small_file_and_one_with_a_log_have_none() {
        let (_directory, path) = file(LARGE - 1);
        assert_eq!(mark_of(&path), None);
        let (_directory, path) = file(LARGE);
        fs::write(beside(&path, "-wal"), "frames").unwrap();
        assert_eq!(mark_of(&path), None);
    }

    #[test]
    fn a_mark_is_kept_until_the_next() {
        let kept_in = tempfile::tempfile().unwrap();
        for mark in ["a longer mark\n", "short\n", ""] {
            keep_mark(&kept_in, mark).unwrap();
            assert_eq!(kept_mark(&kept_in).unwrap(), mark);
        }
    }
}
