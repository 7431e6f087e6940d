//! The Patient Care Service mounted in [Rocket](rocket).
//!
//! This crate moves bytes between Rocket and [`care_core::rest::Api`] and decides nothing: routing
//! below the base path, keys, media types, status codes and limits are the same here as in every
//! other frontend.
//!
//! # Beside your own routes
//!
//! Attach the service to the Rocket you have. It takes everything below the API's base path, and
//! nothing else.
//!
//! ```no_run
//! use care_core::rest::Api;
//! use rocket::{Build, Rocket, get, routes};
//!
//! #[get("/health")]
//! fn health() -> &'static str {
//!     "fine"
//! }
//!
//! fn app(api: Api) -> Rocket<Build> {
//!     rocket::build()
//!         .mount("/", routes![health])
//!         .attach(care_rocket::mount(api))
//! }
//! # let _ = app;
//! ```
//!
//! Routes of yours win when their rank is lower, see [`Mount::rank`]. On the service's answers its
//! own headers stand in the place of those that Rocket adds by default, `Server` and the three of
//! `Shield`. What your other fairings add stays.
//!
//! # For deployers
//!
//! - Put a proxy that buffers requests in front. Rocket has no read timeouts of its own, and it waits
//!   for the first 14 bytes of a body before it hands a request on: until then a slow client holds
//!   its connection for as long as it likes, afterwards for [`Mount::body_timeout`].
//! - When Rocket shuts down, bodies that are still on their way are given up in the last second of its
//!   grace period, so that their clients hear of it. Give it a grace of a few seconds.
//! - At log level `debug` Rocket prints whole requests, API keys included.

mod translate;
mod unknown_method;

use std::time::Duration;

use care_core::rest::{Api, Begun, Received};
use rocket::data::ToByteUnit;
use rocket::fairing::{self, Fairing, Info, Kind};
use rocket::http::uri::Origin;
use rocket::http::{Header, Method};
use rocket::tokio::{self, time::sleep};
use rocket::{Build, Data, Orbit, Request, Response, Rocket, Route, async_trait, route};

use translate::{head, response};

/// The service as a fairing, to be attached to a Rocket. It mounts itself at [`Api::base_path`].
pub fn mount(api: Api) -> Mount {
    Mount {
        api,
        rank: 100,
        everywhere: false,
        body_timeout: Duration::from_secs(30),
    }
}

/// A fairing that mounts the service; made by [`mount`].
#[derive(Debug, Clone)]
pub struct Mount {
    api: Api,
    rank: isize,
    everywhere: bool,
    body_timeout: Duration,
}

impl Mount {
    /// The rank of the service's catch-all routes, 100 unless given.
    ///
    /// Of the routes that match a request Rocket takes the one with the lowest rank. It does not
    /// start when two of one rank could match the same request.
    #[must_use]
    pub fn rank(self, rank: isize) -> Self {
        Self { rank, ..self }
    }

    /// Takes what no other route takes, outside the base path too, where the service answers 404.
    /// For a server of nothing else.
    #[must_use]
    pub fn everywhere(self) -> Self {
        Self {
            everywhere: true,
            ..self
        }
    }

    /// How long a client may take to send a body, 30 seconds unless given. Then the answer is 408.
    #[must_use]
    pub fn body_timeout(self, body_timeout: Duration) -> Self {
        Self {
            body_timeout,
            ..self
        }
    }
}

#[async_trait]
impl Fairing for Mount {
    fn info(&self) -> Info {
        Info {
            name: "Patient Care Service",
            kind: Kind::Ignite | Kind::Response,
        }
    }

    async fn on_ignite(&self, rocket: Rocket<Build>) -> fairing::Result {
        let base = match self.api.base_path() {
            base if !self.everywhere && !base.is_empty() => base,
            _ => "/",
        };
        let Ok(base) = Origin::parse(base) else {
            return Err(rocket);
        };
        let catcher = unknown_method::catcher(&rocket, &base, &self.api);
        let route = |method| Route::ranked(self.rank, method, "/<path..>", Service(self.clone()));
        let rocket = rocket.mount(base.clone(), METHODS.map(route).to_vec());
        Ok(rocket.register(base, Vec::from_iter(catcher)))
    }

    async fn on_response<'r>(&self, request: &'r Request<'_>, response: &mut Response<'r>) {
        if let Held(Some(held)) = request.local_cache(|| Held(None)) {
            for name in ROCKETS_OWN {
                response.remove_header(name);
            }
            for header in held {
                response.adjoin_header(header.clone());
            }
        }
    }
}

/// Every method that Rocket can route; core answers 405 to those it does not know.
const METHODS: [Method; 9] = [
    Method::Get,
    Method::Put,
    Method::Post,
    Method::Delete,
    Method::Options,
    Method::Head,
    Method::Trace,
    Method::Connect,
    Method::Patch,
];

/// What Rocket itself adds to answers. Its Shield logs a warning for every one that is there
/// already, so the service's own are held back until Shield is done.
const ROCKETS_OWN: [&str; 4] = [
    "Server",
    "X-Content-Type-Options",
    "X-Frame-Options",
    "Permissions-Policy",
];

struct Held(Option<Vec<Header<'static>>>);

#[derive(Clone)]
struct Service(Mount);

#[async_trait]
impl route::Handler for Service {
    async fn handle<'r>(&self, request: &'r Request<'_>, data: Data<'r>) -> route::Outcome<'r> {
        let method = http::Method::from_bytes(request.method().as_str().as_bytes());
        let answer = match self.0.api.begin(head(request, method.unwrap_or_default())) {
            Begun::Answer(answer) => answer,
            Begun::Body(pending) => {
                let received = tokio::select! {
                    biased;
                    received = body(data, pending.body_limit()) => received,
                    () = sleep(self.0.body_timeout) => Received::TimedOut,
                    () = shutdown_presses(request.rocket()) => Received::TimedOut,
                };
                pending.finish(received).await
            }
        };
        let mut response = response(answer);
        let mut held = Vec::new();
        for name in ROCKETS_OWN {
            let values = response.headers().get(name);
            held.extend(values.map(|value| Header::new(name, value.to_owned())));
            response.remove_header(name);
        }
        request.local_cache(|| Held(Some(held)));
        // Always a success: a catcher must never replace the body.
        route::Outcome::Success(response)
    }
}

async fn body(mut data: Data<'_>, limit: usize) -> Received {
    // Before it routes, Rocket peeks at this many bytes and swallows the error when they do not
    // come. After that error a body that was cut off looks like a whole one.
    const PEEKED: usize = "_method=delete".len();
    let ended = data.peek_complete();
    if data.peek(PEEKED).await.len() < PEEKED && !ended {
        return Received::Broken;
    }
    match data.open(limit.bytes()).into_bytes().await {
        Ok(bytes) if bytes.is_complete() => Received::Whole(bytes.into_inner().into()),
        Ok(_) => Received::TooLarge,
        Err(_) => Received::Broken,
    }
}

/// Ends when Rocket is about to cut the connections, early enough to answer over them.
async fn shutdown_presses(rocket: &Rocket<Orbit>) {
    let grace = Duration::from_secs(rocket.config().shutdown.grace.into());
    rocket.shutdown().await;
    sleep(grace.saturating_sub(Duration::from_secs(1))).await;
}
