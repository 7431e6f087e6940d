//! A client that sends bytes as they are.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

/// Timeout of connecting and of reads, longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection.
#[derive(Debug)]
pub struct Wire(BufReader<TcpStream>);

/// An answer as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case, sorted.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Wire {
    /// Opens a connection.
    pub fn open(address: SocketAddr) -> Self {
        let wire = Self::try_open(address).expect("a connection");
        // A server that has answered may read no more of a long request, and its answer is what matters.
        wire.0.get_ref().set_write_timeout(Some(Duration::from_secs(1))).expect("a timeout");
        wire
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// No server is listening.
    pub fn try_open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Returns the connection without what was read ahead.
    pub fn into_stream(self) -> TcpStream {
        self.0.into_inner()
    }

    /// Sends these bytes. A server that has answered already may not take all of them.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.try_send(bytes);
    }

    /// Sends these bytes.
    ///
    /// # Errors
    /// The server does not take all of them.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.0.get_mut().write_all(bytes.as_ref())
    }

    /// Says that nothing more will be sent.
    pub fn end(&mut self) {
        self.0.get_mut().shutdown(Shutdown::Write).expect("an open connection");
    }

    /// Reads one answer.
    pub fn answer(&mut self) -> Answer {
        self.answer_to("GET")
    }

    /// Reads one answer to this method; to a `HEAD` it has no body.
    pub fn answer_to(&mut self, method: &str) -> Answer {
        self.read(method).expect("an answer")
    }

    /// Reads one answer.
    ///
    /// # Errors
    /// The connection is closed before the answer is complete.
    pub fn try_answer(&mut self) -> io::Result<Answer> {
        self.read("GET")
    }

    /// Reads the head of an interim answer, and returns whether its first line begins like this.
    pub fn line_is(&mut self, first: &str) -> bool {
        self.line().is_ok_and(|line| line == first) && self.line().is_ok_and(|line| line.is_empty())
    }

    /// Returns all bytes until the server closes the connection.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // An error is an end too: the server resets the connection when it closes it with unread input.
        let _ = self.0.read_to_end(&mut rest);
        rest
    }

    /// Returns whether the server closes the connection without another byte.
    pub fn is_over(&mut self) -> bool {
        self.rest().is_empty()
    }

    fn read(&mut self, method: &str) -> io::Result<Answer> {
        let broken = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or_else(|| broken("no status"))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        headers.sort();
        let mut answer = Answer { status, headers, body: String::new() };
        if method != "HEAD" && !matches!(status, 204 | 304) {
            let length = answer.header("content-length").and_then(|length| length.parse().ok());
            let mut body = vec![0; length.ok_or_else(|| broken("no length"))?];
            self.0.read_exact(&mut body)?;
            answer.body = String::from_utf8(body).map_err(|_| broken("no UTF-8"))?;
        }
        Ok(answer)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Answer {
    /// Returns the value of a header that is there once at most.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(header, _)| header == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is there twice: {self:?}");
        value
    }
}

/// Returns the whole answer to a `GET` over a connection of its own, head and body. The headers end in `\r\n` each.
///
/// # Errors
/// No server is listening, or none answers.
pub fn get(address: SocketAddr, path: &str, headers: &str) -> io::Result<String> {
    let mut wire = Wire::try_open(address)?;
    wire.try_send(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n"))?;
    let mut answer = String::new();
    wire.0.read_to_string(&mut answer)?;
    Ok(answer)
}
