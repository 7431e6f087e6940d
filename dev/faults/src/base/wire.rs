//! A client over a socket.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use super::attempt::{Answer, Ending, Port, Request};

/// Longest time for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client of one server, with a connection that it keeps.
#[derive(Debug)]
pub struct Wire {
    address: SocketAddr,
    /// Its `api_key`; `None` for the key with all scopes.
    api_key: Option<String>,
    connection: Option<BufReader<TcpStream>>,
}

impl Wire {
    /// Makes a client of the server at this address.
    pub const fn new(address: SocketAddr) -> Self {
        Self { address, api_key: None, connection: None }
    }

    /// Makes a client with a key of its own.
    pub(crate) fn with_key(address: SocketAddr, api_key: &str) -> Self {
        Self { api_key: Some(api_key.to_owned()), ..Self::new(address) }
    }

    /// Returns a request as it is sent.
    pub(crate) fn written(request: &Request) -> String {
        Self::written_by("secret", request)
    }

    fn written_by(api_key: &str, request: &Request) -> String {
        let Request { method, path, key, body, headers } = request;
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

    pub(crate) fn connected(address: SocketAddr) -> io::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(BufReader::new(stream))
    }

    fn exchange(&self, connection: &mut BufReader<TcpStream>, request: &Request) -> io::Result<(Answer, bool)> {
        let text = Self::written_by(self.api_key.as_deref().unwrap_or("secret"), request);
        connection.get_mut().write_all(text.as_bytes())?;
        Self::answer(connection)
    }

    /// Reads the next answer, and whether it is the last one on this connection.
    pub(crate) fn answer(connection: &mut BufReader<TcpStream>) -> io::Result<(Answer, bool)> {
        let status = line(connection)?;
        let status = status.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        let (mut location, mut tag, mut length, mut closes) = (None, None, 0, false);
        loop {
            let line = line(connection)?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "location" | "content-location" => location = Some(value.to_owned()),
                "etag" => tag = Some(value.to_owned()),
                "content-length" => length = value.parse().map_err(|_| io::ErrorKind::InvalidData)?,
                "connection" => closes = value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let mut body = vec![0; if matches!(status, 204 | 304) { 0 } else { length }];
        connection.read_exact(&mut body)?;
        let body = String::from_utf8(body).map_err(|_| io::ErrorKind::InvalidData)?;
        Ok((Answer { status, location, tag, body }, closes))
    }
}

impl Port for Wire {
    fn ask(&mut self, request: &Request) -> Ending {
        let kept = self.connection.take().map_or_else(|| Self::connected(self.address), Ok);
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

fn line(connection: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    connection.read_line(&mut line)?;
    let whole = line.strip_suffix("\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(whole.to_owned())
}
