//! The connections that the server accepts.

use std::{
    io::{self, ErrorKind, IoSlice},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::OwnedSemaphorePermit,
};

use super::{
    crowd::Place,
    http1::Beginning,
    idle::{Idle, Stall},
};

/// The time after which a connection ends whose client reads nothing of an answer. Others may need the room of the
/// answer.
const STALL: Duration = Duration::from_secs(30);

/// A connection that ends when the client starts to speak HTTP/2, when no byte has moved for a while, when the client
/// does not read an answer, or when there are too many other connections.
#[derive(Debug)]
pub(crate) struct Connection<T> {
    stream: T,
    beginning: Beginning,
    idle: Idle,
    stall: Stall,
    place: Place,
    /// Held until the runtime polls the connection for the first time.
    arrival: Option<OwnedSemaphorePermit>,
}

impl<T> Connection<T> {
    /// Returns a connection that may be idle for at least `a_while`.
    pub(crate) fn new(stream: T, a_while: Duration, place: Place) -> Self {
        Self {
            stream,
            beginning: Beginning::new(),
            idle: Idle::new(a_while),
            stall: Stall::new(STALL),
            place,
            arrival: None,
        }
    }

    /// Keeps this permit until the runtime polls the connection for the first time.
    pub(crate) fn holding(self, arrival: OwnedSemaphorePermit) -> Self {
        Self { arrival: Some(arrival), ..self }
    }
}

impl<T> Connection<T> {
    fn wrote(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.idle.note(&written);
        if self.stall.poll(&written, context).is_ready() {
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        }
        if written.is_ready() {
            self.place.answered();
        }
        written
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Connection<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.arrival = None;
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.idle.note(&read);
        if read.is_pending() {
            // A server always reads, if only to notice that the client has disconnected.
            let is_over = self.place.poll_over(context).is_ready() || self.idle.poll(context).is_ready();
            return if is_over { Poll::Ready(Err(ErrorKind::TimedOut.into())) } else { Poll::Pending };
        }
        let new = buffer.filled().get(before..).unwrap_or_default();
        if new.is_empty() {
            self.place.left();
        } else if !self.place.received(new) {
            return Poll::Ready(Err(ErrorKind::OutOfMemory.into()));
        }
        match self.beginning.is_http2(new) {
            true => Poll::Ready(Err(ErrorKind::Unsupported.into())),
            false => read,
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Connection<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(written, context)
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
    use std::sync::Arc;

    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::{Instant, advance, sleep},
    };

    use super::*;
    use crate::poem_server::crowd::Crowd;

    const A_WHILE: Duration = Duration::from_secs(75);

    #[tokio::test(start_paused = true)]
    async fn a_connection_ends_when_nothing_comes_or_goes() {
        let (mut client, server) = duplex(16);
        let mut server =
            Connection::new(server, A_WHILE, Arc::new(Crowd::new(1)).enter(([192, 0, 2, 1], 1).into()).unwrap());
        let begun = Instant::now();
        // The connection stays open while bytes move in either direction.
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

    #[tokio::test(start_paused = true)]
    async fn a_connection_ends_when_its_client_reads_nothing_of_an_answer() {
        let (mut client, server) = duplex(16);
        let place = Arc::new(Crowd::new(1)).enter(([192, 0, 2, 1], 2).into()).unwrap();
        let mut server = Connection::new(server, A_WHILE, place);
        let begun = Instant::now();
        let answer = tokio::spawn(async move { server.write_all(&[7; 64]).await });
        // It goes on for as long as the client reads something now and then.
        for _ in 0..3 {
            sleep(STALL * 9 / 10).await;
            client.read_u8().await.unwrap();
        }
        let last = Instant::now();
        assert!(last - begun > STALL * 2);
        let ended = answer.await.unwrap().unwrap_err();
        assert_eq!((ended.kind(), last.elapsed()), (io::ErrorKind::TimedOut, STALL));
    }
}
