//! How a file was left, so that one that nobody has touched since need not be looked over whole again.

use std::{fs, io, path::Path};

use crate::paths::{beside, has_content};

/// Kept instead of a mark while an owner puts another file in the place of the database.
pub(crate) const REPLACING: &str = "the database is being replaced\n";

/// A smaller file is looked over in no time, and then it always is.
const LARGE: u64 = 64 << 20;

/// What changes whenever the file does, or `None` where it is small, or there is a log beside it, or the system does
/// not tell.
pub(crate) fn of(database: &Path) -> Option<String> {
    let metadata = fs::metadata(database).ok()?;
    let is_worthwhile = metadata.len() >= LARGE && !has_content(&beside(database, "-wal"));
    is_worthwhile.then(|| identity(&metadata)).flatten()
}

/// The last two change with every write; the time of the last change of the file's own data can be set by nobody.
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

/// Keeps a mark in the file that the owner holds; an empty one says nothing.
pub(crate) fn keep(mut file: &fs::File, mark: &str) -> io::Result<()> {
    use io::{Seek, Write};
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(mark.as_bytes())
}

/// The mark that is kept, empty when there is none.
pub(crate) fn kept(mut file: &fs::File) -> io::Result<String> {
    use io::{Read, Seek};
    let mut mark = String::new();
    file.rewind()?;
    file.take(256).read_to_string(&mut mark)?;
    Ok(mark)
}

/// Forgets that an earlier owner, which is gone, was replacing the database.
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

    /// A file of that length, nearly all of it a hole.
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
        // Whoever sets the time back is told from nobody by the other time.
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
