//! Programs that checks run, each of which is ended with its handle.

use std::{
    io::{Error, Result},
    ops::Deref,
    path::Path,
    process::Command,
};

use care_testkit::Program;

/// A server of the service.
#[derive(Debug)]
pub(crate) struct Server(care_testkit::Server);

impl Server {
    pub(crate) const BOTH: [&str; 2] = ["poem-server", "rocket-server"];
    /// A key with every scope.
    pub(crate) const KEY: &str = "the-key-of-the-tests-0123456789";

    /// Starts the server at this port (0 is any) with these options.
    pub(crate) fn start(program: &Path, port: u16, options: &[&str]) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--api-key", Self::KEY]).args(options);
        care_testkit::Server::start(&mut command).map(Self)
    }
}

impl Deref for Server {
    type Target = care_testkit::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Chromium's driver.
#[derive(Debug)]
pub(crate) struct Driver {
    _running: Program,
    pub(crate) url: String,
}

impl Driver {
    pub(crate) fn start() -> Result<Self> {
        // It takes a free port of IPv4, and ends if the same port of IPv6 belongs to another program.
        for _ in 0..3 {
            let running = Program::start(Command::new("chromedriver").arg("--port=0"))?;
            let line = running.out.next_with("started successfully on port ");
            if let Some(port) = line.as_ref().and_then(|line| line.rsplit(' ').next()) {
                let url = format!("http://127.0.0.1:{}", port.trim_end_matches('.'));
                return Ok(Self { _running: running, url });
            }
        }
        Err(Error::other("chromedriver did not start"))
    }
}
