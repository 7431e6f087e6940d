//! The thread that drives every socket of a store.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    thread::{self, JoinHandle},
    time::Duration,
};

use futures_channel::oneshot;
use tokio::runtime::{Builder, Handle};
use tokio_postgres::{AsyncMessage, Config, Connection, NoTls, Socket, tls::NoTlsStream};

use crate::{error::Fault, session::Session};

/// The time that the connections may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// A runtime of the store's own on a thread of its own, so that the store works under any runtime or none, and a caller
/// that blocks keeps no answer from another.
#[derive(Debug)]
pub(crate) struct Wire {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name("care-postgres-wire".to_owned()).spawn(move || {
            // Ends when it is told to, or when its owner is gone.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_timeout(GOODBYE);
        })?;
        Ok(Self { handle, stop: Some(stop), thread: Some(thread) })
    }

    /// Opens a connection and runs these settings on it.
    pub(crate) async fn connect(&self, config: &Config, settings: &str) -> Result<Session, Fault> {
        let (config, settings) = (config.clone(), settings.to_owned());
        let connected = self.handle.spawn(async move {
            let (client, connection) = config.connect(NoTls).await?;
            let warnings = Arc::new(AtomicU64::new(0));
            tokio::spawn(drive(connection, Arc::clone(&warnings)));
            client.batch_execute(&settings).await?;
            Ok(Session::new(client, warnings))
        });
        connected.await.map_err(|_| Fault::Closed)?
    }

    /// Waits without occupying a thread.
    pub(crate) async fn pause(&self, time: Duration) -> Result<(), Fault> {
        // Made on that thread: a timer belongs to the runtime that it is made in.
        Timer(self.handle.spawn(async move { tokio::time::sleep(time).await })).await
    }

    /// Waits for an answer for at most this long.
    pub(crate) async fn within<T>(&self, limit: Duration, answer: impl Future<Output = T>) -> Option<T> {
        let late = std::pin::pin!(self.pause(limit));
        match futures_util::future::select(std::pin::pin!(answer), late).await {
            futures_util::future::Either::Left((answer, _)) => Some(answer),
            futures_util::future::Either::Right(_) => None,
        }
    }

    /// Lets a future run beside the others, until the store is closed.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.handle.spawn(future));
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

/// Drives a connection to its end, and counts the warnings that arrive on it: one of them says that a commit is not yet on
/// the standby although it is answered.
async fn drive(mut connection: Connection<Socket, NoTlsStream>, warnings: Arc<AtomicU64>) {
    loop {
        match poll_fn(|context| connection.poll_message(context)).await {
            Some(Ok(AsyncMessage::Notice(notice))) if notice.severity() == "WARNING" => {
                warnings.fetch_add(1, Ordering::SeqCst);
                tracing::warn!(code = notice.code().code(), "PostgreSQL warns: {}", notice.message());
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::debug!(%error, "a connection to PostgreSQL has ended");
                return;
            }
            None => return,
        }
    }
}
