//! A service in this process, with a key that may follow events and nothing else.

use std::{net::SocketAddr, time::Duration};

use care_core::{
    keys::{KeyRing, Scopes},
    model::{PatientDetails, Scope},
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use poem::{
    Route, Server,
    listener::{Acceptor, Listener, TcpListener},
};
use tokio::time::{Instant, sleep};

pub(crate) const KEY: &str = "canary-of-a-key";

/// A server on a port of its own. It runs as long as the test's runtime.
pub(crate) struct World {
    pub(crate) care: CareService,
    pub(crate) address: SocketAddr,
}

impl World {
    pub(crate) async fn start() -> Self {
        let care = CareService::new(MemoryStore::new());
        let scopes: Scopes = [Scope::EventsRead].into_iter().collect();
        let api = Api::new(care.clone()).with_keys(KeyRing::new().with_key(KEY, "relay", scopes));
        let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await.unwrap();
        let address = *acceptor.local_addr()[0].as_socket_addr().unwrap();
        let endpoint = care_poem::endpoint(api).mount(Route::new());
        tokio::spawn(Server::new_with_acceptor(acceptor).run(endpoint));
        Self { care, address }
    }

    /// Makes this many events.
    pub(crate) async fn register(&self, patients: usize) {
        for _ in 0..patients {
            self.care.register_patient(PatientDetails::named("Canary Person").unwrap()).await.unwrap();
        }
    }
}

/// Waits until this holds, for 60 seconds at most.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(5)).await;
    }
}
