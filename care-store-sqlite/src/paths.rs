//! Files by their paths: one path for each database, and nothing that is reached through a link.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use crate::open_error::{OpenErrorKind, Refusal};

/// Returns the one path by which every process knows the file, whether or not it is there yet.
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

/// Returns a file name beside the database, in the manner of `-wal`.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

pub(crate) fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0)
}

/// Makes a file that only its owner can use, whatever the umask; fails when anything has the name, a link included.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let file = plain().create_new(true).open(path)?;
    make_private(&file)?;
    Ok(file)
}

/// Opens a file that only its owner can use from then on. What is planted under its name (a link, a second name of
/// another file, a pipe) is refused.
pub(crate) fn open_existing(path: &Path) -> io::Result<File> {
    let file = plain().open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || has_other_names(&metadata) {
        let what = format!("{} is not a file of its own", path.display());
        return Err(io::Error::new(ErrorKind::InvalidInput, what));
    }
    make_private(&file)?;
    Ok(file)
}

/// Opens a file like [`open_existing`], or makes it where there is none, and says whether it did.
pub(crate) fn open_private(path: &Path) -> io::Result<(File, bool)> {
    match create_private(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok((open_existing(path)?, false)),
        made => Ok((made?, true)),
    }
}

/// Whether the path names this open file.
pub(crate) fn names(path: &Path, file: &File) -> io::Result<bool> {
    let held = Identity::of(&file.metadata()?);
    Ok(Identity::at(path)? == Some(held))
}

/// What tells a file from any other of the machine, for as long as it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// Of what the path names, links not followed; `None` when there is nothing.
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

    /// Elsewhere an open file can be neither moved nor removed.
    #[cfg(not(unix))]
    fn of(_: &fs::Metadata) -> Self {
        Self { device: 0, inode: 0 }
    }
}

/// Whether there was something to do it to.
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

/// For reading and writing, and never through a link.
fn plain() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Neither a link nor a pipe that nobody reads holds it up.
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
