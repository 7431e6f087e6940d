//! Paths of files: one canonical path for each database, and no links in the place of files.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use care_core::model::VisiblePath;

use crate::base::open_error::{OpenErrorKind, Refusal};

/// Returns the one path by which every process knows the file, whether or not it exists yet.
///
/// Links among its directories are followed; a link in the place of the file is refused.
pub(crate) fn canonical(path: &Path) -> Result<PathBuf, Refusal> {
    let name = path.file_name().ok_or(OpenErrorKind::NotAFile)?;
    let directory = path.parent().filter(|parent| *parent != Path::new(""));
    let path = fs::canonicalize(directory.unwrap_or(Path::new(".")))?.join(name);
    match path.is_symlink() {
        true => Err(OpenErrorKind::Link.into()),
        false => Ok(path),
    }
}

/// Returns the path of a file beside the database, with this suffix, such as `-wal`.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

pub(crate) fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}

/// Makes a file that only its owner can use, with any umask; fails when the name is taken, also by a link.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let file = plain().create_new(true).open(path)?;
    make_private(&file)?;
    Ok(file)
}

/// Opens a file that only its owner can use from then on. Planted files under its name (a link, a hard link to another
/// file, a pipe) are refused.
pub(crate) fn open_existing(path: &Path) -> io::Result<File> {
    let file = plain().open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || has_other_names(&metadata) {
        let what = format!("{} is not a file of its own", VisiblePath(path));
        return Err(io::Error::new(ErrorKind::InvalidInput, what));
    }
    make_private(&file)?;
    Ok(file)
}

/// Opens a file like [`open_existing`], or makes it when it does not exist. Returns also whether it was made.
pub(crate) fn open_private(path: &Path) -> io::Result<(File, bool)> {
    match create_private(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok((open_existing(path)?, false)),
        made => Ok((made?, true)),
    }
}

/// Returns whether the path names this open file.
pub(crate) fn names(path: &Path, file: &File) -> io::Result<bool> {
    let held = Identity::of(&file.metadata()?);
    Ok(Identity::at(path)? == Some(held))
}

/// The identity of a file, unique on the machine while the file is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// Returns the identity of the file at the path, without following links; `None` when there is no file.
    pub(crate) fn at(path: &Path) -> io::Result<Option<Self>> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            metadata => Ok(Some(Self::of(&metadata?))),
        }
    }

    #[cfg(unix)]
    fn of(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// Returns one value for all files: on other systems an open file can be neither moved nor removed.
    #[cfg(not(unix))]
    fn of(_: &fs::Metadata) -> Self {
        Self { device: 0, inode: 0 }
    }
}

/// Returns whether there was a file to act on.
pub(crate) fn unless_absent(done: io::Result<()>) -> io::Result<bool> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        done => done.map(|()| true),
    }
}

/// Makes the new name of a file durable.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(directory) = path.parent() {
        File::open(directory)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Returns options for reading and writing that follow no link.
fn plain() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Neither a link nor an unread pipe blocks this call.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}

#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match file.metadata()?.permissions().mode() & 0o7777 {
        0o600 => Ok(()),
        _ => file.set_permissions(PermissionsExt::from_mode(0o600)),
    }
}

#[cfg(not(unix))]
fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn has_other_names(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &fs::Metadata) -> bool {
    false
}
