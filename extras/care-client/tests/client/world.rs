//! A server in this process, and a client for it.

use std::net::SocketAddr;

use care_client::CareClient;
use care_core::{
    keys::{KeyRing, Scopes},
    rest::Api,
    service::CareService,
    store::{MemoryStore, Seq},
};
use poem::{
    Route, Server,
    listener::{Acceptor, Listener, TcpListener},
};

pub(crate) const KEY: &str = "canary-of-a-key";

/// A server on a port of its own. It runs as long as the test's runtime.
pub(crate) struct World {
    pub(crate) care: CareService,
    pub(crate) address: SocketAddr,
}

impl World {
    pub(crate) async fn start() -> Self {
        let care = CareService::new(MemoryStore::new());
        let api = Api::new(care.clone()).with_keys(KeyRing::new().with_key(KEY, "test", Scopes::ALL));
        let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await.unwrap();
        let address = *acceptor.local_addr()[0].as_socket_addr().unwrap();
        let endpoint = care_poem::endpoint(api).mount(Route::new());
        tokio::spawn(Server::new_with_acceptor(acceptor).run(endpoint));
        Self { care, address }
    }

    pub(crate) fn client(&self) -> CareClient {
        at(self.address, KEY)
    }

    /// Returns how many entries the journal has.
    pub(crate) async fn entries(&self) -> u64 {
        self.care.last().await.unwrap_or(Seq::ZERO).value()
    }
}

/// Makes a client for the service at this address.
pub(crate) fn at(address: SocketAddr, key: &str) -> CareClient {
    CareClient::new(&format!("http://{address}/1.0.0"), key).unwrap()
}
