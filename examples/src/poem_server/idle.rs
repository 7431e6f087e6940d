//! Connections that end when nothing happens on them.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// A connection that ends when nothing has come or gone for a while.
///
/// Poem's own timeout wakes a task of each connection for every read and write. This looks again once a while only, so
/// what is idle ends after one to two of them.
#[derive(Debug)]
pub(crate) struct Idle<T> {
    connection: T,
    a_while: Duration,
    /// Whether anything has come or gone since it was looked at last.
    moved: bool,
    look: Pin<Box<Sleep>>,
}

impl<T> Idle<T> {
    pub(crate) fn new(connection: T, a_while: Duration) -> Self {
        Self { connection, a_while, moved: false, look: Box::pin(sleep(a_while)) }
    }

    /// Ready once it has been idle for too long. Until then somebody is woken to look again.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.look.as_mut().poll(context).is_ready() {
            if !std::mem::take(&mut self.moved) {
                return Poll::Ready(());
            }
            self.look.as_mut().reset(Instant::now() + self.a_while);
        }
        Poll::Pending
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Idle<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.connection).poll_read(context, buffer);
        match read {
            Poll::Ready(_) => {
                self.moved = true;
                read
            }
            // A server always reads, if only to hear that the client is gone.
            Poll::Pending => self.poll_idle(context).map(|()| Err(io::ErrorKind::TimedOut.into())),
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Idle<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.connection).poll_write(context, bytes);
        self.moved |= written.is_ready();
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.connection).poll_write_vectored(context, slices);
        self.moved |= written.is_ready();
        written
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
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::advance,
    };

    use super::*;

    const A_WHILE: Duration = Duration::from_secs(75);

    #[tokio::test(start_paused = true)]
    async fn a_connection_ends_when_nothing_comes_or_goes() {
        let (mut client, server) = duplex(16);
        let mut server = Idle::new(server, A_WHILE);
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
