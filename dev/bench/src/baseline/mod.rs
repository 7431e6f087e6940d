//! The servers that the service is compared with: as small as possible, in the same frameworks, on the same file.
//!
//! They read by a prepared statement on the thread's own connection, and make one commit for all waiting writes. They
//! check no key, no `Accept` and no value of a body, and keep neither versions nor a journal.

mod access;
mod group;
mod poem;
mod record;
mod rocket;

use std::path::PathBuf;

use clap::Args;

use crate::{Failure, Framework};
use access::Access;

/// Runs one of the hand-written servers, with which the service is compared.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    framework: Framework,
    database: PathBuf,
}

impl Serve {
    /// Serves until the process is ended.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let access = Access::open(&self.database);
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
