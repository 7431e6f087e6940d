//! The servers that the service is compared with: as small as possible, in the same frameworks, on the same file.
//!
//! They check no key, no `Accept` and no value of a body, and keep neither versions nor a journal.

mod access;
mod group;
mod poem;
#[cfg(feature = "postgres")]
mod pool;
mod record;
mod rocket;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::{Failure, Framework};
use access::Access;

/// The way in which a hand-written server accesses its data: one for each database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Handler {
    /// Reads by a prepared statement on the thread's own connection; one commit for all waiting writes.
    Statement,
    /// PostgreSQL by prepared statements on a pool of connections: one statement for a read; for a write, a transaction
    /// with a round trip for each statement.
    #[cfg(feature = "postgres")]
    Pool,
}

/// Runs one of the hand-written servers, with which the service is compared.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    framework: Framework,
    handler: Handler,
    database: PathBuf,
}

impl Handler {
    /// Returns its name on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            #[cfg(feature = "postgres")]
            Self::Pool => "pool",
        }
    }
}

impl Serve {
    /// Serves until the process is ended.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let access = Access::open(self.handler, &self.database)?;
        // The service's own servers have one worker for each processor too.
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async {
            match self.framework {
                Framework::Poem => poem::serve(access).await,
                Framework::Rocket => rocket::serve(access).await,
            }
        })
    }
}
