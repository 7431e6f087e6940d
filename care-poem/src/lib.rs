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
//! Below a [`nest`](Route::nest) it answers with the same paths: the API's base path is the whole one, with what the nest
//! cuts off. A nest itself answers 400 to a path that is not UTF-8, so [`CareEndpoint::mount`] is better.
//!
//! With [`Api::with_host_principals`] a middleware of yours says who asks: it puts a [`Principal`] into the
//! extensions of the request.
//!
//! # For deployers
//!
//! - Poem's own `TcpListener` leaves `TCP_NODELAY` off. Accept connections through a listener that
//!   sets it.
//! - Poem goes on with a request whose client has left: a long poll keeps its place among polls until its wait is over, 30
//!   seconds at most, unless the listener tells of it as that of `poem-server` does.
//! - Poem puts no limit on how long a head may take or a shutdown may last. Set
//!   `Server::idle_timeout`, give `Server::run_with_graceful_shutdown` a timeout, and let
//!   [`CareEndpoint::give_up_after`] answer the clients that are still sending by then.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use care_core::{
    keys::Principal,
    rest::{Api, Begun, Peer, Received},
};
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, pending},
};
use poem::{Body, Endpoint, Request, Response, Route, error::ReadBodyError};
use tokio::{runtime::Handle, time::sleep};

/// The service as an endpoint. It belongs at [`Api::base_path`], where [`CareEndpoint::mount`]
/// puts it.
pub fn endpoint(api: Api) -> CareEndpoint {
    CareEndpoint { api, body_timeout: Duration::from_secs(30), give_up: pending().boxed().shared() }
}

/// An endpoint that answers for the service; made by [`endpoint`].
#[derive(Debug, Clone)]
pub struct CareEndpoint {
    api: Api,
    body_timeout: Duration,
    give_up: Shared<BoxFuture<'static, ()>>,
}

impl CareEndpoint {
    /// How long a client may take to send a body, 30 seconds unless given. Then the answer is 408.
    #[must_use]
    pub fn body_timeout(self, body_timeout: Duration) -> Self {
        Self { body_timeout, ..self }
    }

    /// When this is over, bodies that are still on their way are not waited for: the answer is 408.
    ///
    /// For a shutdown: end it some time after the server was asked to stop, and before it cuts the
    /// connections.
    #[must_use]
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

    async fn receive(&self, body: Body, limit: usize) -> Received {
        tokio::select! {
            biased;
            read = body.into_bytes_limit(limit) => match read {
                Ok(bytes) => Received::Whole(bytes),
                Err(ReadBodyError::PayloadTooLarge) => Received::TooLarge,
                Err(_) => Received::Broken,
            },
            () = sleep(self.body_timeout) => Received::TimedOut,
            () = self.give_up.clone() => Received::TimedOut,
        }
    }
}

impl Endpoint for CareEndpoint {
    type Output = Response;

    // The head is looked at before there is a future: what a request is made of is not carried along in it.
    fn call(&self, request: Request) -> impl Future<Output = poem::Result<Response>> + Send {
        let (mut head, ()) = http::Request::new(()).into_parts();
        if self.api.wants_peer()
            && let Some(address) = request.remote_addr().as_socket_addr()
        {
            // The end of the connection: what headers say of it is for core to judge.
            head.extensions.insert(Peer(address.ip()));
        }
        // Shorter than what the client sent below a nest only.
        let original = request.original_uri();
        let is_cut = original.path().len() > request.uri().path().len();
        let original = (is_cut && original.path().starts_with(self.api.base_path())).then(|| original.clone());
        let (sent, body) = request.into_parts();
        head.version = sent.version;
        head.method = sent.method;
        head.uri = original.unwrap_or(sent.uri);
        head.headers = sent.headers;
        let is_safe = head.method.is_safe();
        if self.api.wants_principal()
            && let Some(principal) = sent.extensions.get::<Principal>()
        {
            head.extensions.insert(principal.clone());
        }
        let begun = self.api.begin(head);
        async move {
            Ok(response(match begun.await {
                Begun::Answer(answer) => answer,
                Begun::Body(pending) => {
                    // Most requests are reads and have no body: they carry neither a buffer nor a timer for one.
                    let received = match body.is_empty() {
                        true => Received::Whole(Bytes::new()),
                        false => Box::pin(self.receive(body, pending.body_limit())).await,
                    };
                    // A client that goes away takes this future with it. That cuts nothing in two, but a write that
                    // was not begun would not happen: here it does, as in every frontend that can tell.
                    match is_safe {
                        true => pending.finish(received).await,
                        false => Unstoppable(Some(pending.finish(received).boxed())).await,
                    }
                }
            }))
        }
    }
}

fn response(answer: http::Response<Bytes>) -> Response {
    let (head, body) = answer.into_parts();
    let mut response = Response::from(body);
    response.set_status(head.status);
    *response.headers_mut() = head.headers;
    response
}

/// A write. Dropped before it is over, it goes on in a task of its own; a task for each would cost
/// more than the few that are dropped.
struct Unstoppable(Option<BoxFuture<'static, http::Response<Bytes>>>);

impl Future for Unstoppable {
    type Output = http::Response<Bytes>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.0 {
            Some(write) => ready!(write.as_mut().poll(context)),
            None => return Poll::Pending,
        };
        self.0 = None;
        Poll::Ready(answer)
    }
}

impl Drop for Unstoppable {
    fn drop(&mut self) {
        if let (Some(write), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(write);
        }
    }
}
