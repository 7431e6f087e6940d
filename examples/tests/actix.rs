//! The adapter for actix-web passes the suite of the frontends.

#![allow(clippy::unwrap_used, reason = "a failing `unwrap` fails the test")]

#[expect(dead_code, reason = "the program around the adapter")]
#[path = "../actix_app.rs"]
mod actix_app;

use std::{net::TcpListener, sync::mpsc, thread};

use actix_web::{App, HttpServer, dev::ServerHandle, rt::System, web};
use care_conformance::http::{RunningTarget, Target};
use care_core::Api;

struct Actix;

/// Stops the server with the case.
struct Running(ServerHandle);

impl Drop for Running {
    fn drop(&mut self) {
        // It stops whether the end is awaited or not.
        drop(self.0.stop(false));
    }
}

impl Target for Actix {
    fn start(&self, api: Api) -> RunningTarget {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (started, running) = mpsc::channel();
        thread::spawn(move || {
            System::new().block_on(async move {
                let ours = || async { "ours" };
                let app =
                    move || App::new().configure(actix_app::configure(api.clone())).route("/ours", web::get().to(ours));
                let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
                started.send(server.handle()).unwrap();
                server.await.unwrap();
            });
        });
        RunningTarget::at(address, Running(running.recv().unwrap()))
    }
}

care_conformance::http_suite!(Actix);
