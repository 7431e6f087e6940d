//! What the service is compared with: servers as small as they can be, in the same frameworks, on the same file.
//!
//! None of them looks at a key, at `Accept`, or at what a body says; none counts versions or keeps a journal.

mod access;
mod group;
mod poem;
mod record;
mod rocket;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::{Failure, framework::Framework};
use access::Access;

/// How a hand-written server gets at its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Handler {
    /// Not at all: every answer is the same text.
    Constant,
    /// Reads with a prepared statement on a connection of the thread, writes with one commit for all that wait.
    Statement,
    /// The same, but a connection keeps its read transaction until something was committed: what SQLite can do at most.
    Snapshot,
    /// As it is usually written: a mutex around one connection, used on a blocking thread, one commit for each write.
    Naive,
}

/// Runs one of the servers; the service is compared with it.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    framework: Framework,
    handler: Handler,
    database: PathBuf,
}

impl Handler {
    /// The word for it on the command line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Statement => "statement",
            Self::Snapshot => "snapshot",
            Self::Naive => "naive",
        }
    }
}

impl Serve {
    /// Serves until the process is ended.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let access = Access::open(self.handler, &self.database)?;
        // With as many workers as the service's own servers have: one for each processor.
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(async {
            match self.framework {
                Framework::Poem => poem::serve(access).await,
                Framework::Rocket => rocket::serve(access).await,
            }
        })
    }
}
