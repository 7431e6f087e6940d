//! A client over a socket.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
};

use care_testkit::Wire as Connection;

use super::attempt::{Answer, Ending, Port, Request};

/// A client of one server, with a connection that it keeps.
#[derive(Debug)]
pub(crate) struct Wire {
    address: SocketAddr,
    api_key: String,
    connection: Option<Connection>,
}

impl Wire {
    /// Makes a client of the server at this address, with the key that has all scopes.
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self::with_key(address, "secret")
    }

    /// Makes a client with a key of its own.
    pub(crate) fn with_key(address: SocketAddr, api_key: &str) -> Self {
        Self { address, api_key: api_key.to_owned(), connection: None }
    }

    /// Opens a connection to send anything over.
    pub(crate) fn connected(address: SocketAddr) -> io::Result<TcpStream> {
        Ok(Connection::try_open(address)?.into_stream())
    }

    /// Opens a connection, and sends as much of this text as it takes at once. It never waits for the server.
    pub(crate) fn left(address: SocketAddr, text: &str) -> io::Result<TcpStream> {
        let mut connection = Self::connected(address)?;
        connection.set_nonblocking(true)?;
        match connection.write(text.as_bytes()) {
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
            _ => Ok(connection),
        }
    }

    /// Returns the status of an answer, if one arrives over a connection that waits, or has arrived over one that does
    /// not.
    pub(crate) fn status(mut connection: &TcpStream) -> Option<u16> {
        let mut line = [0; "HTTP/1.1 200".len()];
        let read = connection.read(&mut line).ok()?;
        std::str::from_utf8(&line[..read]).ok()?.rsplit(' ').next()?.parse().ok()
    }

    fn exchange(&self, connection: &mut Connection, request: &Request) -> io::Result<(Answer, bool)> {
        connection.try_send(request.written(&self.api_key))?;
        let answer = connection.try_answer()?;
        let header = |name| answer.header(name).map(ToOwned::to_owned);
        let closes = answer.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let location = header("location").or_else(|| header("content-location"));
        let tag = header("etag");
        Ok((Answer { status: answer.status, location, tag, body: answer.body }, closes))
    }
}

impl Request {
    /// Returns the request as a client with this key sends it.
    pub(crate) fn written(&self, api_key: &str) -> String {
        let Self { method, path, key, body, headers } = self;
        let mut text = format!("{method} /1.0.0{path} HTTP/1.1\r\nHost: localhost\r\napi_key: {api_key}\r\n");
        if let Some(key) = key {
            text += &format!("Idempotency-Key: \"{key}\"\r\n");
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        match body {
            Some(body) => {
                text + &format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            }
            None => text + "\r\n",
        }
    }
}

impl Port for Wire {
    fn ask(&mut self, request: &Request) -> Ending {
        let kept = self.connection.take().map_or_else(|| Connection::try_open(self.address), Ok);
        let Ok(mut connection) = kept else {
            return Ending::Gone;
        };
        match self.exchange(&mut connection, request) {
            Ok((answer, closes)) => {
                self.connection = Some(connection).filter(|_| !closes);
                Ending::Answer(answer)
            }
            Err(_) => Ending::Lost,
        }
    }
}
