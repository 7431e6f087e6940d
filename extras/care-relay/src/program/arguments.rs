//! The types of arguments: texts that are not shown, and files.

use std::{
    ffi::OsString,
    fmt, fs, io,
    path::{Path, PathBuf},
};

use zeroize::Zeroizing;

/// A text that may hold a secret: `Debug` does not show it, and it is wiped.
#[derive(Clone)]
pub(super) struct Unshown(pub(super) Zeroizing<String>);

/// The path of a file that a task reads.
#[derive(Debug, Clone)]
pub struct InputFile(PathBuf);

/// The path of a relay's state, which is made if there is no file, and changed only if it is one.
#[derive(Debug, Clone)]
pub struct StateFile(PathBuf);

impl InputFile {
    pub(super) fn read_text(&self) -> io::Result<String> {
        fs::read_to_string(&self.0)
    }
}

impl StateFile {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl From<OsString> for InputFile {
    fn from(path: OsString) -> Self {
        Self(path.into())
    }
}

impl From<OsString> for StateFile {
    fn from(path: OsString) -> Self {
        Self(path.into())
    }
}

impl From<&str> for Unshown {
    fn from(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }
}

impl fmt::Debug for Unshown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unshown(..)")
    }
}
