//! A running Poem server.

use std::{net::SocketAddr, sync::mpsc, thread, time::Duration};

use care_core::rest::Api;
use poem::{IntoEndpoint, Route, Server as PoemServer, listener::TcpAcceptor};
use tokio::{net::TcpListener, runtime::Builder, sync::oneshot};

/// A server that runs until this is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    _until: oneshot::Sender<()>,
}

pub(crate) fn start(api: Api) -> Server {
    start_host(care_poem::endpoint(api).mount(Route::new()))
}

/// Starts a server that waits for bodies for this long.
pub(crate) fn start_hurried(api: Api, body_timeout: Duration) -> Server {
    let endpoint = care_poem::endpoint(api).body_timeout(body_timeout);
    start_host(endpoint.mount(Route::new()))
}

pub(crate) fn start_host<E>(host: E) -> Server
where
    E: IntoEndpoint + Send + 'static,
    E::Endpoint: 'static,
{
    let (started, wait) = mpsc::channel();
    let (until, stopped) = oneshot::channel::<()>();
    thread::spawn(move || {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            started.send(listener.local_addr().unwrap()).unwrap();
            let acceptor = TcpAcceptor::from_tokio(listener).unwrap();
            let stopped = async { drop(stopped.await) };
            PoemServer::new_with_acceptor(acceptor)
                .run_with_graceful_shutdown(host, stopped, Some(Duration::ZERO))
                .await
                .unwrap();
        });
    });
    let address = wait.recv_timeout(Duration::from_secs(20)).unwrap();
    Server { address, _until: until }
}
