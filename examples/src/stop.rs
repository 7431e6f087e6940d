//! When a server ends, and how.

use std::{future::pending, io, time::Duration};

use tokio::{sync::watch, time::sleep};

/// Tells everybody who asks that the server was told to end, by `SIGTERM`, `SIGHUP` or Ctrl-C. Further signals change
/// nothing.
///
/// From then on:
///
/// - whatever had arrived is taken up, and answers wait until nobody is let in any more ([`HOLD`](Self::HOLD)): who
///   gets an answer may ask again at once, and must find a closed door then, not one that closes on him;
/// - after [`LINGER`](Self::LINGER) connections without a request are closed;
/// - after [`PATIENCE`](Self::PATIENCE) bodies that are still on their way are not waited for;
/// - after [`END`](Self::END) the connections that are left are cut: nobody reads their answers.
#[derive(Debug, Clone)]
pub struct Stop {
    requested: watch::Receiver<bool>,
}

impl Stop {
    /// So long an answer waits once the door is closing.
    pub const HOLD: Duration = Duration::from_millis(50);
    /// So long connections are kept in case a request is on its way.
    pub const LINGER: Duration = Duration::from_millis(250);
    /// So long a body may still take.
    pub const PATIENCE: Duration = Duration::from_secs(5);
    /// So long everything may take; less than the ten seconds that an operator is promised.
    pub const END: Duration = Duration::from_secs(7);

    /// Listens for the signals, on a task of its own.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn on_signals() -> io::Result<Self> {
        let (request, requested) = watch::channel(false);
        let signals = signals()?;
        tokio::spawn(async move {
            signals.await;
            tracing::info!("told to stop");
            // Kept here: those who ask later must still find it.
            request.send_replace(true);
            request.closed().await;
        });
        Ok(Self { requested })
    }

    /// Whether the server was told to end.
    pub fn is_requested(&self) -> bool {
        // Changed once, and never looked at here: this takes no lock, and every answer asks.
        self.requested.has_changed().unwrap_or_default()
    }

    /// Waits until the server is told to end.
    pub async fn requested(&self) {
        let mut requested = self.requested.clone();
        if requested.wait_for(|requested| *requested).await.is_err() {
            // Nobody listens for signals any more, and none has come.
            pending::<()>().await;
        }
    }

    /// Waits until so much time has passed since then.
    pub async fn after(self, time: Duration) {
        self.requested().await;
        sleep(time).await;
    }
}

/// Listens from now on.
#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    // The terminal or the session is gone. There is no file of settings to read anew.
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
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
