//! The program as an operator uses it.

use std::{
    io::Read as _,
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{receiver::Receiver, world::KEY};

/// The longest wait for the program.
const PATIENCE: Duration = Duration::from_secs(60);

/// A state file in a directory of its own.
pub(crate) struct Desk {
    pub(crate) directory: TempDir,
}

/// A running relay, killed when this is dropped.
pub(crate) struct Running {
    child: Child,
    log: Arc<Mutex<String>>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.directory.path().join("relay.db")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_care-relay"));
        command.env_clear().current_dir(self.directory.path()).args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, &[])
    }

    pub(crate) fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
        self.command(arguments).envs(environment.iter().copied()).output().unwrap()
    }

    /// Runs a task that must succeed, and returns what it prints.
    pub(crate) fn does(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Adds an endpoint on this machine from the first entry on, and returns its secret.
    pub(crate) fn add(&self, name: &str, receiver: &Receiver, more: &[&str]) -> String {
        let url = receiver.url();
        let first = ["add", name, "--url", &url, "--allow-net", "127.0.0.0/8", "--from", "0"];
        self.does(&[&first, more].concat())
    }

    pub(crate) fn start(&self, service: SocketAddr, more: &[&str]) -> Running {
        let care = format!("http://{service}/1.0.0");
        let mut command = self.command(&[&["run", "--care", &care], more].concat());
        command.env("CARE_KEY", KEY).env("RUST_LOG", "trace");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut err = child.stderr.take().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(length @ 1..) = err.read(&mut piece) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&piece[..length]));
            }
        });
        Running { child, log }
    }
}

impl Running {
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Returns the address of its metrics.
    pub(crate) fn metrics(&self) -> SocketAddr {
        let started = Instant::now();
        loop {
            if let Some((_, rest)) = self.log().split_once("metrics at http://")
                && let Some((address, _)) = rest.split_once("/metrics")
            {
                return address.parse().unwrap();
            }
            assert!(started.elapsed() < PATIENCE, "{}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills it, as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Tells it to stop, and returns whether it ended well.
    pub(crate) fn stop(mut self) -> bool {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            assert!(started.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
