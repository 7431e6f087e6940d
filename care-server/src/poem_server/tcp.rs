//! Accepting connections.

use std::{
    future::pending,
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use poem::{
    http::uri::Scheme,
    listener::Acceptor,
    web::{LocalAddr, RemoteAddr},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::sleep,
};

use super::{connection::Connection, crowd::Crowd};
use crate::Stop;

/// The shortest time after which an idle connection is closed.
const IDLE: Duration = Duration::from_secs(75);
/// The pause in accepting connections when the system has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(250);

/// The number of accepted connections that the runtime has not looked at yet. The tasks of a burst would otherwise stand
/// in the runtime's queue before those of the clients that are there already; the system's queue is the place to wait.
const ARRIVALS: usize = 64;

/// Listens on a socket that the parent process passed on.
pub(crate) fn take_over(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// A listener that sends data without delay, closes idle connections, first of all when there are too many, waits when
/// the system has no more file descriptors, and refuses new connections when the server ends.
#[derive(Debug)]
pub(crate) struct Tcp {
    /// The socket; `None` once the server ends.
    listener: Option<TcpListener>,
    address: SocketAddr,
    crowd: Arc<Crowd>,
    stop: Stop,
    arrivals: Arc<Semaphore>,
}

impl Tcp {
    /// Returns a listener that accepts as many connections as the crowd may have.
    pub(crate) fn new(listener: TcpListener, address: SocketAddr, crowd: Arc<Crowd>, stop: Stop) -> Self {
        Self { listener: Some(listener), address, crowd, stop, arrivals: Arc::new(Semaphore::new(ARRIVALS)) }
    }
}

impl Acceptor for Tcp {
    type Io = Connection<TcpStream>;

    fn local_addr(&self) -> Vec<LocalAddr> {
        vec![LocalAddr(self.address.into())]
    }

    async fn accept(&mut self) -> io::Result<(Self::Io, LocalAddr, RemoteAddr, Scheme)> {
        loop {
            let Some(listener) = &self.listener else {
                return pending().await;
            };
            // The semaphore is never closed.
            let Ok(arrival) = Arc::clone(&self.arrivals).acquire_owned().await else {
                return pending().await;
            };
            let accepted = tokio::select! {
                // In this order, clients that are waiting already are accepted before the listener closes.
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
                    stream.set_nodelay(true)?;
                    let (local, remote) = (self.address.into(), peer.into());
                    let connection = Connection::new(stream, IDLE, place).holding(arrival);
                    return Ok((connection, LocalAddr(local), RemoteAddr(remote), Scheme::HTTP));
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
