//! Webhooks from a program that embeds the service: the relay in the same process, woken by each change.
//!
//! It registers a patient, and a receiver of its own, which stands for another system, gets the events.
//!
//! ```text
//! cargo run -p care-examples --example webhooks
//! ```

use std::{env, error::Error, fs, net::SocketAddr, process};

use axum::{
    Router,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use care_core::{
    model::{ItemDetails, MedicineName, PatientDetails},
    service::{CareService, NewPrescription},
    store::{MemoryStore, Seq},
};
use care_relay::{NewEndpoint, Relay, Start, State};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (got, mut messages) = mpsc::unbounded_channel();
    let address = receiver(got).await?;

    // The relay's file holds endpoints, secrets and places. Yours stays where it is.
    let directory = env::temp_dir().join(format!("care-webhooks-{}", process::id()));
    fs::create_dir_all(&directory)?;
    let mut state = State::open(directory.join("relay.db"))?;
    let endpoint = NewEndpoint {
        // Only an endpoint that names the network reaches this machine, and only there messages go without TLS.
        networks: vec!["127.0.0.0/8".parse()?],
        types: "patient.*,prescription.made".parse()?,
        start: Start::At(Seq::ZERO),
        ..NewEndpoint::new("other-system", format!("http://{address}/hook"))
    };
    let secret = state.add(&endpoint)?;
    println!("the receiver verifies with {} bytes of secret", secret.to_text().len());

    let care = CareService::new(MemoryStore::new());
    let (stop, stopped) = oneshot::channel::<()>();
    let relay = Relay::new(care.clone(), state).run(async { drop(stopped.await) });
    let relay = tokio::spawn(relay);

    let ada = care.register_patient(PatientDetails::named("Ada Example")?).await?.patient_id;
    care.add_item(MedicineName::new("Ibuprofen 400")?, ItemDetails::default()).await?;
    care.prescribe(ada, NewPrescription::of(MedicineName::new("Ibuprofen 400")?)).await?;
    for _ in 0..2 {
        println!("{}", messages.recv().await.ok_or("no receiver")?);
    }

    drop(stop);
    relay.await??;
    Ok(fs::remove_dir_all(directory)?)
}

/// Starts a receiver. One of yours verifies the signature first: docs/webhooks.md shows how.
async fn receiver(got: mpsc::UnboundedSender<String>) -> Result<SocketAddr, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let receive = move |headers: HeaderMap, body: String| {
        let id = headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
        let sent = got.send(format!("{id} {body}"));
        async move { if sent.is_ok() { StatusCode::NO_CONTENT } else { StatusCode::GONE } }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/hook", post(receive))).await });
    Ok(address)
}
