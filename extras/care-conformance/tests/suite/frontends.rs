//! Both frontends, started in process, each on a port of its own.

use std::{net::Ipv4Addr, sync::LazyLock};

use care_conformance::http::{RunningTarget, Target};
use care_core::rest::Api;
use poem::{Route, Server, listener::TcpAcceptor};
use rocket::{Shutdown, fairing::AdHoc};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    task::JoinHandle,
};

/// A logger that drops everything: Rocket's own logger would print every request.
struct Silent;

impl log::Log for Silent {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        false
    }

    fn log(&self, _: &log::Record<'_>) {}

    fn flush(&self) {}
}

/// The runtime of all servers of a test program.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime"));

/// Poem as a target.
pub(crate) struct Poem;

impl Target for Poem {
    fn start(&self, api: Api) -> RunningTarget {
        let listener = RUNTIME.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let acceptor = TcpAcceptor::from_tokio(listener).expect("an acceptor");
        let app = care_poem::endpoint(api).mount(Route::new());
        let server = Server::new_with_acceptor(acceptor).run(app);
        RunningTarget::at(address, ServerTask(RUNTIME.spawn(server)))
    }
}

struct ServerTask<T>(JoinHandle<T>);

impl<T> Drop for ServerTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Rocket as a target.
pub(crate) struct Rocket;

impl Target for Rocket {
    fn start(&self, api: Api) -> RunningTarget {
        // Only the first call sets the logger.
        let _ = log::set_logger(&Silent);
        let (tell, told) = std::sync::mpsc::channel();
        let lifted = AdHoc::on_liftoff("port", move |rocket| {
            Box::pin(async move {
                // The receiver is gone only when the test has already failed.
                let _ = tell.send((rocket.config().port, rocket.shutdown()));
            })
        });
        let config = rocket::Config::figment()
            .merge(("address", Ipv4Addr::LOCALHOST))
            .merge(("port", 0))
            .merge(("log_level", "off"))
            .merge(("workers", 2))
            .merge(("shutdown.ctrlc", false))
            .merge(("shutdown.grace", 0))
            .merge(("shutdown.mercy", 0));
        let rocket = rocket::custom(config).attach(care_rocket::mount(api)).attach(lifted);
        RUNTIME.spawn(rocket.launch());
        let (port, shutdown) = told.recv().expect("Rocket lifts off");
        RunningTarget::at((Ipv4Addr::LOCALHOST, port).into(), Landing(shutdown))
    }
}

struct Landing(Shutdown);

impl Drop for Landing {
    fn drop(&mut self) {
        self.0.clone().notify();
    }
}
