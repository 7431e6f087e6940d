//! A socket that is there before the server: systemd's, for example, which holds it while the server starts anew.

use std::net::TcpListener;

use crate::StartError;

/// Takes the one socket that the parent process listens on for this one and announces as `sd_listen_fds(3)` says, by
/// `LISTEN_FDS` and `LISTEN_PID`. Returns `None` when there is none.
#[cfg(unix)]
pub(crate) fn inherited() -> Result<Option<TcpListener>, StartError> {
    let mut sockets = listenfd::ListenFd::from_env();
    match sockets.len() {
        0 => Ok(None),
        1 => sockets.take_tcp_listener(0).map_err(StartError::Socket),
        _ => Err(StartError::Sockets),
    }
}

/// Returns `None`: other systems hand over no sockets.
#[cfg(not(unix))]
pub(crate) const fn inherited() -> Result<Option<TcpListener>, StartError> {
    Ok(None)
}
