//! Stopping a server.

use std::{future::pending, io, time::Duration};

use tokio::{sync::watch, time::sleep};

/// The request to stop, which `SIGTERM`, `SIGHUP` or Ctrl-C sends to the server. Further signals change nothing.
///
/// From then on:
///
/// - The server answers the requests that have arrived, but only after [`HOLD`](Self::HOLD), when the listener is
///   closed: a client that sends its next request at once must find a closed port rather than a connection that closes
///   under it.
/// - After [`LINGER`](Self::LINGER), it closes the connections without a request.
/// - After [`PATIENCE`](Self::PATIENCE), it no longer waits for incomplete bodies.
/// - After [`END`](Self::END), it cuts the remaining connections, whose clients do not read their answers.
#[derive(Debug, Clone)]
pub struct Stop {
    requested: watch::Receiver<bool>,
}

impl Stop {
    /// The delay of answers after the request to stop, 50 ms.
    pub const HOLD: Duration = Duration::from_millis(50);
    /// The time for which connections without a request stay open, 250 ms.
    pub const LINGER: Duration = Duration::from_millis(250);
    /// The time for which the server waits for incomplete bodies, 5 s.
    pub const PATIENCE: Duration = Duration::from_secs(5);
    /// The time after which everything ends, 7 s. Operators are promised at most 10 s.
    pub const END: Duration = Duration::from_secs(7);

    /// Listens for the signals on a task of its own.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let (request, requested) = watch::channel(false);
        let signals = signals()?;
        tokio::spawn(async move {
            signals.await;
            tracing::info!("told to stop");
            // The value is sent and stored, so that later readers see it too.
            request.send_replace(true);
            request.closed().await;
        });
        Ok(Self { requested })
    }

    /// Returns whether the server was told to stop.
    pub fn is_requested(&self) -> bool {
        // The value changes once and is never marked as seen, so this call needs no lock. Every answer makes it.
        self.requested.has_changed().unwrap_or_default()
    }

    /// Waits until the server is told to stop.
    pub async fn requested(&self) {
        let mut requested = self.requested.clone();
        if requested.wait_for(|requested| *requested).await.is_err() {
            // The task that listens for signals has ended without a signal.
            pending::<()>().await;
        }
    }

    /// Waits until this time has passed since the request to stop.
    pub async fn after(self, time: Duration) {
        self.requested().await;
        sleep(time).await;
    }
}

/// Starts listening for the signals.
#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    // SIGHUP means that the terminal or the session is gone: there is no configuration file to reload.
    let mut hangup = signal(SignalKind::hangup())?;
    // Unless it is handled, a limit on the size of files kills the server in the middle of a write. With a handler,
    // that write fails like one on a full disk.
    let too_large = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
    Ok(async move {
        let _too_large = too_large;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
    })
}
