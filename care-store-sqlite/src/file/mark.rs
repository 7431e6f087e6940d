//! The mark of a closed file, with which an unchanged large file need not be checked again.

use std::{fs, io, path::Path};

use super::paths::{beside, has_content};

/// The text in place of a mark while an owner replaces the database.
pub(crate) const REPLACING: &str = "the database is being replaced\n";

/// The smallest size in bytes of a file with a mark. A smaller one is always checked, since that takes hardly any time.
const LARGE: u64 = 64 << 20;

/// Returns a mark that changes whenever the file does; `None` for a small file, beside a log, or when the system does
/// not provide the data.
pub(crate) fn of(database: &Path) -> Option<String> {
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
pub(crate) fn keep(mut file: &fs::File, mark: &str) -> io::Result<()> {
    use io::{Seek, Write};
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(mark.as_bytes())
}

/// Returns the stored mark, empty when there is none.
pub(crate) fn kept(mut file: &fs::File) -> io::Result<String> {
    use io::{Read, Seek};
    let mut mark = String::new();
    file.rewind()?;
    file.take(256).read_to_string(&mut mark)?;
    Ok(mark)
}

/// Removes the note of an earlier owner, which is gone, that it was replacing the database.
pub(crate) fn forget_replacing(file: &fs::File) -> io::Result<()> {
    match kept(file)? == REPLACING {
        true => keep(file, ""),
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
        let before = of(&path).unwrap();
        assert_eq!(of(&path), Some(before.clone()));
        // The clock of files ticks every few milliseconds.
        sleep(Duration::from_millis(50));
        let mut written = fs::OpenOptions::new().write(true).open(&path).unwrap();
        written.seek(SeekFrom::Start(4096)).unwrap();
        written.write_all(b"x").unwrap();
        // A writer that sets the modification time back is revealed by the other time.
        written.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_ne!(of(&path), Some(before));
    }

    #[test]
    fn a_small_file_and_one_with_a_log_have_none() {
        let (_directory, path) = file(LARGE - 1);
        assert_eq!(of(&path), None);
        let (_directory, path) = file(LARGE);
        fs::write(beside(&path, "-wal"), "frames").unwrap();
        assert_eq!(of(&path), None);
    }

    #[test]
    fn a_mark_is_kept_until_the_next() {
        let kept_in = tempfile::tempfile().unwrap();
        for mark in ["a longer mark\n", "short\n", ""] {
            keep(&kept_in, mark).unwrap();
            assert_eq!(kept(&kept_in).unwrap(), mark);
        }
    }
}
