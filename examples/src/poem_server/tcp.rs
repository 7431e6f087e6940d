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
    net::{TcpListener, TcpSocket, TcpStream},
    time::sleep,
};

use super::{connection::Connection, crowd::Crowd};
use crate::Stop;

/// A connection may be idle for so long at least.
const IDLE: Duration = Duration::from_secs(75);
/// So long nothing is accepted when the system has no connection to give.
const PAUSE: Duration = Duration::from_millis(250);

/// The connections that may wait to be accepted. The usual 128 overflow when a crowd comes, and a client whose connection
/// is dropped there tries again after a second.
const BACKLOG: u32 = 4096;

/// Listens at this address.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that starts again need not wait for the connections of the one before.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections as a server should: it sends what is written at once, ends what is idle, first of all when there
/// are too many, waits when the system has no more files to open, and refuses new connections when the server ends.
#[derive(Debug)]
pub(crate) struct Tcp {
    /// Gone when the server ends.
    listener: Option<TcpListener>,
    address: SocketAddr,
    crowd: Arc<Crowd>,
    stop: Stop,
}

impl Tcp {
    /// Accepts as many connections as the crowd may have.
    pub(crate) const fn new(listener: TcpListener, address: SocketAddr, crowd: Arc<Crowd>, stop: Stop) -> Self {
        Self { listener: Some(listener), address, crowd, stop }
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
            let accepted = tokio::select! {
                // In this order: those who are waiting already are let in before it closes.
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
                    let connection = Connection::new(stream, IDLE, place);
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
