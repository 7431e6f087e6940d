//! The service in Poem: it answers the client of this process, and ends.

use std::error::Error;

use care_client::CareClient;
use care_core::{
    Api, CareService, MemoryStore,
    keys::{KeyRing, Scopes},
    model::{Name, PatientDetails},
};
use poem::{
    Route, Server,
    listener::{Acceptor, Listener, TcpListener},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let keys = KeyRing::new().with_key("a-key", "test", Scopes::ALL);
    let api = Api::new(CareService::new(MemoryStore::new())).with_keys(keys);
    let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await?;
    let address = acceptor.local_addr().iter().find_map(|it| it.as_socket_addr().copied()).ok_or("no address")?;
    tokio::spawn(Server::new_with_acceptor(acceptor).run(care_poem::endpoint(api).mount(Route::new())));

    let care = CareClient::new(&format!("http://{address}/1.0.0"), "a-key")?;
    let name = Name::new("Ada Example")?;
    let details = PatientDetails { name: name.clone().into(), ..PatientDetails::default() };
    let added = care.register_patient(&details).await?;
    let read = care.patient(added.record.patient_id).await?;
    assert_eq!(read.record.name, Some(name));
    println!("in-poem: patient {} was added and read", read.record.patient_id);
    Ok(())
}
