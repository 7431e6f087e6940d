//! Receivers, well and ill.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::TcpListener,
    time::sleep,
};

/// The reaction of a receiver to a message.
#[derive(Debug, Clone)]
pub(crate) enum Reaction {
    /// Answers with this status.
    Status(u16),
    /// Answers with these bytes, and keeps the connection open.
    Raw(String),
    /// Sends this, and then nothing more.
    Hang(&'static str),
    /// Sends this, and then one of these pieces after the other for ever, with this pause.
    Drip(&'static str, usize, Duration),
    /// Sends this again and again, as fast as the relay reads it.
    Flood(&'static str),
    /// Closes the connection without an answer.
    Reset,
}

/// A message as a receiver got it.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) head: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    pub(crate) at: SystemTime,
}

/// A receiver on a port of its own. It runs as long as the test's runtime.
#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    got: Arc<Mutex<Vec<Received>>>,
    connections: Arc<Mutex<usize>>,
}

impl Received {
    pub(crate) fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    /// Returns the number of the entry.
    pub(crate) fn seq(&self) -> u64 {
        self.id().rsplit_once('-').unwrap().1.parse().unwrap()
    }
}

impl Receiver {
    /// Starts a receiver that takes everything.
    pub(crate) async fn well() -> Self {
        Self::start(|_| Reaction::Status(204)).await
    }

    /// Starts a receiver that reacts to the message with this number, which counts from 0.
    pub(crate) async fn start(react: impl Fn(usize) -> Reaction + Send + Sync + 'static) -> Self {
        Self::run(react, None).await
    }

    /// Starts a receiver with this certificate, which takes everything.
    pub(crate) async fn encrypted(certificate: &str, key: &str) -> Self {
        use tokio_rustls::rustls::{
            ServerConfig,
            crypto::ring,
            pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
        };
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config.with_single_cert(chain, key).unwrap()));
        Self::run(|_| Reaction::Status(204), Some(acceptor)).await
    }

    async fn run(
        react: impl Fn(usize) -> Reaction + Send + Sync + 'static,
        tls: Option<tokio_rustls::TlsAcceptor>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let receiver = Self { address, got: Arc::default(), connections: Arc::default() };
        let (own, react) = (receiver.clone(), Arc::new(react));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *own.connections.lock().unwrap() += 1;
                stream.set_nodelay(true).unwrap();
                let (own, react, tls) = (own.clone(), Arc::clone(&react), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => own.serve(stream, &*react).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                own.serve(stream, &*react).await;
                            }
                        }
                    }
                });
            }
        });
        receiver
    }

    pub(crate) fn got(&self) -> Vec<Received> {
        self.got.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.got.lock().unwrap().len()
    }

    /// Returns the number of connections that were made.
    pub(crate) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }

    /// Returns the numbers of the entries, as they came.
    pub(crate) fn seqs(&self) -> Vec<u64> {
        self.got().iter().map(Received::seq).collect()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?token=canary-of-a-token", self.address)
    }

    async fn serve(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        react: &(impl Fn(usize) -> Reaction + Send + Sync),
    ) {
        let mut stream = BufReader::new(stream);
        while let Some(received) = read(&mut stream).await {
            let number = {
                let mut got = self.got.lock().unwrap();
                got.push(received);
                got.len() - 1
            };
            // The relay may have gone, or had enough.
            let sent = match react(number) {
                Reaction::Status(status) => {
                    let answer = format!("HTTP/1.1 {status} Status\r\nContent-Length: 0\r\n\r\n");
                    stream.write_all(&answer.into_bytes()).await
                }
                Reaction::Raw(answer) => stream.write_all(&answer.into_bytes()).await,
                Reaction::Hang(part) => {
                    let _ = stream.write_all(part.as_bytes()).await;
                    sleep(Duration::from_secs(300)).await;
                    return;
                }
                Reaction::Drip(part, size, pause) => {
                    let mut sent = stream.write_all(part.as_bytes()).await;
                    while sent.is_ok() {
                        sleep(pause).await;
                        sent = stream.write_all(&vec![b'x'; size]).await;
                    }
                    sent
                }
                Reaction::Flood(part) => {
                    let many = part.repeat(65_536 / part.len());
                    let mut sent = Ok(());
                    while sent.is_ok() {
                        sent = stream.write_all(many.as_bytes()).await;
                    }
                    sent
                }
                Reaction::Reset => return,
            };
            if sent.is_err() {
                return;
            }
        }
    }
}

/// Reads a request; `None` at the end of the connection.
async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Received> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let headers: BTreeMap<_, _> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let mut body = vec![0; headers["content-length"].parse().unwrap()];
    stream.read_exact(&mut body).await.ok()?;
    Some(Received { head, headers, body: String::from_utf8(body).unwrap(), at: SystemTime::now() })
}
