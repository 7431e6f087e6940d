//! The programs under test.

use std::{
    env,
    ffi::OsString,
    fs,
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
    /// Returns both servers, with their names.
    pub(crate) fn both() -> Result<Vec<(&'static str, Self)>> {
        let servers = [("Poem", "care-server"), ("Rocket", "care-server-rocket")];
        servers.into_iter().map(|(name, file)| Ok((name, Self { path: built(file)?, args: Vec::new() }))).collect()
    }

    /// Returns the same program with more arguments.
    pub(crate) fn with(&self, arguments: &[&str]) -> Self {
        let mut program = self.clone();
        program.args.extend(arguments.iter().map(|&argument| argument.to_owned()));
        program
    }

    /// Returns another program with its arguments, which runs this one.
    pub(crate) fn behind(&self, program: &str, arguments: &[&str]) -> Self {
        let other = Self { path: program.into(), args: Vec::new() }.with(arguments);
        let own: Vec<_> = self.args.iter().map(String::as_str).collect();
        other.with(&[&self.path.to_string_lossy()]).with(&own)
    }

    /// Returns its arguments, those of a server on this database and a free port among them.
    pub(crate) fn arguments(&self, database: &Path) -> Vec<OsString> {
        let given = ["--bind", "127.0.0.1:0", "--api-key", "secret", "--database"];
        let all = self.args.iter().map(String::as_str).chain(given);
        all.map(Into::into).chain([database.as_os_str().to_owned()]).collect()
    }
}

/// The variable that names a directory with prebuilt programs, to use instead of those next to this one.
const GIVEN: &str = "CARE_FAULTS_PROGRAMS";

/// Returns the path of a program of `care-server`, built like this one. Cargo builds programs only for
/// the tests of their own package, so this builds a program that is missing or older than its sources.
pub(crate) fn built(name: &str) -> Result<PathBuf> {
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
