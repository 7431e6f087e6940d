//! Sockets to listen on: the server's own, and sockets that exist before the server starts, such as systemd's, which
//! stays open while the server restarts.

use std::{
    io,
    net::{SocketAddr, TcpListener},
};

use tokio::net::TcpSocket;

use crate::StartError;

/// Most connections that may wait to be accepted. The usual 128 overflow when many clients connect at once, and a
/// client whose connection is dropped there tries again only after a second.
const BACKLOG: u32 = 4096;

/// Listens at this address. Call it in a runtime.
pub(crate) fn listen(address: SocketAddr) -> io::Result<tokio::net::TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restarted server must not wait until the old connections expire.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Takes the one socket that the parent process opened for this process and announced by `LISTEN_FDS` and `LISTEN_PID`,
/// as in `sd_listen_fds(3)`. Returns `None` if there is none.
#[cfg(unix)]
pub(crate) fn inherited() -> Result<Option<TcpListener>, StartError> {
    let mut sockets = listenfd::ListenFd::from_env();
    match sockets.len() {
        0 => Ok(None),
        1 => sockets.take_tcp_listener(0).map_err(StartError::Socket)?.map(listening).transpose(),
        _ => Err(StartError::Sockets),
    }
}

/// Refuses a socket that is merely bound, and a connection: clients can connect to neither.
#[cfg(unix)]
fn listening(socket: TcpListener) -> Result<TcpListener, StartError> {
    match rustix::net::sockopt::socket_acceptconn(&socket) {
        Ok(true) => Ok(socket),
        Ok(false) => Err(StartError::NotListening),
        Err(error) => Err(StartError::Socket(error.into())),
    }
}

/// Returns `None`: on other systems no sockets are passed on.
#[cfg(not(unix))]
pub(crate) const fn inherited() -> Result<Option<TcpListener>, StartError> {
    Ok(None)
}

/// Files that a server opens besides its connections, with some to spare.
const OTHERS: usize = 128;
/// Fewest connections with which a server starts.
const LEAST: usize = 16;
/// Lowest limit of open files with which a server can start: threads, database, socket and the fewest connections.
const FEWEST: u64 = 64;

/// Raises the limit of open files for this many connections, and returns how many connections it allows. That is fewer
/// if the system refuses more, and `None` if it is too few for a server.
///
/// The system's limit often starts at 1,024. This may also lower the limit, so that a framework which accepts every
/// connection stops there.
#[cfg(unix)]
pub(crate) fn allow(connections: usize) -> Option<usize> {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    let wanted = u64::try_from(connections.saturating_add(OTHERS)).unwrap_or(u64::MAX);
    let wanted = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
    limit.current = Some(wanted);
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the system's own limit of connections stays in force");
    }
    let current = getrlimit(Resource::Nofile).current.unwrap_or(wanted).min(wanted);
    let allowed = usize::try_from(current).unwrap_or(usize::MAX).saturating_sub(OTHERS).max(LEAST);
    (current >= FEWEST).then_some(allowed)
}

#[cfg(not(unix))]
pub(crate) const fn allow(connections: usize) -> Option<usize> {
    Some(connections)
}
