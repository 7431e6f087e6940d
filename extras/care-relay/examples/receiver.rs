//! A receiver of webhooks, complete: it verifies each message, and does nothing twice.
//!
//! ```text
//! WEBHOOK_SECRET=whsec_… cargo run -p care-relay --example receiver
//! ```

use std::{
    collections::HashSet,
    env,
    error::Error,
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tokio::net::TcpListener;

struct Receiver {
    secret: Vec<u8>,
    /// Keep them in your database, together with what you do.
    seen: Mutex<HashSet<String>>,
}

impl Receiver {
    /// Returns the id of a genuine message.
    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Option<String> {
        let text = |name| headers.get(name)?.to_str().ok();
        let (id, timestamp) = (text("webhook-id")?, text("webhook-timestamp")?);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        if now.abs_diff(timestamp.parse().ok()?) > 300 {
            return None;
        }
        let mut code = Hmac::<Sha256>::new_from_slice(&self.secret).ok()?;
        code.update(format!("{id}.{timestamp}.").as_bytes());
        code.update(body);
        let mut signatures = text("webhook-signature")?.split(' ').filter_map(|one| one.strip_prefix("v1,"));
        // The comparison takes the same time wherever the bytes differ.
        let is_ours = |one| BASE64_STANDARD.decode(one).is_ok_and(|one| code.clone().verify_slice(&one).is_ok());
        signatures.any(is_ours).then(|| id.to_owned())
    }
}

async fn receive(State(receiver): State<Arc<Receiver>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let Some(id) = receiver.verify(&headers, &body) else { return StatusCode::UNAUTHORIZED };
    if receiver.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(id) {
        let Ok(message) = serde_json::from_slice::<serde_json::Value>(&body) else { return StatusCode::BAD_REQUEST };
        println!("got {}", message["type"].as_str().unwrap_or_default());
    }
    StatusCode::NO_CONTENT
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret = env::var("WEBHOOK_SECRET")?;
    let secret = BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap_or(&secret))?;
    let receiver = Arc::new(Receiver { secret, seen: Mutex::default() });
    let port = env::var("PORT").map_or(Ok(8080), |port| port.parse())?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?.port());
    Ok(axum::serve(listener, Router::new().fallback(post(receive)).with_state(receiver)).await?)
}
