//! Programs that checks run, each of which is ended with its handle.

use std::{
    io::{BufRead, BufReader, Error, Result},
    path::Path,
    process::{Child, Command, Stdio},
};

/// A program that is killed when this is dropped.
#[derive(Debug)]
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // The program may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server of the service.
#[derive(Debug)]
pub(crate) struct Server {
    running: ChildGuard,
    /// The address of the service with its base path.
    pub(crate) url: String,
}

impl Server {
    pub(crate) const BOTH: [&str; 2] = ["poem-server", "rocket-server"];
    /// A key with every scope.
    pub(crate) const KEY: &str = "the-key-of-the-tests-0123456789";

    /// Starts the server at this port (0 is any) with these options.
    pub(crate) fn start(program: &Path, port: u16, options: &[&str]) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--api-key", Self::KEY]).args(options);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let out = child.stdout.take();
        let running = ChildGuard(child);
        let mut lines = BufReader::new(out.ok_or_else(|| Error::other("no output"))?).lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        let url = first.strip_prefix("listening on ").ok_or_else(|| Error::other(format!("it says {first:?}")))?;
        // The rest of its output is read to the end, so that writing never blocks it.
        let url = url.to_owned();
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(Self { running, url })
    }

    /// Returns the port on which it listens.
    pub(crate) fn port(&self) -> u16 {
        let address = self.url.split('/').nth(2).and_then(|address| address.rsplit(':').next());
        address.and_then(|port| port.parse().ok()).unwrap_or_default()
    }

    /// Sends it a signal, to suspend it or to let it continue.
    pub(crate) fn signal(&self, signal: &str) -> Result<()> {
        Command::new("kill").args([signal, &self.running.0.id().to_string()]).status().map(drop)
    }
}

/// Chromium's driver.
#[derive(Debug)]
pub(crate) struct Driver {
    _running: ChildGuard,
    pub(crate) url: String,
}

impl Driver {
    pub(crate) fn start() -> Result<Self> {
        let mut command = Command::new("chromedriver");
        let mut child = command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let out = child.stdout.take();
        let running = ChildGuard(child);
        let mut lines = BufReader::new(out.ok_or_else(|| Error::other("no output"))?).lines();
        for line in lines.by_ref() {
            let line = line?;
            if let Some((_, port)) = line.split_once("started successfully on port ") {
                let url = format!("http://127.0.0.1:{}", port.trim_end_matches('.'));
                std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
                return Ok(Self { _running: running, url });
            }
        }
        Err(Error::other("chromedriver did not start"))
    }
}
