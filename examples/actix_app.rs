//! The service in a framework that is no tower framework and has types of its own: actix-web here. The adapter makes a
//! head of the request, lets `Api::answer` ask for the body if it wants one, and passes the answer on. It decides
//! nothing, and passes the suite that the frontends pass.
//!
//! ```text
//! cargo run -p care-examples --example actix_app
//! curl -H 'api_key: example-key' http://127.0.0.1:PORT/care/1.0.0/patient/1
//! ```

#![expect(clippy::future_not_send, reason = "a worker of actix-web runs its futures on one thread")]

use std::{convert::Infallible, error::Error, net::TcpListener, pin::pin, time::Duration};

use actix_web::{
    App, HttpMessage, HttpRequest, HttpResponse, HttpServer,
    body::SizedStream,
    http::StatusCode,
    rt::{System, time::timeout},
    web::{self, Payload, ServiceConfig},
};
use care_core::{
    Api, CareService, MemoryStore,
    bytes::Bytes,
    http::{self, HeaderName, HeaderValue, header, request::Parts},
    keys::{KeyRing, Principal, Scopes},
    model::PatientDetails,
    rest::{BodyOutcome, BodyPermit, Peer},
};
use futures_executor::block_on;
use futures_util::{
    StreamExt as _,
    future::{Either, select},
    stream,
};

/// The longest time that a client may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Mounts the service at its base path and everything below.
pub(crate) fn configure(api: Api) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        let base = api.base_path().to_owned();
        for path in [format!("{base}/{{rest:.*}}"), base] {
            let api = api.clone();
            let handle = move |request: HttpRequest, body: Payload| answer(api.clone(), request, body);
            config.service(web::resource(path).to(handle));
        }
    }
}

async fn answer(api: Api, request: HttpRequest, body: Payload) -> HttpResponse {
    let Some(head) = head(&api, &request) else {
        return HttpResponse::BadRequest().finish();
    };
    let is_head = head.method == http::Method::HEAD;
    let answer = api.answer(head, |permit| receive(body, permit)).await;
    respond(answer, is_head)
}

/// Returns the head in the types of `http` 1; those of actix-web are of 0.2.
fn head(api: &Api, request: &HttpRequest) -> Option<Parts> {
    let head = http::Request::builder().method(request.method().as_str()).uri(request.uri().to_string());
    let (mut head, ()) = head.body(()).ok()?.into_parts();
    for (name, value) in request.headers() {
        let name = HeaderName::from_bytes(name.as_str().as_bytes()).ok()?;
        head.headers.append(name, HeaderValue::from_bytes(value.as_bytes()).ok()?);
    }
    if let Some(peer) = request.peer_addr() {
        head.extensions.insert(Peer(peer.ip()));
    }
    if let Some(principal) = request.extensions().get::<Principal>().filter(|_| api.wants_principal()) {
        head.extensions.insert(principal.clone());
    }
    Some(head)
}

/// Reads a body under its permit and within its time.
async fn receive(mut body: Payload, mut permit: BodyPermit) -> BodyOutcome {
    let read = async {
        let mut whole = Vec::new();
        loop {
            let piece = match select(body.next(), pin!(permit.revoked(whole.len()))).await {
                Either::Left((piece, _)) => piece,
                // Other bodies need the memory.
                Either::Right(_) => return BodyOutcome::TimedOut,
            };
            match piece {
                None => return BodyOutcome::Whole(whole.into()),
                Some(Ok(piece)) if whole.len() + piece.len() <= permit.limit() => whole.extend_from_slice(&piece),
                Some(Ok(_)) => return BodyOutcome::TooLarge,
                Some(Err(_)) => return BodyOutcome::Broken,
            }
        }
    };
    timeout(BODY_TIMEOUT, read).await.unwrap_or(BodyOutcome::TimedOut)
}

fn respond(answer: http::Response<Bytes>, is_head: bool) -> HttpResponse {
    let (head, body) = answer.into_parts();
    let status = StatusCode::from_u16(head.status.as_u16()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status);
    let mut length = None;
    for (name, value) in &head.headers {
        match *name {
            // actix-web writes these two itself.
            header::CONTENT_LENGTH => length = value.to_str().ok().and_then(|length| length.parse().ok()),
            header::CONNECTION => {
                response.force_close();
            }
            _ => {
                response.append_header((name.as_str(), value.as_bytes()));
            }
        }
    }
    match length.filter(|_| is_head) {
        // The length of what a GET would be answered with.
        Some(length) => response.body(SizedStream::new(length, stream::empty::<Result<Bytes, Infallible>>())),
        None => response.body(body),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let care = CareService::new(MemoryStore::new());
    block_on(care.register_patient(PatientDetails::named("Ada Example")?))?;
    let keys = KeyRing::new().with_key("example-key", "front desk", Scopes::ALL);
    let api = Api::new(care).with_base_path("/care/1.0.0")?.with_keys(keys);
    // Port 0 is any that is free.
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("listening on http://{}", listener.local_addr()?);
    System::new().block_on(async move {
        let app = move || App::new().configure(configure(api.clone()));
        Ok(HttpServer::new(app).workers(2).listen(listener)?.run().await?)
    })
}
