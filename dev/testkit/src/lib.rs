//! The tools that harnesses and tests share: a program as a process, a server and where it listens, its use of the
//! machine, a client that sends bytes as they are, and, with the feature `store`, a store with hooks.
//!
//! Nothing but that store needs a crate of the service, so that the tests of any crate may use it.

mod lines;
#[cfg(feature = "store")]
pub mod metered;
mod program;
mod request;
mod server;
#[cfg(feature = "store")]
mod store;
mod usage;
mod wire;

use std::{
    env, io,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

pub use lines::Lines;
pub use program::{Program, ProgramEnd};
pub use request::{RawRequest, sent};
pub use rustix::process::Signal;
use rustix::process::{Resource, getrlimit, setrlimit};
pub use server::Server;
#[cfg(feature = "store")]
pub use store::{Hooks, Wrap};
pub use usage::processor_time;
pub use wire::{Answer, Wire, get};

/// Longest wait for a program, longer than any takes to start or to end.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two looks at what is waited for.
const PAUSE: Duration = Duration::from_millis(2);

/// Looks again and again until there is something to return. Returns `None` if there is nothing in this time.
pub fn within<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        let found = look();
        if found.is_some() || begun.elapsed() >= limit {
            return found;
        }
        thread::sleep(PAUSE);
    }
}

/// Waits until this holds, for this time at most. Returns whether it does.
pub fn until(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    within(limit, || holds().then_some(())).is_some()
}

/// Returns the command that runs an example of the package under test. Cargo puts examples beside the directory of
/// tests; it builds them for a run of all tests, and for one test alone with `--examples`.
///
/// # Errors
/// The path of the test is unknown.
pub fn example(name: &str) -> io::Result<Command> {
    let test = env::current_exe()?;
    let directory = test.ancestors().nth(2).unwrap_or(Path::new("")).join("examples");
    Ok(Command::new(directory.join(name).with_extension(env::consts::EXE_EXTENSION)))
}

/// Raises the limit of open files of this process as far as the system allows.
pub fn allow_many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // With a lower limit, opening many connections fails with a message.
    let _ = setrlimit(Resource::Nofile, limit);
}
