//! The Patient Care Service mounted in [Poem](poem).
//!
//! This crate moves bytes between Poem and [`care_core::rest::Api`] and decides nothing: routing
//! below the base path, keys, media types, status codes and limits are the same here as in every
//! other frontend.
//!
//! # Beside your own routes
//!
//! Mount the service on the [`Route`] you have. It takes everything below the API's base path, and
//! nothing else.
//!
//! ```no_run
//! use care_core::rest::Api;
//! use poem::{Route, handler};
//!
//! #[handler]
//! fn health() -> &'static str {
//!     "fine"
//! }
//!
//! fn app(api: Api) -> Route {
//!     care_poem::endpoint(api).mount(Route::new().at("/health", health))
//! }
//! # let _ = app;
//! ```
//!
//! Do not `nest` it: that cuts the base path off, and answers some paths itself.
//!
//! # For deployers
//!
//! - Poem's own `TcpListener` leaves `TCP_NODELAY` off. Accept connections through a listener that
//!   sets it.
//! - Poem puts no limit on how long a head may take or a shutdown may last. Set
//!   `Server::idle_timeout`, and give `Server::run_with_graceful_shutdown` a timeout.

use std::time::Duration;

use bytes::Bytes;
use care_core::rest::{Api, Begun, Received};
use poem::error::ReadBodyError;
use poem::http::{HeaderMap, StatusCode};
use poem::{Body, Endpoint, Request, Response, Route};
use tokio::time::timeout;

/// The service as an endpoint. It belongs at [`Api::base_path`], where [`CareEndpoint::mount`]
/// puts it.
pub fn endpoint(api: Api) -> CareEndpoint {
    CareEndpoint {
        api,
        body_timeout: Duration::from_secs(30),
    }
}

/// An endpoint that answers for the service; made by [`endpoint`].
#[derive(Debug, Clone)]
pub struct CareEndpoint {
    api: Api,
    body_timeout: Duration,
}

impl CareEndpoint {
    /// How long a client may take to send a body, 30 seconds unless given. Then the answer is 408.
    #[must_use]
    pub fn body_timeout(self, body_timeout: Duration) -> Self {
        Self {
            body_timeout,
            ..self
        }
    }

    /// Adds the service to `route`, at its base path and everything below.
    ///
    /// # Panics
    ///
    /// Like [`Route::at`], when `route` has an endpoint at the base path already.
    #[must_use]
    pub fn mount(self, route: Route) -> Route {
        let base = self.api.base_path().to_owned();
        route.at(&base, self.clone()).at(format!("{base}/*"), self)
    }

    async fn receive(&self, body: Body, limit: usize) -> Received {
        match timeout(self.body_timeout, body.into_bytes_limit(limit)).await {
            Ok(Ok(bytes)) => Received::Whole(bytes),
            Ok(Err(ReadBodyError::PayloadTooLarge)) => Received::TooLarge,
            Ok(Err(_)) => Received::Broken,
            Err(_) => Received::TimedOut,
        }
    }
}

impl Endpoint for CareEndpoint {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let (sent, body) = request.into_parts();
        let (mut head, ()) = http::Request::new(()).into_parts();
        head.method = sent.method;
        head.uri = sent.uri;
        head.headers = utf8(sent.headers);
        let answer = match self.api.begin(head) {
            Begun::Answer(answer) => answer,
            Begun::Body(pending) => {
                let received = self.receive(body, pending.body_limit()).await;
                // A client that goes away takes this future with it, but must not stop a write
                // half-way: its own task runs to the end.
                let work = tokio::spawn(pending.finish(received));
                work.await.unwrap_or_else(|_| {
                    let mut lost = http::Response::new(Bytes::new());
                    *lost.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                    lost
                })
            }
        };
        let (head, body) = answer.into_parts();
        let mut response = Response::from(body);
        response.set_status(head.status);
        *response.headers_mut() = head.headers;
        Ok(response)
    }
}

/// Without the lines whose value is not UTF-8: not every framework hands them on, and a request
/// must mean the same in all of them.
fn utf8(mut headers: HeaderMap) -> HeaderMap {
    let whole = headers
        .values()
        .all(|value| std::str::from_utf8(value.as_bytes()).is_ok());
    if !whole {
        headers = headers
            .iter()
            .filter(|(_, value)| std::str::from_utf8(value.as_bytes()).is_ok())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
    }
    headers
}
