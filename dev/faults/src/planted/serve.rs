//! Servers with a planted bug, on either frontend.

use std::{io, net::SocketAddr, path::Path};

use care_core::{
    keys::{KeyRing, Scopes},
    rest::Api,
    service::CareService,
};
use clap::ValueEnum;
use poem::{Route, Server, listener::TcpAcceptor};
use rocket::fairing::AdHoc;
use tokio::{net::TcpListener, runtime::Runtime};

use super::{BuggyStore, Plant};
use crate::Failure;

/// The frontend of a planted server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Frontend {
    /// Poem.
    Poem,
    /// Rocket.
    Rocket,
}

/// Serves a database with a bug, until the process is killed.
///
/// # Errors
/// The server does not start.
pub fn serve(plant: Plant, frontend: Frontend, database: &Path, bind: SocketAddr, key: &str) -> Result<(), Failure> {
    let store = BuggyStore::open(database, plant)?;
    let keys = KeyRing::new().with_key(key, "key-1", Scopes::ALL);
    let api = Api::new(CareService::new(store)).with_keys(keys);
    let runtime = Runtime::new()?;
    match frontend {
        Frontend::Poem => runtime.block_on(in_poem(api, bind))?,
        Frontend::Rocket => runtime.block_on(in_rocket(api, bind))?,
    }
    Ok(())
}

fn listening(address: SocketAddr) {
    println!("listening on http://{address}/1.0.0");
}

async fn in_poem(api: Api, bind: SocketAddr) -> io::Result<()> {
    let listener = TcpListener::bind(bind).await?;
    listening(listener.local_addr()?);
    let app = care_poem::endpoint(api).mount(Route::new());
    Server::new_with_acceptor(TcpAcceptor::from_tokio(listener)?).run(app).await
}

async fn in_rocket(api: Api, bind: SocketAddr) -> Result<(), Failure> {
    let lifted = AdHoc::on_liftoff("port", |rocket| {
        Box::pin(async move {
            let config = rocket.config();
            listening((config.address, config.port).into());
        })
    });
    let config = rocket::Config::figment()
        .merge(("address", bind.ip()))
        .merge(("port", bind.port()))
        .merge(("log_level", "off"));
    let rocket = rocket::custom(config).attach(care_rocket::mount(api)).attach(lifted);
    Ok(rocket.launch().await.map(drop)?)
}
