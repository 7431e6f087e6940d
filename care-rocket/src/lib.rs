//! The Patient Care Service mounted in [Rocket](rocket).
//!
//! This crate moves bytes between Rocket and [`care_core::rest::Api`] and decides nothing: routing below the base path,
//! keys, media types, status codes and limits are the same here as in every other frontend.
//!
//! Attach the service to your Rocket. It takes everything below the API's base path and nothing else, also beside a
//! fallback route of yours:
//!
//! ```no_run
//! use care_rocket::care_core::rest::Api;
//! use rocket::{Build, Rocket, get, routes};
//!
//! #[get("/health")]
//! fn health() -> &'static str {
//!     "fine"
//! }
//!
//! fn app(api: Api) -> Rocket<Build> {
//!     rocket::build().mount("/", routes![health]).attach(care_rocket::mount(api))
//! }
//! # let _ = app;
//! ```
//!
//! A route of yours below the base path wins only if you give the service a higher rank, see [`Mount::rank`]. On its
//! answers the service's own headers replace those that Rocket adds by default: `Server` and the three of `Shield`.
//! Headers from your other fairings stay.
//!
//! With [`Api::with_host_principals`] a fairing of the host authenticates requests and says whose each is with
//! [`set_principal`]. Browsers send a cookie with what other sites make
//! them
//! request, so a change that a page asks for is then refused with 403, unless the page is of the service's own origin,
//! or
//! of [one that is trusted](Api::with_trusted_origins).
//!
//! # For deployers
//!
//! - Put a proxy that buffers requests in front. Rocket has no read timeout of its own, and it waits for the first 14
//!   bytes of a body before it hands a request on: a slow client holds its connection without limit until then, and for
//!   [`Mount::body_timeout`] afterwards.
//! - Incomplete bodies have 64 MiB together, beyond which one is answered 408, but Rocket cannot close a connection
//!   without a request for another.
//! - Rocket accepts connections until the process has no file descriptors left, keeps idle connections, and continues a
//!   request whose client has disconnected: a long poll keeps its place among polls until its wait is over, 30 seconds
//!   at most. Ordinary requests have places of their own. Limit connections and their idle time in the proxy.
//! - When Rocket shuts down, requests whose bodies are still incomplete are answered 408 in the last second of its
//!   grace period. Set a grace period of a few seconds.
//! - At log level `debug` Rocket prints whole requests, API keys included.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// The service itself: an application that mounts it needs no dependency on `care-core`.
pub use care_core;

use std::{borrow::Cow, io::Cursor, time::Duration};

use bytes::Bytes;
use care_core::{
    Error,
    keys::Principal,
    rest::{Api, BodyOutcome, BodyPermit, Peer},
};
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header, request::Parts, uri::PathAndQuery};
use rocket::{
    Build, Catcher, Data, Orbit, Request, Response, Rocket, Route, async_trait, catcher,
    data::ToByteUnit,
    fairing::{self, Fairing, Info, Kind},
    form::Form,
    http::{Header, Method, Status, uri::Origin},
    response::{self, Responder},
    route,
    tokio::{self, io::AsyncReadExt, time::sleep},
};

/// Returns the service as a fairing, to be attached to a Rocket. It mounts itself at [`Api::base_path`].
pub fn mount(api: Api) -> Mount {
    // A host's own routes have -12 to -1, by their shape: a fallback such as `/<path..>` has -1.
    let rank = if api.base_path().is_empty() { BEHIND } else { -BEHIND };
    Mount { api, rank, everywhere: false, body_timeout: Duration::from_secs(30) }
}

/// Says whose request this is, where [the host has principals of its own](Api::with_host_principals). A fairing calls
/// it before the request is routed; the first call counts.
///
/// ```
/// use care_rocket::care_core::{keys::Principal, model::Scopes};
/// use rocket::{Request, fairing::AdHoc};
///
/// fn known(request: &Request<'_>) -> Option<Principal> {
///     request.cookies().get("clerk").and_then(|_| Principal::new("clerk", Scopes::ALL).ok())
/// }
///
/// let fairing = AdHoc::on_request("Clerks", |request, _| {
///     Box::pin(async move {
///         if let Some(principal) = known(request) {
///             care_rocket::set_principal(request, principal);
///         }
///     })
/// });
/// # drop(fairing);
/// ```
pub fn set_principal(request: &Request<'_>, principal: Principal) {
    request.local_cache(|| Some(principal));
}

/// A refused use case, as the service itself would answer it: the error of routes of the host that call the service as
/// a library. Where the service is not mounted, it is answered with its status alone.
///
/// ```
/// use care_rocket::{Problem, care_core::{CareService, model::PatientId}};
/// use rocket::{State, get};
///
/// #[get("/first")]
/// async fn first(care: &State<CareService>) -> Result<String, Problem> {
///     Ok(format!("{:?}", care.patient(PatientId::FIRST).await?.name))
/// }
/// ```
#[derive(Debug)]
pub struct Problem(pub Error);

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl<'r> Responder<'r, 'static> for Problem {
    fn respond_to(self, request: &'r Request<'_>) -> response::Result<'static> {
        let Some(Mounted(api)) = request.rocket().state() else {
            return Err(Status::new(self.0.status().as_u16()));
        };
        let method = http::Method::from_bytes(request.method().as_str().as_bytes());
        let mut answer = api.problem(head(api, request, method.unwrap_or_default()), self.0);
        request.local_cache(|| OwnHeaders::take_out(answer.headers_mut()));
        Ok(response(answer))
    }
}

/// The first mounted service, as the state of a Rocket.
struct Mounted(Api);

/// The rank of the service when its base path is the root: behind every route whose rank the host does not set.
const BEHIND: isize = 100;

/// A fairing that mounts the service; made by [`mount`].
#[derive(Debug, Clone)]
#[must_use = "nothing is served until it is attached"]
pub struct Mount {
    api: Api,
    rank: isize,
    everywhere: bool,
    body_timeout: Duration,
}

impl Mount {
    /// Sets the rank of the service's routes below the base path: -100 unless given, or 100 when the base path is the
    /// root. Of the routes that match a request Rocket takes the one with the lowest rank, and it does not start when
    /// two of one rank could match the same request.
    pub fn rank(self, rank: isize) -> Self {
        Self { rank, ..self }
    }

    /// Takes every request that no other route takes, also outside the base path, where the service answers 404. This
    /// is for a server that serves nothing else.
    pub fn everywhere(self) -> Self {
        Self { everywhere: true, ..self }
    }

    /// Sets how long a client may take to send a body, 30 seconds unless given. Then the answer is 408.
    pub fn body_timeout(self, body_timeout: Duration) -> Self {
        Self { body_timeout, ..self }
    }

    /// Returns the paths at which the service answers, each with its rank.
    fn places(&self) -> Vec<(Origin<'_>, isize)> {
        let base = Origin::parse(self.api.base_path()).unwrap_or(Origin::ROOT);
        let everywhere = (self.everywhere && !self.api.base_path().is_empty()).then_some((Origin::ROOT, BEHIND));
        [(base, self.rank)].into_iter().chain(everywhere).collect()
    }

    /// Returns the shortest of these places.
    fn base(&self) -> Origin<'_> {
        let base = if self.everywhere { "" } else { self.api.base_path() };
        Origin::parse(base).unwrap_or(Origin::ROOT)
    }
}

#[async_trait]
impl Fairing for Mount {
    fn info(&self) -> Info {
        Info { name: "Patient Care Service", kind: Kind::Ignite | Kind::Request | Kind::Response }
    }

    async fn on_ignite(&self, rocket: Rocket<Build>) -> fairing::Result {
        let base = self.base();
        // The catcher that Rocket would choose now for a 400 at our base path.
        let reaches = |other: &&Catcher| other.base.path().segments().prefix_of(base.path().segments());
        let others = rocket.catchers().filter(|other| matches!(other.code, None | Some(400))).filter(reaches);
        let other = others.max_by_key(|other| (other.base.path().segments().len(), other.code));
        let other = other.cloned().unwrap_or_default();
        // Two catchers for one status at one path would keep Rocket from starting; the host's own one stays.
        let ours = (other.code.is_none() || other.base != base).then(|| {
            let api = self.api.clone();
            Catcher::new(400, UnknownMethod { api, other })
        });
        let rocket = self.places().into_iter().fold(rocket, |rocket, (place, rank)| {
            let route = |method| Route::ranked(rank, method, "/<path..>", Service(self.clone()));
            rocket.mount(place, METHODS.map(route).to_vec())
        });
        let rocket =
            if rocket.state::<Mounted>().is_some() { rocket } else { rocket.manage(Mounted(self.api.clone())) };
        Ok(rocket.register(base, Vec::from_iter(ours)))
    }

    /// Restores the method of a POST that Rocket has replaced because a form field in its body says so. The service has
    /// no such field. Rocket would also answer a HEAD made in this way with an empty body.
    async fn on_request(&self, request: &mut Request<'_>, data: &mut Data<'_>) {
        let is_form = || request.content_type().is_some_and(|kind| kind.is_form());
        if !is_empty(data).await
            && is_form()
            && self.base().path().segments().prefix_of(request.uri().path().segments())
        {
            let peeked = str::from_utf8(data.peek(PEEKED).await).unwrap_or_default();
            let field = Form::values(peeked).next().filter(|field| field.name == "_method");
            if field.and_then(|field| field.value.parse().ok()) == Some(request.method()) {
                request.set_method(Method::Post);
            }
        }
    }

    async fn on_response<'r>(&self, request: &'r Request<'_>, response: &mut Response<'r>) {
        request.local_cache(OwnHeaders::default).put_back(response);
    }
}

/// Every method that Rocket can route; core answers 405 to those it does not know.
#[rustfmt::skip]
const METHODS: [Method; 9] = [
    Method::Get, Method::Put, Method::Post, Method::Delete, Method::Options, Method::Head, Method::Trace,
    Method::Connect, Method::Patch,
];

/// The headers that Rocket adds to answers by itself. Its Shield logs a warning for each of them that is there already,
/// so the service's own are held back until Shield is done.
const ROCKETS_OWN: [HeaderName; 4] = [
    header::SERVER,
    header::X_CONTENT_TYPE_OPTIONS,
    header::X_FRAME_OPTIONS,
    HeaderName::from_static("permissions-policy"),
];

/// The headers of a service's answer that Rocket sets too. An answer that is not the service's has none.
#[derive(Default)]
struct OwnHeaders(Vec<Header<'static>>);

impl OwnHeaders {
    /// Takes these headers out of the answer.
    fn take_out(headers: &mut HeaderMap) -> Self {
        let held = |name| rockets(&name, &headers.remove(&name)?);
        Self(ROCKETS_OWN.into_iter().filter_map(held).collect())
    }

    /// Puts the service's headers in the place of Rocket's.
    fn put_back(&self, response: &mut Response<'_>) {
        if self.0.is_empty() {
            return;
        }
        // To remove an absent header costs Rocket a thousand instructions, and without Shield all are absent.
        let is_theirs = |name: &str| ROCKETS_OWN.iter().any(|own| own.as_str().eq_ignore_ascii_case(name));
        if response.headers().iter().any(|header| is_theirs(header.name.as_str())) {
            ROCKETS_OWN.iter().for_each(|name| response.remove_header(name.as_str()));
        }
        self.0.iter().for_each(|header| response.adjoin_header(header.clone()));
    }
}

/// Returns a header as Rocket's type.
fn rockets(name: &HeaderName, value: &HeaderValue) -> Option<Header<'static>> {
    let value = value.to_str().ok()?;
    let Some((_, name, values)) = USUAL.iter().find(|(usual, ..)| usual == name) else {
        return Some(Header::new(name.as_str().to_owned(), value.to_owned()));
    };
    let usual = values.iter().find(|usual| **usual == value);
    Some(Header::new(*name, usual.map_or_else(|| Cow::Owned(value.to_owned()), |usual| Cow::Borrowed(*usual))))
}

/// Headers of most answers, with the values that they often have. Rocket takes these without copies.
static USUAL: [(HeaderName, &str, &[&str]); 6] = [
    (header::CONTENT_TYPE, "content-type", &["application/json", "application/xml"]),
    (header::VARY, "vary", &["Accept"]),
    (header::ETAG, "etag", &[]),
    (HeaderName::from_static("x-request-id"), "x-request-id", &[]),
    (header::CACHE_CONTROL, "cache-control", &["no-store"]),
    (header::X_CONTENT_TYPE_OPTIONS, "x-content-type-options", &["nosniff"]),
];

/// Answers every request below the base path.
#[derive(Clone)]
struct Service(Mount);

#[async_trait]
impl route::Handler for Service {
    async fn handle<'r>(&self, request: &'r Request<'_>, mut data: Data<'r>) -> route::Outcome<'r> {
        let method = http::Method::from_bytes(request.method().as_str().as_bytes());
        let head = head(&self.0.api, request, method.unwrap_or_default());
        let answer = self.0.api.answer(head, async |permit| match is_empty(&mut data).await {
            true => BodyOutcome::Whole(Bytes::new()),
            // A future without a body carries neither a buffer nor a timer for one.
            false => Box::pin(receive(request.rocket(), data, permit, self.0.body_timeout)).await,
        });
        let mut answer = answer.await;
        request.local_cache(|| OwnHeaders::take_out(answer.headers_mut()));
        // Always a success: a catcher must never replace the body.
        route::Outcome::Success(response(answer))
    }
}

/// The catcher of requests with a method that Rocket does not know. Rocket does not route them: it makes such a request
/// a GET and asks the catcher for 400 to answer it, without calling any fairing.
#[derive(Clone)]
struct UnknownMethod {
    api: Api,
    /// The host's own catcher, for its routes below our base path when they fail with 400.
    other: Catcher,
}

#[async_trait]
impl catcher::Handler for UnknownMethod {
    async fn handle<'r>(&self, status: Status, request: &'r Request<'_>) -> catcher::Result<'r> {
        if request.route().is_some() {
            return self.other.handler.handle(status, request).await;
        }
        // TRACE stands for the lost method: the service supports neither of them.
        let head = head(&self.api, request, http::Method::TRACE);
        Ok(response(self.api.answer(head, async |_| BodyOutcome::Whole(Bytes::new())).await))
    }
}

/// The bytes of most bodies, so that a body need not move as it grows.
const USUAL_BODY: usize = 512;

/// The number of bytes of a body that Rocket reads before it routes.
const PEEKED: usize = "_method=delete".len();

/// Returns whether the request has no body.
async fn is_empty(data: &mut Data<'_>) -> bool {
    data.peek_complete() && data.peek(PEEKED).await.is_empty()
}

/// Reads a body under its permit within `timeout`.
async fn receive(rocket: &Rocket<Orbit>, data: Data<'_>, permit: BodyPermit, timeout: Duration) -> BodyOutcome {
    tokio::select! {
        biased;
        received = read(data, permit) => received,
        () = sleep(timeout) => BodyOutcome::TimedOut,
        () = shutdown_presses(rocket) => BodyOutcome::TimedOut,
    }
}

async fn read(mut data: Data<'_>, mut permit: BodyPermit) -> BodyOutcome {
    // Rocket swallows the error when the bytes that it peeks at do not come. After that error a body that was cut off
    // looks like a whole one.
    if !data.peek_complete() && data.peek(PEEKED).await.len() < PEEKED {
        return BodyOutcome::Broken;
    }
    // Rocket's own `into_bytes` copies through a buffer of 8 KiB.
    let limit = permit.limit();
    let mut body = Vec::with_capacity(USUAL_BODY);
    let mut stream = data.open(limit.saturating_add(1).bytes());
    loop {
        let arrived = body.len();
        let read = tokio::select! {
            biased;
            read = stream.read_buf(&mut body) => read,
            () = permit.revoked(arrived) => return BodyOutcome::TimedOut,
        };
        match read {
            Ok(_) if body.len() > limit => return BodyOutcome::TooLarge,
            Ok(0) => return BodyOutcome::Whole(body.into()),
            Ok(_) => {}
            Err(_) => return BodyOutcome::Broken,
        }
    }
}

/// Completes when Rocket is about to cut the connections, early enough to answer over them.
async fn shutdown_presses(rocket: &Rocket<Orbit>) {
    let grace = Duration::from_secs(rocket.config().shutdown.grace.into());
    rocket.shutdown().await;
    sleep(grace.saturating_sub(Duration::from_secs(1))).await;
}

/// Returns the head of a request in the types of `http`.
fn head(api: &Api, request: &Request<'_>, method: http::Method) -> Parts {
    let (mut head, ()) = http::Request::new(()).into_parts();
    head.method = method;
    // Rocket keeps a path as it was sent: no escape is decoded and no empty segment dropped. A path that `http` does
    // not accept is no path of the service either, so `/` stands for it.
    head.uri = PathAndQuery::try_from(request.uri().to_string()).map(Uri::from).unwrap_or_default();
    // The peer of the connection. Whether a header may replace it is decided in care-core.
    if let Some(remote) = request.remote() {
        head.extensions.insert(Peer(remote.ip()));
    }
    if api.wants_principal()
        && let Some(principal) = request.local_cache(|| None::<Principal>)
    {
        head.extensions.insert(principal.clone());
    }
    head.headers = HeaderMap::with_capacity(request.headers().len());
    for header in request.headers().iter() {
        let name = HeaderName::from_bytes(header.name.as_str().as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(header.value.as_bytes())) {
            head.headers.append(name, value);
        }
    }
    head
}

/// A body of at most this many bytes is handed to Rocket in one piece, and a longer one in Rocket's own small pieces.
const IN_ONE_PIECE: usize = 64 * 1024;

/// Returns an answer in Rocket's type.
fn response(answer: http::Response<Bytes>) -> Response<'static> {
    let mut response = Response::new();
    response.set_status(Status::new(answer.status().as_u16()));
    let has_body = !answer.body().is_empty();
    for (name, value) in answer.headers() {
        // Rocket sets the length of a body itself. Without a body it keeps this header, as the answer to a HEAD needs.
        if !(has_body && name == header::CONTENT_LENGTH)
            && let Some(header) = rockets(name, value)
        {
            response.adjoin_header(header);
        }
    }
    let body = answer.into_body();
    if has_body {
        let length = body.len();
        response.set_sized_body(length, Cursor::new(body));
        // Rocket copies each piece for a queue of at most 16. A long body stays here until the queue has room for its
        // end, so what its client leaves unread counts as such.
        if length <= IN_ONE_PIECE {
            response.set_max_chunk_size(length);
        }
    }
    response
}

// The code in the README is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
