//! The program as an operator uses it.

use std::{
    net::SocketAddr,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use care_testkit::Program;
use tempfile::TempDir;

use crate::{receiver::Receiver, world::KEY};

/// A state file in a directory of its own.
pub(crate) struct Desk {
    pub(crate) directory: TempDir,
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

    pub(crate) fn start(&self, service: SocketAddr, more: &[&str]) -> Program {
        let care = format!("http://{service}/1.0.0");
        let mut command = self.command(&[&["run", "--care", &care], more].concat());
        Program::start(command.env("CARE_KEY", KEY).env("RUST_LOG", "trace").stdin(Stdio::null())).unwrap()
    }
}
