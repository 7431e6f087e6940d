//! Metrics and probes, served over HTTP on an address of their own.

use std::{convert::Infallible, fmt::Display, net::SocketAddr, sync::Arc, time::Duration};

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
    net::TcpListener,
    sync::Semaphore,
    time::{sleep, timeout},
};

use super::failure::Failure;
use crate::Probe;

/// Upper bounds of the time buckets, in seconds.
const TIMES: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 20.0];
/// Interval at which samples are drained into their buckets, so that they do not pile up in memory.
const TIDY: Duration = Duration::from_secs(30);
/// Pause before accepting again when the system refuses a connection.
const PAUSE: Duration = Duration::from_millis(100);
/// Most simultaneous connections; a further one waits.
const CONNECTIONS: usize = 64;
/// Longest life of a connection.
const LIFETIME: Duration = Duration::from_secs(5);

/// The recorder of the process, and the socket on which its metrics are served.
pub(super) struct Desk {
    listener: std::net::TcpListener,
    figures: PrometheusHandle,
}

impl Desk {
    /// Starts recording, and listens at this address.
    pub(super) fn listen(address: SocketAddr) -> Result<Self, Failure> {
        let refused = |error| Failure::Listen(address, error);
        let listener = std::net::TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let buckets = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &TIMES);
        let recorder = buckets.map_err(|_| Failure::Recorder)?.build_recorder();
        let figures = recorder.handle();
        metrics::set_global_recorder(recorder).map_err(|_| Failure::Recorder)?;
        Ok(Self { listener, figures })
    }

    /// Serves the metrics until the runtime ends, and logs their address. Call it in a runtime.
    pub(super) fn serve(self, probe: Probe) {
        let Self { listener, figures } = self;
        let listener = match TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => return tracing::error!(%error, "no metrics can be served"),
        };
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
        tokio::spawn(accept(listener, figures, probe));
    }
}

async fn accept(listener: TcpListener, figures: PrometheusHandle, probe: Probe) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let (figures, probe) = (figures.clone(), probe.clone());
        tokio::spawn(async move {
            let _place = place;
            let answer = service_fn(|request| {
                let answer = answer(&request, &figures, &probe);
                async move { Ok::<_, Infallible>(answer) }
            });
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).keep_alive(false);
            // The client may disconnect at any time, or be cut off.
            let _ = timeout(LIFETIME, connection.serve_connection(TokioIo::new(stream), answer)).await;
        });
    }
}

fn answer(request: &Request<Incoming>, figures: &PrometheusHandle, probe: &Probe) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refusal = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD");
        refusal.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return refusal;
    }
    match request.uri().path() {
        "/metrics" => {
            probe.publish();
            let mut answer = Response::new(Full::from(figures.render()));
            let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            answer.headers_mut().insert(header::CONTENT_TYPE, kind);
            answer
        }
        "/alive" => text(StatusCode::OK, "alive"),
        "/ready" if probe.is_ready() => text(StatusCode::OK, "ready"),
        "/ready" => text(StatusCode::SERVICE_UNAVAILABLE, "the service does not answer"),
        _ => text(StatusCode::NOT_FOUND, "this address serves /metrics, /alive and /ready"),
    }
}

fn text(status: StatusCode, said: impl Display) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::from(format!("{said}\n")));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}
