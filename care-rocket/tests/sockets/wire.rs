//! A client that sends bytes as they are.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

/// A connection.
pub(crate) struct Wire(BufReader<TcpStream>);

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case, sorted.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Wire {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        Self(BufReader::new(stream))
    }

    /// Sends these bytes. A server that has answered already may not take all of them.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.0.get_mut().write_all(bytes.as_ref());
    }

    /// Says that nothing more will be sent.
    pub(crate) fn end(&mut self) {
        self.0.get_mut().shutdown(Shutdown::Write).unwrap();
    }

    /// Reads one answer; to a `HEAD` it has no body.
    pub(crate) fn answer_to(&mut self, method: &str) -> Answer {
        let status: u16 = self.line().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        if status == 100 {
            return self.answer_to(method);
        }
        headers.sort();
        let mut answer = Answer {
            status,
            headers,
            body: String::new(),
        };
        if method != "HEAD" && !matches!(status, 204 | 304) {
            let length = answer.header("content-length").expect("a length");
            let mut body = vec![0; length.parse().unwrap()];
            self.0.read_exact(&mut body).unwrap();
            answer.body = String::from_utf8(body).unwrap();
        }
        answer
    }

    pub(crate) fn answer(&mut self) -> Answer {
        self.answer_to("GET")
    }

    /// Reads the head of an interim answer. Whether it begins like this.
    pub(crate) fn line_is(&mut self, first: &str) -> bool {
        self.line() == first && self.line().is_empty()
    }

    /// Whether the server has nothing more to say and hangs up.
    pub(crate) fn is_over(&mut self) -> bool {
        // An error too: what it had not read when it closed makes it a reset.
        matches!(self.0.read(&mut [0]), Ok(0) | Err(_))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        assert!(line.ends_with("\r\n"), "no whole line: {line:?}");
        line.trim_end().to_owned()
    }
}

impl Answer {
    /// The value of a header that is there once at most.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(header, _)| header == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is there twice: {self:?}");
        value
    }
}
