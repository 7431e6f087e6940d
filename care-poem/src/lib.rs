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
//! use care_poem::care_core::rest::Api;
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
//! Below a [`nest`](Route::nest) the service answers with the same paths: the API's base path is then the whole path,
//! including the part that the nest removes. A nest answers 400 itself to a path that is not UTF-8, so prefer
//! [`CareEndpoint::mount`].
//!
//! With [`Api::with_host_principals`] a middleware of the host authenticates requests: it puts a [`Principal`] into the
//! extensions of the request. Browsers send a cookie with what other sites make them request, so a change that a page
//! asks
//! for is then refused with 403, unless the page is of the service's own origin, or of
//! [one that is trusted](Api::with_trusted_origins).
//!
//! # For deployers
//!
//! - Poem's own `TcpListener` leaves `TCP_NODELAY` off. Accept connections through a listener that
//!   sets it.
//! - Poem continues a request whose client has disconnected: a long poll keeps its place among polls until its wait is
//!   over, 30 seconds at most, unless the listener reports the disconnection, as that of `care-server` does.
//! - Poem puts no limit on how long a head may take or a shutdown may last. Set
//!   `Server::idle_timeout`, give `Server::run_with_graceful_shutdown` a timeout, and let
//!   [`CareEndpoint::give_up_after`] answer the clients that are still sending by then.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// The service itself: an application that mounts it needs no dependency on `care-core`.
pub use care_core;

use std::{io, iter, time::Duration};

use bytes::Bytes;
use care_core::{
    Error,
    keys::Principal,
    rest::{Api, BodyOutcome, BodyPermit, Peer},
};
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, pending},
    stream,
};
use http::{HeaderValue, header};
use http_body_util::combinators::BoxBody;
use poem::{Body, Endpoint, Request, Response, Route};
use tokio::time::sleep;

/// Returns the service as an endpoint. It belongs at [`Api::base_path`], where [`CareEndpoint::mount`]
/// puts it.
pub fn endpoint(api: Api) -> CareEndpoint {
    CareEndpoint { api, body_timeout: Duration::from_secs(30), give_up: pending().boxed().shared() }
}

/// Returns what the service itself would answer to `request` when a use case is refused: for handlers of the host that
/// call the service as a library.
///
/// ```
/// use care_poem::care_core::{CareService, model::PatientId, rest::Api};
/// use poem::{Request, Response, handler, web::Data};
///
/// #[handler]
/// async fn name(request: &Request, Data(api): Data<&Api>, Data(care): Data<&CareService>) -> Response {
///     match care.patient(PatientId::FIRST).await {
///         Ok(patient) => format!("{:?}", patient.name).into(),
///         Err(error) => care_poem::problem(api, request, error),
///     }
/// }
/// ```
pub fn problem(api: &Api, request: &Request, error: Error) -> Response {
    let (mut head, ()) = http::Request::new(()).into_parts();
    head.version = request.version();
    head.method = request.method().clone();
    head.uri = request.original_uri().clone();
    head.headers = request.headers().clone();
    response(api.problem(head, error))
}

/// An endpoint that answers for the service; made by [`endpoint`].
#[derive(Debug, Clone)]
#[must_use = "nothing is served until it is mounted"]
pub struct CareEndpoint {
    api: Api,
    body_timeout: Duration,
    give_up: Shared<BoxFuture<'static, ()>>,
}

impl CareEndpoint {
    /// Sets how long a client may take to send a body, 30 seconds unless given. Then the answer is 408.
    pub fn body_timeout(self, body_timeout: Duration) -> Self {
        Self { body_timeout, ..self }
    }

    /// Answers 408 to requests whose bodies are still incomplete when `over` completes.
    ///
    /// This is meant for shutdowns: let `over` complete some time after the server was asked to stop, and before it
    /// cuts the connections.
    pub fn give_up_after(self, over: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { give_up: over.boxed().shared(), ..self }
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

    async fn receive(&self, body: Body, permit: BodyPermit) -> BodyOutcome {
        tokio::select! {
            biased;
            // Poem's own `into_bytes_limit` reads through a buffer of 4 KiB that lies in its future.
            read = permit.read(BoxBody::<Bytes, io::Error>::from(body)) => read,
            () = sleep(self.body_timeout) => BodyOutcome::TimedOut,
            () = self.give_up.clone() => BodyOutcome::TimedOut,
        }
    }
}

impl Endpoint for CareEndpoint {
    type Output = Response;

    // The head is read before the future is made, so that the future does not carry the whole request.
    fn call(&self, request: Request) -> impl Future<Output = poem::Result<Response>> + Send {
        let (mut head, ()) = http::Request::new(()).into_parts();
        if let Some(address) = request.remote_addr().as_socket_addr() {
            // The peer of the connection. Whether a header may replace it is decided in care-core.
            head.extensions.insert(Peer(address.ip()));
        }
        // The URI of the request is shorter than what the client sent only below a nest.
        let original = request.original_uri();
        let is_cut = original.path().len() > request.uri().path().len();
        let original = (is_cut && original.path().starts_with(self.api.base_path())).then(|| original.clone());
        let (sent, body) = request.into_parts();
        head.version = sent.version;
        head.method = sent.method;
        head.uri = original.unwrap_or(sent.uri);
        head.headers = sent.headers;
        if self.api.wants_principal()
            && let Some(principal) = sent.extensions.get::<Principal>()
        {
            head.extensions.insert(principal.clone());
        }
        let answer = self.api.answer(head, async move |permit| match body.is_empty() {
            true => BodyOutcome::Whole(Bytes::new()),
            // A future without a body carries neither a buffer nor a timer for one.
            false => Box::pin(self.receive(body, permit)).await,
        });
        // An `async` block would contain the future twice, and move it.
        answer.map(|answer| Ok(response(answer)))
    }
}

/// The longest body in bytes that is handed to Poem as one.
const IN_ONE_PIECE: usize = 64 * 1024;

fn response(answer: http::Response<Bytes>) -> Response {
    let (mut head, mut body) = answer.into_parts();
    let body = match body.len() {
        ..=IN_ONE_PIECE => Body::from(body),
        length => {
            // Below Poem, hyper copies a body as soon as it gets it. Of a long one it gets pieces, as the client reads
            // them, so what the client leaves unread counts as such.
            head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            let piece =
                move || (!body.is_empty()).then(|| Ok::<_, io::Error>(body.split_to(body.len().min(IN_ONE_PIECE))));
            Body::from_bytes_stream(stream::iter(iter::from_fn(piece)))
        }
    };
    let mut response = Response::from(body);
    response.set_status(head.status);
    *response.headers_mut() = head.headers;
    response
}

// The code in the README is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
