//! Accepting connections.

use std::{
    future::pending,
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::sleep,
};

use super::{connection::Connection, crowd::Crowd};
use crate::Stop;

/// Shortest time after which an idle connection is closed.
const IDLE: Duration = Duration::from_secs(75);
/// Pause before accepting again when the process is out of file descriptors.
const PAUSE: Duration = Duration::from_millis(250);

/// Most accepted connections that the runtime has not polled yet. Otherwise the tasks of a burst would queue in the
/// runtime ahead of the clients that are already there; new connections wait in the system's queue instead.
const ARRIVALS: usize = 64;

/// Listens on a socket that the parent process passed on.
pub(crate) fn take_over(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// A listener that sends data without delay, closes idle connections (sooner if there are too many), waits when the
/// process is out of file descriptors, and accepts no more connections once the server shuts down.
#[derive(Debug)]
pub(crate) struct Tcp {
    /// The socket; `None` once the server shuts down.
    listener: Option<TcpListener>,
    crowd: Arc<Crowd>,
    stop: Stop,
    arrivals: Arc<Semaphore>,
}

impl Tcp {
    /// Returns a listener that accepts as many connections as the crowd allows.
    pub(crate) fn new(listener: TcpListener, crowd: Arc<Crowd>, stop: Stop) -> Self {
        Self { listener: Some(listener), crowd, stop, arrivals: Arc::new(Semaphore::new(ARRIVALS)) }
    }

    /// Returns the next connection and its peer. Once the server shuts down, it waits for ever.
    pub(crate) async fn accept(&mut self) -> (Connection<TcpStream>, SocketAddr) {
        loop {
            let Some(listener) = &self.listener else {
                return pending().await;
            };
            // The semaphore is never closed.
            let Ok(arrival) = Arc::clone(&self.arrivals).acquire_owned().await else {
                return pending().await;
            };
            let accepted = tokio::select! {
                // The order makes sure that clients which are already waiting are accepted before the listener closes.
                biased;
                accepted = listener.accept() => accepted,
                () = self.stop.requested() => {
                    self.listener = None;
                    continue;
                }
            };
            match accepted {
                Ok((stream, peer)) => {
                    let Some(place) = self.crowd.enter(peer) else {
                        continue;
                    };
                    // It fails only for a connection that has ended by now.
                    if stream.set_nodelay(true).is_ok() {
                        return (Connection::new(stream, IDLE, place).holding(arrival), peer);
                    }
                }
                Err(error) if concerns_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "no connections are accepted for a moment");
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

fn concerns_one_connection(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}
