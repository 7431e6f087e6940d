//! A running Rocket server.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::mpsc,
    thread,
    time::Duration,
};

use care_core::rest::Api;
use rocket::{Build, Config, Rocket, Shutdown, config::LogLevel, fairing::AdHoc, tokio::runtime::Builder};

/// A server that runs until this is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    shutdown: Shutdown,
}

pub(crate) fn start(api: Api) -> Server {
    start_host(host().attach(care_rocket::mount(api)))
}

/// Starts a server that waits for bodies for this long.
pub(crate) fn start_hurried(api: Api, body_timeout: Duration) -> Server {
    start_host(host().attach(care_rocket::mount(api).body_timeout(body_timeout)))
}

/// Returns a Rocket without routes.
pub(crate) fn host() -> Rocket<Build> {
    rocket::custom(Config {
        address: Ipv4Addr::LOCALHOST.into(),
        port: 0,
        log_level: LogLevel::Off,
        ..Config::release_default()
    })
}

pub(crate) fn start_host(host: Rocket<Build>) -> Server {
    let (started, wait) = mpsc::channel();
    let host = host.attach(AdHoc::on_liftoff("Started", move |rocket| {
        let address = SocketAddr::new(rocket.config().address, rocket.config().port);
        let _ = started.send((address, rocket.shutdown()));
        Box::pin(async {})
    }));
    thread::spawn(move || {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(host.launch()).map(drop).unwrap();
    });
    let (address, shutdown) = wait.recv_timeout(Duration::from_secs(20)).unwrap();
    Server { address, shutdown }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.clone().notify();
    }
}
