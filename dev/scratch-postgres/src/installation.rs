//! The installed versions of PostgreSQL.

use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The variable with the directories of the programs to test with, separated by colons; without it they are searched
/// for.
const GIVEN: &str = "CARE_POSTGRES";
/// The variable that makes tests fail where PostgreSQL is not installed, instead of being skipped.
pub const REQUIRED: &str = "CARE_REQUIRE_POSTGRES";
/// The directory in which Debian installs each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// A version of PostgreSQL, with its programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    bin: PathBuf,
    major: u32,
}

/// The error when a program is not installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing(pub &'static str);

impl Installation {
    fn at(bin: &Path) -> Option<Self> {
        ["initdb", "postgres"].iter().all(|name| bin.join(name).is_file()).then_some(())?;
        let asked = Command::new(bin.join("postgres")).arg("--version").output().ok()?;
        // `postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`
        let text = String::from_utf8_lossy(&asked.stdout).into_owned();
        let version = text.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
        let major = version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        Some(Self { bin: bin.to_owned(), major })
    }

    /// Returns a program of this version.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// Returns its major version, such as 15.
    pub const fn major(&self) -> u32 {
        self.major
    }
}

impl fmt::Display for Installation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgreSQL {}", self.major)
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} found", self.0)
    }
}

impl std::error::Error for Missing {}

/// Returns the oldest and the newest installed version, which may be the same. They come from the environment, or else
/// from Debian's packages and the path.
///
/// # Errors
/// When PostgreSQL is not installed.
///
/// # Panics
/// When it is not installed, and the environment says that it must be.
pub fn installations() -> Result<Vec<Installation>, Missing> {
    let directories: Vec<PathBuf> = match env::var_os(GIVEN) {
        Some(given) => env::split_paths(&given).collect(),
        None => {
            let debian = fs::read_dir(DEBIAN).into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
            let path = env::var_os("PATH").unwrap_or_default();
            // A link on the path leads to a directory with all programs.
            let linked = env::split_paths(&path).filter_map(|directory| {
                let program = directory.join("initdb").canonicalize().ok()?;
                program.parent().map(Path::to_owned)
            });
            debian.chain(linked.collect::<Vec<_>>()).collect()
        }
    };
    let mut found: Vec<_> = directories.iter().filter_map(|bin| Installation::at(bin)).collect();
    found.sort_by_key(Installation::major);
    found.dedup_by_key(|installation| installation.major);
    let inner = 1..found.len().saturating_sub(1).max(1);
    found.drain(inner.start.min(found.len())..inner.end.min(found.len()));
    let missing = Missing("initdb");
    assert!(!found.is_empty() || env::var_os(REQUIRED).is_none(), "{missing}, and {REQUIRED} is set");
    if found.is_empty() { Err(missing) } else { Ok(found) }
}
