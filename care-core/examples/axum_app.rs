//! The service in a framework without a crate for it: axum here. Every framework that mounts tower services works in
//! the same way: `ApiService` is one, and reads the body within its limit and its time.
//!
//! ```text
//! cargo run -p care-core --features tower --example axum_app
//! curl -H 'api_key: example-key' http://127.0.0.1:PORT/care/1.0.0/patient/1
//! ```

use std::{env, error::Error};

use axum::{Router, routing::get};
use care_core::{
    keys::{KeyRing, Scopes},
    model::PatientDetails,
    rest::{Api, ApiService},
    service::CareService,
    store::MemoryStore,
};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let care = CareService::new(MemoryStore::new());
    care.register_patient(PatientDetails::named("Ada Example")?).await?;
    let keys = KeyRing::new().with_key("example-key", "front desk", Scopes::ALL);
    let api = Api::new(care).with_base_path("/care/1.0.0")?.with_keys(keys);
    let routes = Router::new().route("/health", get("fine\n")).fallback_service(ApiService::new(api));

    // Port 0 is any that is free.
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, routes).await?;
    Ok(())
}
