//! The connections that the server accepts.

use std::{
    io::{self, ErrorKind, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{http1::Beginning, idle::Idle};

/// A connection that ends when the client begins to speak HTTP/2, and when nothing has come or gone for a while.
#[derive(Debug)]
pub(crate) struct Connection<T> {
    stream: T,
    beginning: Beginning,
    idle: Idle,
}

impl<T> Connection<T> {
    /// It may be idle for so long at least.
    pub(crate) fn new(stream: T, a_while: Duration) -> Self {
        Self { stream, beginning: Beginning::new(), idle: Idle::new(a_while) }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Connection<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.idle.note(&read);
        if read.is_pending() {
            // A server always reads, if only to hear that the client is gone.
            return self.idle.poll(context).map(|()| Err(ErrorKind::TimedOut.into()));
        }
        match buffer.filled().get(before..) {
            Some(new) if self.beginning.is_http2(new) => Poll::Ready(Err(ErrorKind::Unsupported.into())),
            _ => read,
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Connection<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.idle.note(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.idle.note(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::{Instant, advance},
    };

    use super::*;

    const A_WHILE: Duration = Duration::from_secs(75);

    #[tokio::test(start_paused = true)]
    async fn a_connection_ends_when_nothing_comes_or_goes() {
        let (mut client, server) = duplex(16);
        let mut server = Connection::new(server, A_WHILE);
        let begun = Instant::now();
        // As long as something comes, or goes, it stays.
        for _ in 0..4 {
            advance(A_WHILE * 9 / 10).await;
            client.write_u8(1).await.unwrap();
            assert_eq!(server.read_u8().await.unwrap(), 1);
            advance(A_WHILE * 9 / 10).await;
            server.write_u8(2).await.unwrap();
            assert_eq!(client.read_u8().await.unwrap(), 2);
        }
        let last = Instant::now();
        assert!(last - begun > A_WHILE * 7);
        let ended = server.read_u8().await.unwrap_err();
        assert_eq!(ended.kind(), io::ErrorKind::TimedOut);
        assert!((A_WHILE..=A_WHILE * 2).contains(&last.elapsed()), "{:?}", last.elapsed());
    }
}
