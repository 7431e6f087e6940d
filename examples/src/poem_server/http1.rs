//! Connections over which only HTTP/1 is spoken.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How every HTTP/2 connection begins, and no HTTP/1 request of a method that anybody has.
const HTTP2: &[u8] = b"PRI ";

/// A connection that ends when the client begins to speak HTTP/2, which Poem would answer.
#[derive(Debug)]
pub(crate) struct Http1<T> {
    connection: T,
    /// How much of the beginning of HTTP/2 was seen so far; `None` once it is something else.
    seen: Option<usize>,
}

impl<T> Http1<T> {
    pub(crate) const fn new(connection: T) -> Self {
        Self { connection, seen: Some(0) }
    }

    /// Looks at the next bytes. Whether it is HTTP/2.
    fn is_http2(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            let Some(seen) = self.seen else {
                return false;
            };
            self.seen = (HTTP2.get(seen) == Some(byte)).then_some(seen + 1);
            if self.seen == Some(HTTP2.len()) {
                return true;
            }
        }
        false
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Http1<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.connection).poll_read(context, buffer);
        if self.seen.is_some()
            && let Some(new) = buffer.filled().get(before..)
            && self.is_http2(new)
        {
            return Poll::Ready(Err(io::ErrorKind::Unsupported.into()));
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Http1<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.connection).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.connection.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http2_is_told_from_every_other_beginning() {
        let is_http2 = |parts: &[&str]| {
            let mut connection = Http1::new(());
            parts.iter().any(|part| connection.is_http2(part.as_bytes()))
        };
        assert!(is_http2(&["PRI * HTTP/2.0\r\n\r\n"]));
        assert!(is_http2(&["P", "R", "", "I", " *"]));
        for other in ["PUT / HTTP/1.1", "PRINT / HTTP/1.1", "GET /PRI * HTTP/1.1", "xPRI ", ""] {
            assert!(!is_http2(&[other]), "{other}");
        }
        assert!(!is_http2(&["PR", "X", "PRI "]));
    }
}
