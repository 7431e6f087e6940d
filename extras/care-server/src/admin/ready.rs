//! Asking whether a write would succeed now.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use futures_executor::block_on;

use super::{AdminError, database::Database, terminal::say};
use crate::serve::metrics::sentence;

/// The longest wait for a lock of the database, as long as a client waits.
const LOCK: Duration = Duration::from_secs(2);
/// Longest wait for a server, which itself gives its store five seconds.
const SERVER: Duration = Duration::from_secs(8);
/// Longest answer that is read, in bytes.
const ANSWER: u64 = 4096;

pub(super) fn ready(database: &Database, metrics: Option<SocketAddr>) -> Result<(), AdminError> {
    match metrics {
        Some(address) => {
            let answer = asked(address).map_err(|error| AdminError::NoServer(address, error))?;
            judge(&answer)?;
        }
        None => {
            let store = database.existing_within(LOCK)?;
            block_on(store.ready()).map_err(|error| AdminError::NotReady(sentence(&error).into()))?;
        }
    }
    say("ready")
}

/// Returns the answer, head and body, of the server with this metrics address.
fn asked(address: SocketAddr) -> io::Result<String> {
    let until = Instant::now() + SERVER;
    let mut stream = TcpStream::connect_timeout(&reachable(address), SERVER)?;
    stream.set_write_timeout(Some(SERVER))?;
    write!(stream, "GET /ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    let mut stream = stream.take(ANSWER);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.get_ref().set_read_timeout(Some(left))?;
        let mut piece = [0; 512];
        match stream.read(&mut piece) {
            Ok(0) => return Ok(String::from_utf8_lossy(&answer).into_owned()),
            Ok(length) => answer.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // The system's error name says less than this.
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Err(ErrorKind::TimedOut.into()),
            Err(error) => return Err(error),
        }
    }
}

/// Returns the address to connect to for a server that listens at this one. A server that listens at all of the
/// machine's addresses is reached at the loopback address.
fn reachable(address: SocketAddr) -> SocketAddr {
    let host = match address.ip() {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    SocketAddr::new(host, address.port())
}

/// Judges an answer: status 200 means ready; anything else fails with the answer's sentence.
fn judge(answer: &str) -> Result<(), AdminError> {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    match head.split_ascii_whitespace().nth(1) {
        Some("200") => Ok(()),
        Some("503") => Err(AdminError::NotReady(body.trim_end().to_owned().into())),
        _ => Err(AdminError::NotReady("the answer does not come from a server's --metrics address".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_all_of_the_machine_is_asked_at_its_own() {
        for (listens, asked) in
            [("0.0.0.0:9000", "127.0.0.1:9000"), ("[::]:9000", "[::1]:9000"), ("192.0.2.7:9000", "192.0.2.7:9000")]
        {
            assert_eq!(reachable(listens.parse().unwrap()), asked.parse().unwrap());
        }
    }
}
