//! The database that a task is about, and the one place where it is opened.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    time::Duration,
};

use care_store_sqlite::SqliteStore;
use clap::Args;

use super::AdminError;

/// The longest wait for a lock. A busy server leaves the file for moments only, so a tool waits longer than a client.
const PATIENCE: Duration = Duration::from_secs(60);

/// The database, said in one way for every task, before or after its name.
#[derive(Debug, Args)]
pub(super) struct Database {
    /// The database.
    // The id must differ from those of the tasks' own arguments, by which clap tells arguments apart.
    #[arg(id = "database", long, env = "CARE_DATABASE", value_name = "FILE", default_value = "care.db", global = true)]
    file: PathBuf,
}

impl Database {
    /// Opens a database that exists.
    pub(super) fn existing(&self) -> Result<SqliteStore, AdminError> {
        if !self.file.exists() {
            return Err(AdminError::Absent(self.file.clone()));
        }
        self.existing_or_new()
    }

    /// Opens a database, which is created when it does not exist.
    pub(super) fn existing_or_new(&self) -> Result<SqliteStore, AdminError> {
        let options = SqliteStore::options().beside(true).readers(NonZero::<usize>::MIN).lock_wait(PATIENCE);
        Ok(options.open(&self.file)?)
    }

    /// Returns the path of the file.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }
}
