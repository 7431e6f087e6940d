//! A socket that exists before the server: systemd's, for example, which holds it while the server restarts.

use std::net::TcpListener;

use crate::StartError;

/// Takes the only socket that the parent process has opened for this one and announces by `LISTEN_FDS` and
/// `LISTEN_PID`, as in `sd_listen_fds(3)`. Returns `None` when there is none.
#[cfg(unix)]
pub(crate) fn inherited() -> Result<Option<TcpListener>, StartError> {
    let mut sockets = listenfd::ListenFd::from_env();
    match sockets.len() {
        0 => Ok(None),
        1 => sockets.take_tcp_listener(0).map_err(StartError::Socket)?.map(listening).transpose(),
        _ => Err(StartError::Sockets),
    }
}

/// Refuses a socket that is bound only, or a connection, neither of which a client can connect to.
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
