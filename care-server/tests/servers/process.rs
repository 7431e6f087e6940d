//! A server as a process.

use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::mpsc::{Receiver, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    request::RawRequest,
    wire::{Answer, Wire},
};

/// Time limit for each wait, longer than any server takes to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// One of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bin(&'static str);

/// A running server, killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// The address that it prints.
    pub(crate) url: String,
    lines: Receiver<String>,
    /// The lines of its log, as they arrive.
    logged: Option<Receiver<String>>,
    log: Option<JoinHandle<String>>,
}

/// The end of a server.
#[derive(Debug)]
pub(crate) struct ServerEnd {
    pub(crate) status: ExitStatus,
    /// The time between the request to stop and the end.
    pub(crate) after: Duration,
    /// The lines that the server printed after its address.
    pub(crate) out: Vec<String>,
    pub(crate) log: String,
}

/// Runs care-admin in this directory, with a clean environment.
pub(crate) fn admin(directory: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_care-admin"));
    command.env_clear().current_dir(directory).args(args).output().unwrap()
}

impl Bin {
    pub(crate) const POEM: Self = Self(env!("CARGO_BIN_EXE_poem-server"));
    pub(crate) const ROCKET: Self = Self(env!("CARGO_BIN_EXE_rocket-server"));

    /// Returns the command that runs it in this directory, with a clean environment.
    pub(crate) fn command(self, directory: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(self.0);
        command.env_clear().current_dir(directory).args(args);
        command
    }

    /// Starts it without waiting until it listens.
    pub(crate) fn spawn(self, directory: &Path, args: &[&str]) -> Child {
        let mut command = self.command(directory, args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts it on a free port, with a key.
    pub(crate) fn start(self, directory: &Path, args: &[&str]) -> Server {
        Server::run(self.command(directory, args).args(["--api-key", "secret"]))
    }

    /// Runs it with options that it must refuse.
    pub(crate) fn refuses(self, directory: &Path, args: &[&str]) -> ServerEnd {
        Self::refused(&mut self.command(directory, args), Stdio::null())
    }

    /// Runs a command that becomes a server, which must refuse to start.
    pub(crate) fn refused(command: &mut Command, stdin: impl Into<Stdio>) -> ServerEnd {
        let begun = Instant::now();
        let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let status = wait(&mut child, begun);
        let mut out = String::new();
        let mut log = String::new();
        child.stdout.unwrap().read_to_string(&mut out).unwrap();
        child.stderr.unwrap().read_to_string(&mut log).unwrap();
        ServerEnd { status, after: begun.elapsed(), out: out.lines().map(str::to_owned).collect(), log }
    }
}

impl Server {
    pub(crate) fn run(command: &mut Command) -> Self {
        let mut server = Self::run_unread(command);
        let err = server.child.stderr.take().unwrap();
        let (line, logged) = channel();
        server.logged = Some(logged);
        server.log = Some(thread::spawn(move || {
            let mut log = String::new();
            for text in BufReader::new(err).lines() {
                let text = text.unwrap();
                log += &text;
                log.push('\n');
                // The receiver is gone if no test reads the log.
                let _ = line.send(text);
            }
            log
        }));
        server
    }

    /// Starts it without reading its log.
    pub(crate) fn run_unread(command: &mut Command) -> Self {
        let mut child = piped(command.args(["--bind", "127.0.0.1:0"]));
        let out = child.stdout.take().unwrap();
        let (line, lines) = channel();
        thread::spawn(move || {
            for text in BufReader::new(out).lines() {
                if line.send(text.unwrap()).is_err() {
                    break;
                }
            }
        });
        let Ok(first) = lines.recv_timeout(PATIENCE) else {
            let _ = child.kill();
            let mut log = String::new();
            child.stderr.unwrap().read_to_string(&mut log).unwrap();
            panic!("it did not start: {log}");
        };
        let url = first.strip_prefix("listening on ").unwrap().to_owned();
        let address = url.strip_prefix("http://").unwrap();
        let address = address.split('/').next().unwrap().parse().unwrap();
        Self { child, address, url, lines, logged: None, log: None }
    }

    /// Returns its next line of output.
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// Returns the next line of its log that contains this text.
    pub(crate) fn logged(&self, part: &str) -> String {
        let logged = self.logged.as_ref().unwrap();
        loop {
            let line = logged.recv_timeout(PATIENCE).unwrap();
            if line.contains(part) {
                return line;
            }
        }
    }

    pub(crate) fn wire(&self) -> Wire {
        Wire::open(self.address)
    }

    /// Sends a request over a connection of its own, and returns the answer.
    pub(crate) fn answer(&self, sent: &RawRequest) -> Answer {
        sent.over(&mut self.wire())
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Tells it to stop, and waits for the end.
    pub(crate) fn terminate(self) -> ServerEnd {
        let begun = Instant::now();
        self.signal(Signal::TERM);
        self.ended(begun)
    }

    /// Waits for its end.
    pub(crate) fn ended(mut self, begun: Instant) -> ServerEnd {
        let status = wait(&mut self.child, begun);
        let after = begun.elapsed();
        ServerEnd {
            status,
            after,
            log: self.log.take().map_or_else(String::new, |log| log.join().unwrap()),
            out: self.lines.iter().collect(),
        }
    }

    /// Kills it, as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn piped(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait(child: &mut Child, begun: Instant) -> ExitStatus {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
