//! Starting and ending threads.

use std::{
    io,
    thread::{self, Builder, JoinHandle},
};

pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.to_owned()).spawn(run)
}

/// Waits for a thread that was told to end.
pub(crate) fn join(thread: JoinHandle<()>) {
    // The last handle of a store may be dropped by a decision, on the store's own thread.
    if thread.thread().id() != thread::current().id() && thread.join().is_err() {
        tracing::error!("a thread of the store panicked");
    }
}
