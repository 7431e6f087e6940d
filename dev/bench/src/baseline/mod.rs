//! The servers that the service is compared with: as small as possible, in the same frameworks, on the same file.
//!
//! They read by a prepared statement on the thread's own connection, and make one commit for all waiting writes. They
//! check no key, no `Accept` and no value of a body, and keep neither versions nor a journal.

mod access;
pub(crate) mod poem;
mod record;
pub(crate) mod rocket;

use std::{env, future::Future};

use crate::Failure;
use access::Access;

/// Serves the database of the command line until the process is ended.
pub(crate) fn serve<F>(server: impl FnOnce(Access) -> F) -> Result<(), Failure>
where
    F: Future<Output = Result<(), Failure>>,
{
    let access = Access::open(env::args_os().nth(1).ok_or("no database is given")?.into())?;
    // The service's own servers have one worker for each processor too.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(server(access))
}
