//! Directories in which files are made before they take their place.

use std::{
    fs::{self, File},
    hash::{BuildHasher, RandomState},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process,
};

use super::paths::{self, beside, create_private, open_existing};

/// The suffix of a staging directory after the name of the place; 16 hexadecimal digits follow.
const SUFFIX: &str = "-unfinished-";

/// The name of the file in the directory on which its maker holds a lock.
const CLAIM: &str = "claim";

/// The number of random names that are tried.
const ATTEMPTS: usize = 16;

/// A directory beside the place of a file, in which the file is made. It is private to its owner, and has a unique
/// name.
///
/// Its maker holds a lock in it, which the system releases when the process ends in any way. So [`clear`](Self::clear)
/// removes the directory of a killed process and leaves one that is still in use. Dropping it removes it with its
/// content.
///
/// ```
/// use std::{fs, io::Write};
///
/// use care_store_sqlite::Staging;
///
/// # let directory = tempfile::tempdir()?;
/// # let place = directory.path().join("journal.ndjson");
/// let staging = Staging::beside(&place)?;
/// staging.create("journal")?.write_all(b"whole")?;
/// fs::rename(staging.path("journal"), &place)?;
/// drop(staging);
/// assert_eq!(fs::read(&place)?, b"whole");
/// assert_eq!(fs::read_dir(directory.path())?.count(), 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "the directory is removed as soon as this is dropped"]
pub struct Staging {
    directory: PathBuf,
    /// The lock, which is released only once the directory is gone.
    _claim: File,
}

impl Staging {
    /// Makes a directory for a file with this place, and removes the directories of killed processes there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn beside(place: &Path) -> io::Result<Self> {
        Self::clear(place);
        for _ in 0..ATTEMPTS {
            let name = RandomState::new().hash_one(process::id());
            let directory = beside(place, &format!("{SUFFIX}{name:016x}"));
            match make(&directory) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            if let Some(_claim) = claim(&directory)? {
                return Ok(Self { directory, _claim });
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "other processes take every name for an unfinished file"))
    }

    /// Returns the path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Makes a file in it that only its owner can use.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(&self, name: &str) -> io::Result<File> {
        create_private(&self.path(name))
    }

    /// Removes the directories of killed processes beside this place.
    pub fn clear(place: &Path) {
        let (Some(directory), Some(name)) = (place.parent(), place.file_name().and_then(|name| name.to_str())) else {
            return;
        };
        let directory = if directory == Path::new("") { Path::new(".") } else { directory };
        let Ok(entries) = fs::read_dir(directory) else {
            return;
        };
        for entry in entries.flatten() {
            let found = entry.file_name();
            let digits = found.to_str().and_then(|found| found.strip_prefix(name)?.strip_prefix(SUFFIX));
            let is_staging = digits.is_some_and(|digits| digits.len() == 16 && u64::from_str_radix(digits, 16).is_ok());
            if is_staging && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                remove_if_left(&entry.path());
            }
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = paths::unless_absent(fs::remove_dir_all(&self.directory)) {
            tracing::warn!(%error, directory = %self.directory.display(), "an unfinished file was not removed");
        }
    }
}

fn make(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask may have removed permissions.
        if fs::symlink_metadata(directory)?.permissions().mode() & 0o7777 != 0o700 {
            fs::set_permissions(directory, PermissionsExt::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// Locks a directory that this process has made; `None` when another process took the directory for an abandoned one.
fn claim(directory: &Path) -> io::Result<Option<File>> {
    let path = directory.join(CLAIM);
    let claim = match create_private(&path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => return Ok(None),
        made => made?,
    };
    Ok((claim.try_lock().is_ok() && paths::names(&path, &claim)?).then_some(claim))
}

/// Removes a directory if its maker is gone.
fn remove_if_left(directory: &Path) {
    let removed = match open_existing(&directory.join(CLAIM)) {
        Ok(claim) if claim.try_lock().is_ok() => fs::remove_dir_all(directory),
        // The directory was not locked yet: its maker notices, and takes another name.
        Err(error) if error.kind() == ErrorKind::NotFound => fs::remove_dir(directory),
        _ => return,
    };
    if let Err(error) = paths::unless_absent(removed) {
        tracing::warn!(%error, directory = %directory.display(), "what an interrupted process left was not removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn each_maker_has_a_directory_of_its_own_and_removes_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("care.db");
        let (first, second) = (Staging::beside(&place).unwrap(), Staging::beside(&place).unwrap());
        first.create("database").unwrap();
        assert!(second.create("database").is_ok() && second.create("database").is_err());
        drop(second);
        assert!(first.path("database").exists());
        drop(first);
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn what_a_kill_left_is_cleared_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("care.db");
        for left in ["care.db-unfinished-0123456789abcdef", "care.db-unfinished-fedcba9876543210"] {
            make(&directory.path().join(left)).unwrap();
        }
        fs::write(directory.path().join("care.db-unfinished-0123456789abcdef").join(CLAIM), "").unwrap();
        fs::write(directory.path().join("care.db-unfinished-0123456789abcdef/database"), "half").unwrap();
        // Directories of another place, or without a valid suffix.
        for other in ["other.db-unfinished-0123456789abcdef", "care.db-unfinished-notes"] {
            make(&directory.path().join(other)).unwrap();
        }
        Staging::clear(&place);
        let mut left = names(directory.path());
        left.sort();
        assert_eq!(left, ["care.db-unfinished-notes", "other.db-unfinished-0123456789abcdef"]);
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_removed_through_a_link() {
        use std::os::unix::fs::symlink;
        let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join(CLAIM), "precious").unwrap();
        symlink(elsewhere.path(), directory.path().join("care.db-unfinished-0123456789abcdef")).unwrap();
        make(&directory.path().join("care.db-unfinished-1111111111111111")).unwrap();
        let claim = directory.path().join("care.db-unfinished-1111111111111111").join(CLAIM);
        symlink(elsewhere.path().join(CLAIM), claim).unwrap();
        drop(Staging::beside(&directory.path().join("care.db")).unwrap());
        assert_eq!(fs::read(elsewhere.path().join(CLAIM)).unwrap(), b"precious");
    }
}
