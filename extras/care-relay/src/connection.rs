//! Connections to receivers. Their reads count what a receiver sends, so that none can keep a thread busy.

use std::{
    error::Error,
    io, iter,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use http::{Request, Response, Uri, header};
use http_body_util::Full;
use hyper::{
    body::{Bytes, Incoming},
    client::conn::http1::{self, SendRequest},
    ext::on_informational,
};
use hyper_util::{client::legacy::connect::HttpConnector, rt::TokioIo};
use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tower_service::Service as _;

use crate::{
    lookup::{AddressRefused, CheckedLookup},
    schedule::Failure,
    target::Address,
};

/// Longest wait for a connection, from the lookup of the name to the end of the handshake.
const CONNECT: Duration = Duration::from_secs(10);
/// Most bytes that are read up to the end of the final head of an answer.
const HEAD_BYTES: usize = 16 * 1024;
/// Most interim answers, such as 103, in front of it.
const INTERIM: usize = 8;
/// Most bytes that are read of an answer's body.
const BODY_BYTES: usize = 16 * 1024;
/// Most bytes that are read for a message below the encryption, which has room for a handshake with a long chain of
/// certificates. It bounds what a receiver can send that never becomes a byte of an answer.
const WIRE_BYTES: usize = 128 * 1024;
/// Time after which an unused connection is not used again: less than the five seconds after which common receivers
/// close it, so that a message does not meet a connection that is just being closed.
const IDLE: Duration = Duration::from_secs(4);

/// The way to make connections to one address.
pub(crate) struct Dialer {
    connector: HttpConnector<CheckedLookup>,
    tls: TlsConnector,
    /// The proxy that makes the connections.
    proxy: Option<Address>,
}

/// A connection to a receiver.
pub(crate) struct Connection {
    requests: SendRequest<Full<Bytes>>,
    answer: Allowance,
    wire: Allowance,
    used: Instant,
}

/// A request that has no answer, and the request itself if nothing of it was sent.
pub(crate) struct Unanswered {
    pub(crate) failure: Failure,
    pub(crate) unsent: Option<Request<Full<Bytes>>>,
}

/// The number of bytes that may still be read from a stream.
#[derive(Clone)]
struct Allowance(Arc<AtomicUsize>);

/// A stream whose reads take from an allowance, and fail once nothing is left of it.
struct Metered<S> {
    stream: S,
    left: Allowance,
}

trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

type Stream = Box<dyn Duplex>;

impl Dialer {
    pub(crate) fn new(lookup: CheckedLookup, tls: ClientConfig, proxy: Option<Address>) -> Self {
        let mut connector = HttpConnector::new_with_resolver(lookup);
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT));
        Self { connector, tls: Arc::new(tls).into(), proxy }
    }

    /// Returns the proxy that makes the connections, if there is one.
    pub(crate) const fn proxy(&self) -> Option<&Address> {
        self.proxy.as_ref()
    }

    /// Makes a connection to this address.
    pub(crate) async fn dial(&self, address: &Address) -> Result<Connection, Failure> {
        timeout(CONNECT, self.connect(address)).await.unwrap_or(Err(Failure::Connection))
    }

    async fn connect(&self, address: &Address) -> Result<Connection, Failure> {
        let (answer, wire) = (Allowance::of(HEAD_BYTES), Allowance::of(WIRE_BYTES));
        let mut stream = self.reach(self.proxy.as_ref().unwrap_or(address), &wire).await?;
        if let Some(proxy) = self.proxy.as_ref().filter(|_| address.is_encrypted()) {
            stream = self.encrypt(tunnel(stream, proxy, &address.uri).await?, &address.uri).await?;
        }
        let metered = Metered { stream, left: answer.clone() };
        let (requests, connection) = http1::handshake(TokioIo::new(metered)).await.map_err(|_| Failure::Broken)?;
        // The requests learn how it ends.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Connection { requests, answer, wire, used: Instant::now() })
    }

    /// Makes a stream to the host of an address itself, encrypted if its scheme says so.
    async fn reach(&self, address: &Address, wire: &Allowance) -> Result<Stream, Failure> {
        let connected = self.connector.clone().call(address.uri.clone()).await;
        let stream = connected.map_err(|error| match is_caused_by::<AddressRefused>(&error) {
            true => Failure::Address,
            false => Failure::Connection,
        })?;
        let stream = Box::new(Metered { stream: stream.into_inner(), left: wire.clone() });
        if address.is_encrypted() { self.encrypt(stream, &address.uri).await } else { Ok(stream) }
    }

    async fn encrypt(&self, stream: Stream, uri: &Uri) -> Result<Stream, Failure> {
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(|_| Failure::Tls)?;
        let encrypted = self.tls.connect(name, stream).await;
        encrypted.map(|stream| Box::new(stream) as Stream).map_err(|error| {
            match is_caused_by::<rustls::Error>(&error) {
                true => Failure::Tls,
                false => Failure::Connection,
            }
        })
    }
}

/// Lets a proxy connect the stream to the host of this URI.
async fn tunnel(stream: Stream, proxy: &Address, uri: &Uri) -> Result<Stream, Failure> {
    let lost = |_| Failure::Connection;
    let (mut requests, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
    tokio::spawn(async move { drop(connection.with_upgrades().await) });
    let authority = format!("{}:{}", uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(443));
    let mut request = Request::connect(&*authority).header(header::HOST, &*authority);
    if let Some(authorization) = &proxy.authorization {
        request = request.header(header::PROXY_AUTHORIZATION, authorization);
    }
    let request = request.body(Full::<Bytes>::default()).map_err(|_| Failure::Connection)?;
    let response = requests.send_request(request).await.map_err(lost)?;
    if !response.status().is_success() {
        return Err(Failure::Connection);
    }
    Ok(Box::new(TokioIo::new(hyper::upgrade::on(response).await.map_err(lost)?)))
}

impl Connection {
    /// Returns whether a further request may be sent.
    pub(crate) fn is_fresh(&self) -> bool {
        self.used.elapsed() < IDLE && !self.requests.is_closed()
    }

    /// Notes that the last answer has been read to its end.
    pub(crate) fn rest(&mut self) {
        self.used = Instant::now();
    }

    /// Sends a request, and returns the final head of its answer. After a failure the connection is of no use.
    pub(crate) async fn ask(&mut self, mut request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Unanswered> {
        self.answer.grant(HEAD_BYTES);
        self.wire.grant(WIRE_BYTES);
        let interim = Arc::new(AtomicUsize::new(0));
        let (counted, answer) = (Arc::clone(&interim), self.answer.clone());
        on_informational(&mut request, move |_| {
            if counted.fetch_add(1, Ordering::Relaxed) >= INTERIM {
                answer.grant(0);
            }
        });
        if self.requests.ready().await.is_err() {
            return Err(Unanswered { failure: Failure::Broken, unsent: Some(request) });
        }
        let answered = self.requests.try_send_request(request).await;
        let has_too_many = interim.load(Ordering::Relaxed) > INTERIM;
        match answered {
            Ok(response) if !has_too_many => {
                self.answer.grant(BODY_BYTES);
                Ok(response)
            }
            Ok(_) => Err(Unanswered { failure: Failure::TooLong, unsent: None }),
            Err(mut error) => {
                let is_too_long = has_too_many || self.answer.is_spent() || self.wire.is_spent();
                let failure = if is_too_long { Failure::TooLong } else { Failure::Broken };
                Err(Unanswered { failure, unsent: error.take_message() })
            }
        }
    }
}

fn is_caused_by<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    iter::successors(Some(error), |&cause| cause.source()).any(|cause| {
        // An error of the system holds others, and names none of them as its source.
        let held = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause.is::<E>() || held.is_some_and(|held| is_caused_by::<E>(held))
    })
}

impl Allowance {
    fn of(bytes: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(bytes)))
    }

    fn grant(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    fn left(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn is_spent(&self) -> bool {
        self.left() == 0
    }

    fn spend(&self, bytes: usize) {
        // Another task may have granted less meanwhile.
        let spent = |left: usize| Some(left.saturating_sub(bytes));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spent);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let Self { stream, left } = self.get_mut();
        if left.is_spent() {
            return Poll::Ready(Err(io::Error::other("the receiver sent too much")));
        }
        let most = buf.remaining().min(left.left());
        let mut part = ReadBuf::new(buf.initialize_unfilled_to(most));
        ready!(Pin::new(stream).poll_read(cx, &mut part))?;
        let read = part.filled().len();
        buf.advance(read);
        left.spend(read);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
