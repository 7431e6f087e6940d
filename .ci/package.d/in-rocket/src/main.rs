//! The service in Rocket: it answers the client of this process, and ends.

use std::error::Error;

use care_client::CareClient;
use care_core::{
    Api, CareService, MemoryStore,
    keys::{KeyRing, Scopes},
    model::{Name, PatientDetails},
};
use rocket::{
    Config,
    fairing::AdHoc,
    figment::Figment,
    tokio::{self, sync::oneshot},
};

#[rocket::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let keys = KeyRing::new().with_key("a-key", "test", Scopes::ALL);
    let api = Api::new(CareService::new(MemoryStore::new())).with_keys(keys);
    let config = Figment::from(Config::default()).merge(("port", 0)).merge(("log_level", "off"));
    let (listening, port) = oneshot::channel();
    let server = rocket::custom(config).attach(care_rocket::mount(api)).attach(AdHoc::on_liftoff("Port", |rocket| {
        // The other end waits for it.
        let _ = listening.send(rocket.config().port);
        Box::pin(async {})
    }));
    let server = server.ignite().await?;
    let shutdown = server.shutdown();
    let served = tokio::spawn(server.launch());

    let care = CareClient::new(&format!("http://127.0.0.1:{}/1.0.0", port.await?), "a-key")?;
    let name = Name::new("Ada Example")?;
    let details = PatientDetails { name: name.clone().into(), ..PatientDetails::default() };
    let added = care.register_patient(&details).await?;
    let read = care.patient(added.record.patient_id).await?;
    assert_eq!(read.record.name, Some(name));
    println!("in-rocket: patient {} was added and read", read.record.patient_id);
    shutdown.notify();
    served.await??;
    Ok(())
}
