//! A proxy that loses answers.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpStream},
};

/// A proxy that forwards every request, and closes the connection instead of delivering every n-th answer.
pub(crate) struct Cutter {
    pub(crate) address: SocketAddr,
    answers: Arc<AtomicU64>,
    every: u64,
}

impl Cutter {
    /// Listens in front of a server, and loses every answer whose number is a multiple of `every`.
    pub(crate) async fn before(server: SocketAddr, every: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let cutter = Self { address: listener.local_addr().unwrap(), answers: Arc::default(), every };
        let answers = Arc::clone(&cutter.answers);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(between(client, server, Arc::clone(&answers), every));
            }
        });
        cutter
    }

    /// Returns how many answers were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.answers.load(Ordering::SeqCst) / self.every
    }
}

async fn between(client: TcpStream, server: SocketAddr, answers: Arc<AtomicU64>, every: u64) {
    let server = TcpStream::connect(server).await.unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let asking = tokio::spawn(async move { copy(&mut from_client, &mut to_server).await });
    let mut answer = vec![0; 1 << 20];
    // The tests' answers are short and arrive in one read.
    while let Ok(length @ 1..) = from_server.read(&mut answer).await {
        if (answers.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(every)
            || to_client.write_all(&answer[..length]).await.is_err()
        {
            break;
        }
    }
    asking.abort();
}
