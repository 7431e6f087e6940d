//! The service under a framework that has no crate for it: axum here, and any other that speaks the types of the `http`
//! crate in the same way.
//!
//! `Api::begin` looks at the head and refuses what it can; then the body is read, no further than its limit, and
//! `Pending::finish` answers. That is all a frontend does.
//!
//! ```text
//! cargo run -p care-examples --example axum_app
//! curl -H 'api_key: example-key' http://127.0.0.1:PORT/care/1.0.0/patient/1
//! ```

use std::{env, error::Error};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    response::Response,
    routing::{any, get},
};
use care_core::{
    keys::{KeyRing, Scopes},
    rest::{Api, Begun, Received},
    service::CareService,
    store::MemoryStore,
};
use care_examples::demo;
use http_body_util::LengthLimitError;
use tokio::net::TcpListener;

/// The routes with the service among them, at its base path and everything below.
fn mount(api: &Api, mut routes: Router) -> Router {
    for below in ["", "/", "/{*path}"] {
        let path = format!("{}{below}", api.base_path());
        let api = api.clone();
        routes = routes.route(&path, any(move |request| answer(api, request)));
    }
    routes
}

/// Answers a request. When the client goes away this is dropped, which is safe: what it was about to write is written
/// whole or not at all, see `Pending::finish`.
async fn answer(api: Api, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let answer = match api.begin(head).await {
        Begun::Answer(answer) => answer,
        Begun::Body(pending) => {
            let received = match to_bytes(body, pending.body_limit()).await {
                Ok(body) => Received::Whole(body),
                Err(error) if error.source().is_some_and(|s| s.is::<LengthLimitError>()) => Received::TooLarge,
                Err(_) => Received::Broken,
            };
            pending.finish(received).await
        }
    };
    answer.map(Body::from)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let care = CareService::new(MemoryStore::new());
    println!("the demo clinic has {}", demo::fill(&care).await?);
    let keys = KeyRing::new().with_key("example-key", "front desk", Scopes::ALL);
    let api = Api::new(care).with_base_path("/care/1.0.0")?.with_keys(keys);
    let routes = mount(&api, Router::new().route("/health", get("fine\n")));

    // Port 0 is any that is free.
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, routes).await?;
    Ok(())
}
