//! The files that commands read and write. Each path argument is one of these types, or the address of a database, so
//! no command opens a file in another way.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

use care_store_sqlite::Staging;
use clap::builder::{PathBufValueParser, TypedValueParser as _, ValueParser, ValueParserFactory};

use crate::admin::AdminError;

/// The first bytes of every SQLite database.
const MAGIC: &[u8] = b"SQLite format 3";
/// The ends of the names of the files that SQLite and the store keep beside a database.
const SIDES: [&str; 4] = ["-wal", "-shm", "-journal", ".lock"];
/// The name of the file while it is written.
const DRAFT: &str = "draft";

/// The path of a file that a command reads.
#[derive(Debug, Clone)]
pub struct InputFile(PathBuf);

/// The path of a file that a command writes. A file there is not replaced unless the command is told to, and a database
/// or a file that belongs to one not even then.
#[derive(Debug, Clone)]
pub struct OutputFile(PathBuf);

/// The files that a command may replace when it is told to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaces {
    /// None.
    Nothing,
    /// Any but a database.
    Files,
    /// Any but the database that is read. The store, which makes the copy, checks the file that it replaces.
    Databases,
}

impl InputFile {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Opens the file for reading.
    pub(crate) fn open(&self) -> Result<File, AdminError> {
        File::open(&self.0).map_err(|error| AdminError::Read(self.0.clone(), error))
    }
}

impl From<PathBuf> for InputFile {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl OutputFile {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Refuses a place to which the command may not write. `database` is the file that is read, if it is one.
    pub(crate) fn admit(&self, database: Option<&Path>, replaces: Replaces) -> Result<(), AdminError> {
        self.admitted(database, replaces).map(drop)
    }

    /// Writes a file that appears complete or not at all. An existing pipe or device is written to directly.
    ///
    /// Call [`admit`](Self::admit) before the database is opened, so that a refusal comes first.
    pub(crate) async fn write(
        &self,
        database: Option<&Path>,
        replaces: Replaces,
        write: impl AsyncFnOnce(&mut (dyn Write + Send), &Path) -> Result<(), AdminError>,
    ) -> Result<(), AdminError> {
        let failed = |error| AdminError::Write(self.0.clone(), error);
        if self.admitted(database, replaces)?.is_some_and(|there| !there.is_file()) {
            return write(&mut open_directly(&self.0).map_err(failed)?, &self.0).await;
        }
        let staging = Staging::beside(&self.0).map_err(failed)?;
        let mut file = staging.create(DRAFT).map_err(failed)?;
        write(&mut file, &self.0).await?;
        file.sync_all().map_err(failed)?;
        // Another process may have made a file there meanwhile.
        let is_free = self.admitted(database, replaces)?.is_none();
        let draft = staging.path(DRAFT);
        let linked = if is_free { fs::hard_link(&draft, &self.0) } else { Err(ErrorKind::Unsupported.into()) };
        match linked {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(AdminError::Exists(self.0.clone())),
            // The file is to be replaced, or the file system has no hard links.
            Err(_) => fs::rename(&draft, &self.0).map_err(failed),
        }
    }

    /// Returns what is at a place to which the command may write.
    fn admitted(&self, database: Option<&Path>, replaces: Replaces) -> Result<Option<Metadata>, AdminError> {
        let failed = |error| AdminError::Write(self.0.clone(), error);
        let there = match fs::symlink_metadata(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            there => Some(there.map_err(failed)?),
        };
        if there.as_ref().is_some_and(Metadata::is_symlink) {
            return Err(AdminError::Link(self.0.clone()));
        }
        if self.is_of_database(database).map_err(failed)? {
            return Err(AdminError::OfDatabase(self.0.clone()));
        }
        if there.as_ref().is_some_and(Metadata::is_file) {
            let is_kept = match replaces {
                Replaces::Nothing => return Err(AdminError::Exists(self.0.clone())),
                Replaces::Files => is_database(&self.0).map_err(failed)?,
                Replaces::Databases => false,
            };
            if is_kept {
                return Err(AdminError::OfDatabase(self.0.clone()));
            }
        }
        Ok(there)
    }

    /// Returns whether the place is that of the database that is read, or of a file beside it or beside any other
    /// database.
    ///
    /// The database that is read is told by its path and its inode alone: closing any handle of it would drop the locks
    /// that SQLite holds on it in this process.
    fn is_of_database(&self, database: Option<&Path>) -> io::Result<bool> {
        let sides = |database: &Path| SIDES.map(|side| beside(database, side));
        let is_read = |path: &Path| database.is_some_and(|database| is_same(path, database));
        if is_read(&self.0) || database.is_some_and(|read| sides(read).iter().any(|side| is_same(&self.0, side))) {
            return Ok(true);
        }
        for side in SIDES {
            if let Some(of) = without(&self.0, side)
                && (is_read(&of) || is_database(&of)?)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl ValueParserFactory for InputFile {
    type Parser = ValueParser;

    fn value_parser() -> ValueParser {
        ValueParser::new(PathBufValueParser::new().map(Self))
    }
}

impl ValueParserFactory for OutputFile {
    type Parser = ValueParser;

    fn value_parser() -> ValueParser {
        ValueParser::new(PathBufValueParser::new().map(Self))
    }
}

/// Opens a pipe or a device for writing, and follows no link.
fn open_directly(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    options.write(true).open(path)
}

/// Returns whether there is a file that begins as every SQLite database does.
fn is_database(path: &Path) -> io::Result<bool> {
    let is_file = match fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
        there => there?.is_file(),
    };
    if !is_file {
        return Ok(false);
    }
    let mut first = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut first)?;
    Ok(first == MAGIC)
}

/// Returns whether two paths name one file. Where there is none yet, they do so if they name one place.
fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(there), Ok(other)) if cfg!(unix) => identity(&there) == identity(&other),
        _ => place(one).is_some_and(|there| place(other) == Some(there)),
    }
}

#[cfg(unix)]
fn identity(there: &Metadata) -> [u64; 2] {
    use std::os::unix::fs::MetadataExt as _;
    [there.dev(), there.ino()]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> [u64; 2] {
    [0; 2]
}

/// Returns the path with the links among its directories followed.
fn place(path: &Path) -> Option<PathBuf> {
    let directory = path.parent().filter(|parent| *parent != Path::new(""));
    Some(fs::canonicalize(directory.unwrap_or(Path::new("."))).ok()?.join(path.file_name()?))
}

/// Returns the path of a file beside a database.
fn beside(database: &Path, side: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(side);
    path.into()
}

/// Returns a path without this end of its name.
fn without(path: &Path, side: &str) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let path = path.as_os_str().as_bytes().strip_suffix(side.as_bytes())?;
        Some(std::ffi::OsStr::from_bytes(path).into())
    }
    #[cfg(not(unix))]
    {
        Some(path.to_str()?.strip_suffix(side)?.into())
    }
}
