//! The programs under test.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::SystemTime,
};

use crate::{Failure, Result, ensure};

/// A server program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub(crate) path: PathBuf,
    pub(crate) args: Vec<String>,
}

impl Program {
    /// Returns the Poem server.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn poem() -> Result<Self> {
        Ok(Self { path: built("care-server")?, args: Vec::new() })
    }

    /// Returns the Rocket server.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn rocket() -> Result<Self> {
        Ok(Self { path: built("care-server-rocket")?, args: Vec::new() })
    }

    /// Returns both servers, with their names.
    ///
    /// # Errors
    /// They cannot be built.
    pub fn both() -> Result<Vec<(&'static str, Self)>> {
        Ok(vec![("Poem", Self::poem()?), ("Rocket", Self::rocket()?)])
    }

    /// Returns the same program with more arguments.
    #[must_use]
    pub fn with(&self, arguments: &[&str]) -> Self {
        let mut program = self.clone();
        program.args.extend(arguments.iter().map(|&argument| argument.to_owned()));
        program
    }
}

/// Returns the path of `care-admin`.
pub(crate) fn admin() -> Result<PathBuf> {
    built("care-admin")
}

/// The variable that names a directory with prebuilt programs, to use instead of those next to this one.
const GIVEN: &str = "CARE_FAULTS_PROGRAMS";

/// Returns the path of a program of `care-server`, built like this one. Cargo builds programs only for
/// the tests of their own package, so this builds a program that is missing or older than its sources.
fn built(name: &str) -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf>> = OnceLock::new();
    let directory = BUILT.get_or_init(build).clone()?;
    Ok(directory.join(name))
}

fn build() -> Result<PathBuf> {
    if let Some(given) = env::var_os(GIVEN) {
        return Ok(given.into());
    }
    let own = env::current_exe()?;
    let own = own.parent().ok_or_else(|| Failure::new("this program is nowhere"))?;
    // Test programs are one directory deeper.
    let directory = if own.ends_with("deps") { own.parent().unwrap_or(own) } else { own }.to_owned();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let programs = ["care-server", "care-server-rocket", "care-admin"];
    let ages = programs.map(|name| fs::metadata(directory.join(name)).and_then(|metadata| metadata.modified()).ok());
    let oldest = ages.into_iter().min().flatten();
    let sources = ["care-core", "care-store-sqlite", "care-rocket", "care-poem", "extras/care-server"];
    let newest = sources.into_iter().filter_map(|name| newest(&workspace.join(name).join("src"))).max();
    // Only Cargo can tell which features they were built with.
    if oldest < newest || cfg!(feature = "postgres") {
        let is_cargos = directory.ends_with("debug") || directory.ends_with("release");
        ensure!(is_cargos, "the servers beside {} are missing or old", own.display());
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(["build", "--quiet", "--package", "care-server", "--bins"]).current_dir(&workspace);
        if cfg!(feature = "postgres") {
            command.args(["--features", "care-server/postgres"]);
        }
        command.env("CARGO_TARGET_DIR", directory.parent().unwrap_or(&directory));
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        if !command.status()?.success() {
            return Err(Failure::new("the servers cannot be built"));
        }
    }
    Ok(directory)
}

/// Returns when a file in a directory was last modified.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let times = entries.filter_map(|entry| match entry.file_type().ok()?.is_dir() {
        true => newest(&entry.path()),
        false => entry.metadata().ok()?.modified().ok(),
    });
    times.max()
}
