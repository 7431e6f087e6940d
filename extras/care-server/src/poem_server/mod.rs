//! The Patient Care Service in Poem.

mod connection;
mod crowd;
mod http1;
mod idle;
mod tcp;

use std::{convert::Infallible, io, pin::pin, sync::Arc, time::Duration};

use care_poem::CareEndpoint;
use http_body_util::{BodyExt as _, combinators::BoxBody};
use hyper::{body::Bytes, server::conn::http1::Builder, service::service_fn};
use hyper_util::{rt::TokioIo, server::graceful::GracefulShutdown};
use poem::{
    Body, Endpoint, Request, Response,
    http::{HeaderValue, StatusCode, header::CONNECTION, uri::Scheme},
    web::{LocalAddr, RemoteAddr},
};
use tokio::time::{sleep, timeout};

use crate::{Host, StartError, Stop, serve::socket};
use crowd::Crowd;
use tcp::Tcp;

/// Serves requests until the server is told to stop.
///
/// # Errors
/// When the server cannot listen.
pub async fn serve(mut host: Host) -> Result<(), StartError> {
    let bind = host.bind;
    let refused = |source| StartError::Listen { address: bind, source };
    let listener = match host.listener.take() {
        Some(listener) => tcp::take_over(listener).map_err(StartError::Socket)?,
        None => socket::listen(host.bind).map_err(refused)?,
    };
    let address = listener.local_addr().map_err(refused)?;
    host.listening(address);

    let Host { api, body_timeout, connections, stop, .. } = host;
    // The service is not one of Poem's routes, because it answers 404 outside its base path too.
    let service = care_poem::endpoint(api).body_timeout(body_timeout).give_up_after(stop.clone().after(Stop::PATIENCE));
    let crowd = Arc::new(Crowd::new(connections));
    let endpoint = Arc::new(Closing { service, crowd: Arc::clone(&crowd), stop: stop.clone() });
    let mut tcp = Tcp::new(listener, crowd, stop.clone());
    let mut over = pin!(stop.after(Stop::LINGER));
    let connections = GracefulShutdown::new();
    // Poem's own server would read the first bytes apart, in case of HTTP/2. Hyper then copies up to 400 KiB of an
    // answer that its client does not read, and nothing counts those.
    loop {
        let (connection, peer) = tokio::select! {
            accepted = tcp.accept() => accepted,
            () = &mut over => break,
        };
        let endpoint = Arc::clone(&endpoint);
        let service = service_fn(move |request| {
            let (endpoint, local) = (Arc::clone(&endpoint), LocalAddr(address.into()));
            async move {
                let request = (request, local, RemoteAddr(peer.into()), Scheme::HTTP).into();
                Ok::<hyper::Response<_>, Infallible>(endpoint.get_response(request).await.into())
            }
        });
        let connection = Builder::new().serve_connection(TokioIo::new(connection), service);
        tokio::spawn(connections.watch(connection));
    }
    // The end of the runtime cuts off the requests that are under way then.
    let _ = timeout(Stop::END - Stop::LINGER, connections.shutdown()).await;
    Ok(())
}

/// The service, which makes each answer close its connection once the server is shutting down.
struct Closing {
    service: CareEndpoint,
    crowd: Arc<Crowd>,
    stop: Stop,
}

/// The time for which a read continues after its client has disconnected: a client may close its side right after the
/// request.
const PATIENCE: Duration = Duration::from_secs(1);

impl Endpoint for Closing {
    type Output = Response;

    fn call(&self, mut request: Request) -> impl Future<Output = poem::Result<Response>> + Send {
        // Otherwise Poem would copy the whole future several times.
        let peer = request.remote_addr().as_socket_addr().copied();
        let is_read = request.method().is_safe();
        let body = request.take_body();
        let receiving = peer.filter(|_| !body.is_empty()).and_then(|peer| self.crowd.receiving(peer));
        request.set_body(match receiving {
            // The body keeps it until it was read or is dropped.
            Some(receiving) => {
                let body = BoxBody::<Bytes, io::Error>::from(body).map_frame(move |frame| {
                    let _ = &receiving;
                    frame
                });
                Body::from(body.boxed())
            }
            None => body,
        });
        let mut answer = Box::pin(self.service.call(request));
        async move {
            let mut answer = match peer {
                Some(peer) if is_read => tokio::select! {
                    biased;
                    answer = &mut answer => answer?,
                    // Poem continues requests whose client has disconnected, so a long poll would keep its place.
                    () = self.crowd.left(peer) => match timeout(PATIENCE, answer).await {
                        Ok(answer) => answer?,
                        // One that closed only its side may still read this, and must not take it for the answer.
                        Err(_) => Response::builder().status(StatusCode::SERVICE_UNAVAILABLE).finish(),
                    },
                },
                _ => answer.await?,
            };
            if self.stop.is_requested() {
                sleep(Stop::HOLD).await;
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok(answer)
        }
    }
}
