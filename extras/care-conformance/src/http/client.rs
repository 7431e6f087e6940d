//! An HTTP/1.1 client that sends exactly the bytes of its requests.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use super::{judge::answer::Answer, text::request::Request};

/// The timeout of reads and writes.
const PATIENCE: Duration = Duration::from_secs(20);
/// The highest number of lines in a head.
const MAX_LINES: usize = 200;

/// A client of one server, which keeps its connection.
pub(crate) struct Client {
    address: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
}

impl Client {
    pub(super) const fn new(address: SocketAddr) -> Self {
        Self { address, connection: None }
    }

    /// Connects now instead of with the first request.
    pub(super) fn open(&mut self) -> io::Result<()> {
        self.connection = Some(self.connected()?);
        Ok(())
    }

    fn connected(&self) -> io::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(BufReader::new(stream))
    }

    /// Sends a request and waits for its answer.
    pub(super) fn exchange(&mut self, request: &Request) -> io::Result<Answer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connected()?,
        };
        // The server may answer and close the connection before it has read the whole request.
        let sent = connection.get_mut().write_all(&written(request));
        let answer = receive(&mut connection, request.method == "HEAD").map_err(|error| sent.err().unwrap_or(error))?;
        let closes =
            answer.headers.iter().any(|(name, value)| name == "connection" && value.eq_ignore_ascii_case("close"));
        // A server that leaves part of a body unread closes the connection after its answer. It may do so where the
        // body has no effect: after a refusal, and for methods without a body.
        let needs_body = matches!(request.method.as_str(), "PUT" | "POST") && answer.status < 400;
        if !closes && (needs_body || request.body.is_none()) {
            self.connection = Some(connection);
        }
        Ok(answer)
    }
}

fn written(request: &Request) -> Vec<u8> {
    let mut bytes = format!("{} {} HTTP/1.1\r\nHost: localhost\r\n", request.method, request.target).into_bytes();
    let framing = request.framing();
    let framing = framing.iter().map(|(name, value)| (*name, value.as_bytes()));
    let headers = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
    for (name, value) in headers.chain(framing) {
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    let body = request.body.as_deref().unwrap_or_default();
    if request.body.is_some() && request.chunked {
        // The pieces have an odd size, so that chunks do not end where parts of the document do.
        for chunk in body.chunks(1021) {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
    } else {
        bytes.extend_from_slice(body);
    }
    bytes
}

fn receive(connection: &mut BufReader<TcpStream>, is_head: bool) -> io::Result<Answer> {
    let (status, headers) = loop {
        let (status, headers) = head(connection)?;
        // Interim answers come before the final one.
        if status >= 200 {
            break (status, headers);
        }
    };
    let header = |wanted: &str| {
        let mut named = headers.iter().filter(|(name, _)| name == wanted);
        named.next().map(|(_, value)| value.as_str())
    };
    let mut body = Vec::new();
    if is_head || matches!(status, 204 | 304) {
        // Such an answer has no body, whatever its head says.
    } else if let Some(length) = header("content-length") {
        let length = length.parse().map_err(|_| broken("a bad Content-Length"))?;
        connection.take(length).read_to_end(&mut body)?;
        if body.len() as u64 != length {
            return Err(broken("the body ends early"));
        }
    } else if header("transfer-encoding").is_some() {
        while let size @ 1.. = chunk_size(&line(connection)?)? {
            connection.by_ref().take(size).read_to_end(&mut body)?;
            line(connection)?;
        }
        line(connection)?;
    } else {
        connection.read_to_end(&mut body)?;
    }
    Ok(Answer { status, headers, body })
}

type Head = (u16, Vec<(String, String)>);

fn head(connection: &mut BufReader<TcpStream>) -> io::Result<Head> {
    let first = line(connection)?;
    let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| broken("no status line"))?;
    let mut headers = Vec::new();
    for _ in 0..MAX_LINES {
        let line = line(connection)?;
        if line.is_empty() {
            return Ok((status, headers));
        }
        let (name, value) = line.split_once(':').ok_or_else(|| broken("no header"))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Err(broken("too many headers"))
}

fn line(connection: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = Vec::new();
    connection.take(64 * 1024).read_until(b'\n', &mut line)?;
    let line = line.strip_suffix(b"\r\n").ok_or_else(|| broken("no whole line came"))?;
    Ok(String::from_utf8_lossy(line).into_owned())
}

fn chunk_size(line: &str) -> io::Result<u64> {
    u64::from_str_radix(line.trim(), 16).map_err(|_| broken("a bad chunk"))
}

fn broken(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
