//! The thread that drives every socket of a store.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread::JoinHandle,
    time::Duration,
};

use care_core::store::queue::{join, spawn};
use futures_channel::oneshot;
use tokio::runtime::{Builder, Handle};

use super::{endpoint::Endpoint, session::Session};
use crate::base::{error::Fault, settings::Settings};

/// Longest time for one attempt to connect, authentication included. A server that hangs never answers.
const ATTEMPT: Duration = Duration::from_secs(10);
/// Time for the connections to close cleanly.
const GOODBYE: Duration = Duration::from_secs(1);

/// A runtime of the store's own, on a thread of its own. The store therefore works under any async runtime or none, and
/// a caller that blocks does not hold up another's answers.
#[derive(Debug)]
pub(crate) struct Wire {
    handle: Handle,
    endpoint: Arc<Endpoint>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// Starts the thread. Its connections lead to this server.
    pub(crate) fn start(endpoint: Endpoint) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = spawn("care-postgres-wire", move || {
            // Ends when it is told to, or when its owner is dropped.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_timeout(GOODBYE);
        })?;
        Ok(Self { handle, endpoint: Arc::new(endpoint), stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the server, and how to reach it.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Returns the thread's runtime.
    pub(crate) const fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Starts to open a connection under these settings.
    pub(crate) fn attempt(&self, settings: &Settings) -> Attempt {
        let (endpoint, settings) = (Arc::clone(&self.endpoint), settings.clone());
        Attempt(self.handle.spawn(async move {
            let connected = tokio::time::timeout(ATTEMPT, endpoint.connect(&settings)).await;
            connected.unwrap_or(Err(Fault::NoConnection))
        }))
    }

    /// Sleeps without blocking a thread.
    pub(crate) async fn pause(&self, time: Duration) -> Result<(), Fault> {
        // Created on that thread, because a timer belongs to the runtime in which it is created.
        Timer(self.handle.spawn(async move { tokio::time::sleep(time).await })).await
    }

    /// Runs a future on the thread until the store is closed.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.handle.spawn(future));
    }
}

/// A connection that is being opened. Several callers can await it, one after another.
#[derive(Debug)]
pub(crate) struct Attempt(tokio::task::JoinHandle<Result<Session, Fault>>);

impl Future for Attempt {
    type Output = Result<Session, Fault>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|ended| ended.unwrap_or(Err(Fault::Closed)))
    }
}

/// A sleep on the wire's thread, which is cancelled when it is dropped.
struct Timer(tokio::task::JoinHandle<()>);

impl Future for Timer {
    type Output = Result<(), Fault>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map_err(|_| Fault::Closed)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The receiver is gone only if the thread has already ended.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            join(thread);
        }
    }
}
