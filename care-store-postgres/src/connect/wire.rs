//! The thread that drives every socket of a store.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread::{self, JoinHandle},
    time::Duration,
};

use futures_channel::oneshot;
use tokio::runtime::{Builder, Handle};

use super::{endpoint::Endpoint, session::Session};
use crate::base::{error::Fault, settings::Settings};

/// The longest that one attempt to connect goes on, its authentication included. A server that stands still never
/// answers.
const ATTEMPT: Duration = Duration::from_secs(10);
/// The time that the connections may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// A runtime of the store's own on a thread of its own, so that the store works under any runtime or none, and a caller
/// that blocks keeps no answer from another.
#[derive(Debug)]
pub(crate) struct Wire {
    handle: Handle,
    endpoint: Arc<Endpoint>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// Starts the thread, whose connections lead to this server.
    pub(crate) fn start(endpoint: Endpoint) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name("care-postgres-wire".to_owned()).spawn(move || {
            // Ends when it is told to, or when its owner is gone.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_timeout(GOODBYE);
        })?;
        Ok(Self { handle, endpoint: Arc::new(endpoint), stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the server, and how it is reached.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Opens a connection under these settings.
    pub(crate) async fn connect(&self, settings: &Settings) -> Result<Session, Fault> {
        self.attempt(settings).await
    }

    /// Begins to open a connection under these settings.
    pub(crate) fn attempt(&self, settings: &Settings) -> Attempt {
        let (endpoint, settings) = (Arc::clone(&self.endpoint), settings.clone());
        Attempt(self.handle.spawn(async move {
            let connected = tokio::time::timeout(ATTEMPT, endpoint.connect(&settings)).await;
            connected.unwrap_or(Err(Fault::NoConnection))
        }))
    }

    /// Waits without occupying a thread.
    pub(crate) async fn pause(&self, time: Duration) -> Result<(), Fault> {
        // Made on that thread: a timer belongs to the runtime that it is made in.
        Timer(self.handle.spawn(async move { tokio::time::sleep(time).await })).await
    }

    /// Lets a future run beside the others, until the store is closed.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.handle.spawn(future));
    }
}

/// A connection that is being opened. It can be awaited by one caller after the other.
#[derive(Debug)]
pub(crate) struct Attempt(tokio::task::JoinHandle<Result<Session, Fault>>);

impl Future for Attempt {
    type Output = Result<Session, Fault>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|ended| ended.unwrap_or(Err(Fault::Closed)))
    }
}

/// A wait on the wire's thread, which ends with the one who waits.
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
            // It is gone only when the thread has ended.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            // A panic there was its own.
            let _ = thread.join();
        }
    }
}
