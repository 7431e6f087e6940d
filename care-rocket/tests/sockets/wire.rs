//! A client that sends bytes as they are.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

/// The timeout of reads, longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A connection.
pub(crate) struct Wire(BufReader<TcpStream>);

/// An answer as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The headers, names in lower case, sorted.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Wire {
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self::try_open(address).unwrap()
    }

    pub(crate) fn try_open(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect(address).ok()?;
        stream.set_nodelay(true).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.set_write_timeout(Some(Duration::from_secs(1))).ok()?;
        Some(Self(BufReader::new(stream)))
    }

    /// Sends these bytes. A server that has answered already may not take all of them.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.0.get_mut().write_all(bytes.as_ref());
    }

    /// Says that nothing more will be sent.
    pub(crate) fn end(&mut self) {
        self.0.get_mut().shutdown(Shutdown::Write).unwrap();
    }

    /// Reads one answer.
    pub(crate) fn answer(&mut self) -> Answer {
        self.answer_to("GET")
    }

    /// Reads one answer to this method; to a `HEAD` it has no body.
    pub(crate) fn answer_to(&mut self, method: &str) -> Answer {
        self.read(method).unwrap()
    }

    /// Reads one answer, if there is one.
    pub(crate) fn try_answer(&mut self) -> Option<Answer> {
        self.read("GET").ok()
    }

    /// Reads the head of an interim answer, and returns whether its first line begins like this.
    pub(crate) fn line_is(&mut self, first: &str) -> bool {
        self.line().unwrap() == first && self.line().unwrap().is_empty()
    }

    /// Returns all bytes until the server closes the connection.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // An error is an end too: the server resets the connection when it closes it with unread input.
        let _ = self.0.read_to_end(&mut rest);
        rest
    }

    /// Returns whether the server closes the connection without another byte.
    pub(crate) fn is_over(&mut self) -> bool {
        self.rest().is_empty()
    }

    fn read(&mut self, method: &str) -> io::Result<Answer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.expect("a status");
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
            let length = answer.header("content-length").expect("a length");
            let mut body = vec![0; length.parse().expect("a number")];
            self.0.read_exact(&mut body)?;
            answer.body = String::from_utf8(body).expect("UTF-8");
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
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(header, _)| header == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is there twice: {self:?}");
        value
    }
}
