//! Metrics and probes, served over HTTP on an address of their own.

use std::{collections::VecDeque, convert::Infallible, fmt::Display, net::SocketAddr, sync::Arc, time::Duration};

use care_core::{
    error::{StoreError, StoreErrorKind},
    rest::Api,
    service::CareService,
    store::Head,
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
    sync::Mutex,
    task::{AbortHandle, yield_now},
    time::{Instant, sleep, timeout},
};

use super::socket;
use crate::{StartError, Stop, database::ServedStore};

/// Upper bounds of the time buckets, in seconds: reads take microseconds, and writes wait for the disk.
const TIMES: [f64; 14] =
    [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5, 10.0];
/// Upper bounds of the batch buckets, in decisions.
const BATCHES: [f64; 11] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];
/// Interval at which samples are drained into their buckets, so that they do not pile up in memory.
const TIDY: Duration = Duration::from_secs(5);
/// Pause before accepting again when the system refuses a connection.
const PAUSE: Duration = Duration::from_millis(100);
/// Most simultaneous connections. A further one closes the oldest.
const CONNECTIONS: usize = 256;
/// Longest time that a client may take to send a head, and that the store may take to answer a probe.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest life of a connection: a client that does not read its answer is cut off.
const LIFETIME: Duration = Duration::from_secs(10);

/// The message for a store that does not answer in time.
const SILENT: &str = "the store does not answer";

/// The recorder of the process, and the socket on which its metrics are served.
#[derive(Debug)]
pub(crate) struct Metrics {
    listener: TcpListener,
    figures: PrometheusHandle,
}

/// The handler of requests to that socket.
struct Desk {
    figures: PrometheusHandle,
    api: Api,
    care: CareService,
    store: Arc<dyn ServedStore>,
    stop: Stop,
    rendered: Shared<Bytes>,
    head: Shared<Result<Head, &'static str>>,
    readiness: Shared<Result<(), &'static str>>,
    writer: Shared<Result<(), &'static str>>,
}

/// A question that any client may ask, with the same answer for all. It is put once at a time, however many ask: every
/// client that comes before it is put gets its answer.
struct Shared<T>(Mutex<Option<(Instant, T)>>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Shared<T> {
    async fn ask(&self, question: impl Future<Output = T>) -> T {
        let came = Instant::now();
        let mut last = self.0.lock().await;
        if let Some((put, answer)) = &*last
            && *put >= came
        {
            return answer.clone();
        }
        let put = Instant::now();
        let answer = question.await;
        *last = Some((put, answer.clone()));
        answer
    }
}

impl Metrics {
    /// Starts recording, and listens at this address. Call it in a runtime, before the store is opened.
    pub(crate) fn listen(address: SocketAddr) -> Result<Self, StartError> {
        let refused = |source| StartError::Listen { address, source };
        let listener = socket::listen(address).map_err(refused)?;
        let buckets = |builder: PrometheusBuilder, matcher, buckets: &[f64]| {
            // This fails only for an empty list of buckets.
            builder.set_buckets_for_metric(matcher, buckets).map_err(|_| StartError::Recorder)
        };
        let builder = buckets(PrometheusBuilder::new(), Matcher::Suffix("_seconds".to_owned()), &TIMES)?;
        let builder = buckets(builder, Matcher::Suffix("_decisions".to_owned()), &BATCHES)?;
        let recorder = builder.build_recorder();
        let figures = recorder.handle();
        metrics::set_global_recorder(recorder).map_err(|_| StartError::Recorder)?;
        Ok(Self { listener, figures })
    }

    /// Serves the metrics on tasks of their own until the runtime ends, and prints their address.
    pub(crate) fn serve(self, api: Api, care: CareService, store: Arc<dyn ServedStore>, stop: Stop) {
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
        let desk = Desk {
            figures,
            api,
            care,
            store,
            stop,
            rendered: Shared::default(),
            head: Shared::default(),
            readiness: Shared::default(),
            writer: Shared::default(),
        };
        tokio::spawn(accept(listener, Arc::new(desk)));
    }
}

/// The open connections, oldest first.
#[derive(Default)]
struct Visits(VecDeque<AbortHandle>);

impl Visits {
    /// Starts a connection's task, and ends the oldest if there would be too many.
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

/// Accepts connections forever. None waits for another's client, so probes are answered whatever other clients do.
async fn accept(listener: TcpListener, desk: Arc<Desk>) {
    let mut visits = Visits::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => visits.begin(visit(stream, Arc::clone(&desk))),
            // The process is out of file descriptors, or the client has disconnected.
            Err(_) => sleep(PAUSE).await,
        }
        // In a flood of connections, this lets those that are already open go first.
        yield_now().await;
    }
}

/// Answers the single request of a connection.
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
            "/head" => self.head().await,
            _ => text(StatusCode::NOT_FOUND, "this address serves /metrics, /alive, /ready, /writer and /head"),
        }
    }

    async fn figures(&self) -> Response<Full<Bytes>> {
        let figures = self.rendered.ask(async {
            // This read updates the metric of the last entry, which another process may have written.
            if let Ok(Err(error)) = timeout(PATIENCE, self.care.last()).await {
                tracing::debug!(%error, "the journal could not be read");
            }
            Bytes::from(self.figures.render())
        });
        let mut answer = Response::new(Full::from(figures.await));
        let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        answer.headers_mut().insert(header::CONTENT_TYPE, kind);
        answer
    }

    /// Answers the head of the journal, to be kept elsewhere.
    async fn head(&self) -> Response<Full<Bytes>> {
        match self.head.ask(in_time(self.care.store().head())).await {
            Ok(head) => text(StatusCode::OK, head),
            Err(hindrance) => text(StatusCode::SERVICE_UNAVAILABLE, hindrance),
        }
    }

    /// Returns why requests should go to another server for now, if they should.
    async fn hindrance(&self) -> Option<&'static str> {
        if self.stop.is_requested() {
            return Some("the server was told to stop");
        }
        if !self.api.has_capacity() {
            return Some("as many requests are under way as the server takes");
        }
        self.readiness.ask(in_time(self.care.ready())).await.err()
    }

    /// Returns why writes had better go to another server, if they had.
    async fn challenge(&self) -> Option<&'static str> {
        if let Some(hindrance) = self.hindrance().await {
            return Some(hindrance);
        }
        let writer = self.writer.ask(async {
            match in_time(self.store.is_writer()).await? {
                true => Ok(()),
                false => Err("another server wrote last, or none has written yet"),
            }
        });
        writer.await.err()
    }
}

/// Waits for the store as long as a probe does, and says why it has no answer.
async fn in_time<T>(asked: impl Future<Output = Result<T, StoreError>>) -> Result<T, &'static str> {
    timeout(PATIENCE, asked).await.map_err(|_| SILENT)?.map_err(|error| sentence(&error))
}

/// Describes why a store does not write.
pub(crate) fn sentence(error: &StoreError) -> &'static str {
    match error.kind() {
        StoreErrorKind::Busy => "the store is busy, or locked by another process",
        StoreErrorKind::Full => "the disk is full, or nearly",
        StoreErrorKind::Stopped => "the store has stopped writing until a restart; the log says why",
        _ => "the store is failing; the log says why",
    }
}

fn text(status: StatusCode, said: impl Display) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::from(format!("{said}\n")));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}
