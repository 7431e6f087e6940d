//! One client, and its connection.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::SocketAddr,
    time::{Duration, Instant},
};

use care_conformance::Dice;
use memchr::memmem;
use mio::net::TcpStream;

use super::requests::Requests;
use crate::Failure;

pub(super) struct Client {
    stream: TcpStream,
    requests: Requests,
    dice: Dice,
    /// The index of its group.
    pub(super) group: usize,
    request: Vec<u8>,
    answer: Vec<u8>,
    buffer: Box<[u8; 8192]>,
    asked: Option<Instant>,
}

impl Client {
    pub(super) fn connect(address: SocketAddr, requests: Requests, dice: Dice, group: usize) -> io::Result<Self> {
        // The connection is made before the clock starts, and becomes non-blocking afterwards.
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let (request, answer) = (Vec::with_capacity(1024), Vec::with_capacity(8192));
        let (stream, buffer) = (TcpStream::from_std(stream), Box::new([0; 8192]));
        Ok(Self { stream, requests, dice, group, request, answer, buffer, asked: None })
    }

    pub(super) const fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Sends the next request, which is small enough to be sent at once.
    pub(super) fn ask(&mut self) -> io::Result<()> {
        self.request.clear();
        self.requests.next(&mut self.dice, &mut self.request);
        self.asked = Some(Instant::now());
        self.stream.write_all(&self.request)
    }

    /// Reads the available bytes, and returns the time of the answer once it is complete. There is never more than one
    /// answer outstanding.
    pub(super) fn answer(&mut self) -> Result<Option<Duration>, Failure> {
        let Some(asked) = self.asked else {
            return Ok(None);
        };
        loop {
            match self.stream.read(&mut *self.buffer) {
                Ok(0) => return Err("a server closed a connection".into()),
                Ok(count) => {
                    self.answer.extend_from_slice(self.buffer.get(..count).unwrap_or_default());
                    if count < self.buffer.len() {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        let Some(length) = length(&self.answer)? else {
            return Ok(None);
        };
        if self.answer.len() < length {
            return Ok(None);
        }
        self.answer.clear();
        self.asked = None;
        Ok(Some(asked.elapsed()))
    }
}

/// Returns the length of the answer that begins here, once its head is complete.
fn length(answer: &[u8]) -> Result<Option<usize>, Failure> {
    let Some(end) = memmem::find(answer, b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = str::from_utf8(answer.get(..end).unwrap_or_default())?;
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap_or_default();
    if !status.starts_with("HTTP/1.1 20") {
        return Err(format!("a server answers {status}").into());
    }
    let mut fields = lines.filter_map(|line| line.split_once(':'));
    let (_, length) = fields
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .ok_or("a server does not say how long its answer is")?;
    Ok(Some(end + 4 + length.trim().parse::<usize>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_as_long_as_it_says() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(length(answer).unwrap(), Some(answer.len()));
        assert_eq!(length(&answer[..30]).unwrap(), None);
        assert!(length(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").is_err());
        assert!(length(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
