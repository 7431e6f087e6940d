//! Figures and probes, served over HTTP on an address of their own.

use std::{collections::VecDeque, convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use care_core::{
    error::{StoreError, StoreErrorKind},
    service::CareService,
};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{AbortHandle, yield_now},
    time::{sleep, timeout},
};

use super::socket;
use crate::{StartError, Stop, database::ServedStore};

/// The upper ends of the buckets of times, in seconds: reads take some microseconds, and writes wait for the disk.
const TIMES: [f64; 14] =
    [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 10.0];
/// The upper ends of the buckets of batches, in decisions.
const BATCHES: [f64; 11] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];
/// The interval at which samples are put into their buckets, so that they do not take up memory.
const TIDY: Duration = Duration::from_secs(5);
/// The pause in accepting connections when the system refuses one.
const PAUSE: Duration = Duration::from_millis(100);
/// The highest number of simultaneous connections. The oldest ends in favour of a further one.
const CONNECTIONS: usize = 256;
/// The longest time in which a client may send a head, and the store may answer a probe.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest time that a connection may last: a client that does not read its answer is cut off.
const LIFETIME: Duration = Duration::from_secs(10);

/// The sentence about a store that does not answer in time.
const SILENT: &str = "the store does not answer";

/// The recorder of the process, and the socket on which its figures are served.
#[derive(Debug)]
pub(crate) struct Metrics {
    listener: TcpListener,
    figures: PrometheusHandle,
}

/// The side of the service that answers on that socket.
struct Desk {
    figures: PrometheusHandle,
    care: CareService,
    store: Arc<dyn ServedStore>,
    stop: Stop,
}

impl Metrics {
    /// Starts to record, and to listen at this address. Call it in a runtime, before the store is opened.
    pub(crate) fn listen(address: SocketAddr) -> Result<Self, StartError> {
        let refused = |source| StartError::Listen { address, source };
        let listener = socket::listen(address).map_err(refused)?;
        let buckets = |builder: PrometheusBuilder, matcher, buckets: &[f64]| {
            // This fails only without a bucket.
            builder.set_buckets_for_metric(matcher, buckets).map_err(|_| StartError::Recorder)
        };
        let builder = buckets(PrometheusBuilder::new(), Matcher::Suffix("_seconds".to_owned()), &TIMES)?;
        let builder = buckets(builder, Matcher::Suffix("_decisions".to_owned()), &BATCHES)?;
        let recorder = builder.build_recorder();
        let figures = recorder.handle();
        metrics::set_global_recorder(recorder).map_err(|_| StartError::Recorder)?;
        Ok(Self { listener, figures })
    }

    /// Serves the figures until the runtime ends, on tasks of their own, and prints their address.
    pub(crate) fn serve(self, care: CareService, store: Arc<dyn ServedStore>, stop: Stop) {
        let Self { listener, figures } = self;
        if let Ok(address) = listener.local_addr() {
            tracing::info!("metrics at http://{address}/metrics");
        }
        let tidied = figures.clone();
        tokio::spawn(async move {
            loop {
                sleep(TIDY).await;
                tidied.run_upkeep();
            }
        });
        tokio::spawn(accept(listener, Arc::new(Desk { figures, care, store, stop })));
    }
}

/// The open connections, the oldest first.
#[derive(Default)]
struct Visits(VecDeque<AbortHandle>);

impl Visits {
    /// Starts a further one, and ends the oldest when there would be too many.
    fn begin(&mut self, visit: impl Future<Output = ()> + Send + 'static) {
        if self.0.len() == CONNECTIONS {
            self.0.retain(|visit| !visit.is_finished());
        }
        if self.0.len() == CONNECTIONS
            && let Some(oldest) = self.0.pop_front()
        {
            oldest.abort();
        }
        self.0.push_back(tokio::spawn(visit).abort_handle());
    }
}

/// Accepts connections without end. None waits for another one's client, so probes are answered whatever others do.
async fn accept(listener: TcpListener, desk: Arc<Desk>) {
    let mut visits = Visits::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => visits.begin(visit(stream, Arc::clone(&desk))),
            // The process has no free file descriptors, or the client has left.
            Err(_) => sleep(PAUSE).await,
        }
        // In a flood of connections those that are open already come first.
        yield_now().await;
    }
}

/// Answers the one request of a connection.
async fn visit(stream: TcpStream, desk: Arc<Desk>) {
    let answer = service_fn(|request| {
        let desk = Arc::clone(&desk);
        async move { Ok::<_, Infallible>(desk.answer(&request).await) }
    });
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(PATIENCE).keep_alive(false);
    // The client may disconnect at any time, or be cut off.
    let _ = timeout(LIFETIME, connection.serve_connection(TokioIo::new(stream), answer)).await;
}

impl Desk {
    async fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refusal = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD");
            refusal.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refusal;
        }
        match request.uri().path() {
            "/metrics" => self.figures().await,
            "/alive" => text(StatusCode::OK, "alive"),
            "/ready" => match self.hindrance().await {
                None => text(StatusCode::OK, "ready"),
                Some(hindrance) => text(StatusCode::SERVICE_UNAVAILABLE, hindrance),
            },
            "/writer" => match self.challenge().await {
                None => text(StatusCode::OK, "writer"),
                Some(challenge) => text(StatusCode::SERVICE_UNAVAILABLE, challenge),
            },
            _ => text(StatusCode::NOT_FOUND, "there are /metrics, /alive, /ready and /writer"),
        }
    }

    async fn figures(&self) -> Response<Full<Bytes>> {
        // This read updates the figure of the last entry, which another process may have written.
        if let Ok(Err(error)) = timeout(PATIENCE, self.care.last()).await {
            tracing::debug!(%error, "the journal was not looked at");
        }
        let mut answer = Response::new(Full::from(self.figures.render()));
        let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        answer.headers_mut().insert(header::CONTENT_TYPE, kind);
        answer
    }

    /// Returns the reason why requests should go to another server for now.
    async fn hindrance(&self) -> Option<&'static str> {
        if self.stop.is_requested() {
            return Some("the server was told to stop");
        }
        match timeout(PATIENCE, self.care.ready()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(sentence(&error)),
            Err(_) => Some(SILENT),
        }
    }

    /// Returns the reason why writes may as well go to another server.
    async fn challenge(&self) -> Option<&'static str> {
        if let Some(hindrance) = self.hindrance().await {
            return Some(hindrance);
        }
        match timeout(PATIENCE, self.store.is_writer()).await {
            Ok(Ok(true)) => None,
            Ok(Ok(false)) => Some("another server has written last, or none"),
            Ok(Err(error)) => Some(sentence(&error)),
            Err(_) => Some(SILENT),
        }
    }
}

/// Returns the sentence about the reason why a store does not write.
pub(crate) fn sentence(error: &StoreError) -> &'static str {
    match error.kind() {
        StoreErrorKind::Busy => "the store is busy, or locked by another process",
        StoreErrorKind::Full => "the disk is full, or nearly",
        StoreErrorKind::Stopped => "the store has stopped writing until a restart; the log says why",
        _ => "the store fails; the log says why",
    }
}

fn text(status: StatusCode, said: &'static str) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::from(format!("{said}\n")));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}
