//! A server as a process.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::channel,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{
    attempt::Port,
    failure::Failure,
    programs::{self, Program},
    wire::Wire,
};

/// Longest time that a server may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two looks into the log.
const PAUSE: Duration = Duration::from_millis(10);

/// A running server. Dropping it kills it.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// The address on which it listens.
    pub address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts a program on this database.
    ///
    /// # Errors
    /// The server's own message, if it did not start.
    pub fn start(program: &Program, database: &Path) -> Result<Self, Failure> {
        Self::run(&mut command(program, database), database)
    }

    /// Runs a command that becomes a server on this database.
    pub(crate) fn run(command: &mut Command, database: &Path) -> Result<Self, Failure> {
        let log = database.with_extension("log");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        let mut child = command.spawn().map_err(|error| Failure::new(format!("{command:?}: {error}")))?;
        let out = child.stdout.take();
        let (tell, told) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(out?).lines();
            for line in lines {
                // All of the output is read, so that the server never waits for its reader.
                let _ = tell.send(line.ok()?);
            }
            Some(())
        });
        let first = told.recv_timeout(PATIENCE).unwrap_or_default();
        let address = first.strip_prefix("listening on http://").and_then(|rest| rest.split('/').next()?.parse().ok());
        match address {
            Some(address) => Ok(Self { child, address, log }),
            None => {
                let _ = child.kill();
                let status = child.wait()?;
                let log = fs::read_to_string(&log).unwrap_or_default();
                Err(Failure::new(format!("did not start ({status}): {first}{log}")))
            }
        }
    }

    /// Returns this many clients, each with a connection of its own.
    pub fn ports(&self, count: usize) -> Vec<Box<dyn Port>> {
        (0..count).map(|_| Box::new(Wire::new(self.address)) as Box<dyn Port>).collect()
    }

    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Failure> {
        kill_process(Pid::from_child(&self.child), signal).map_err(|error| Failure::new(error.to_string()))
    }

    /// Returns whether the server has ended by itself.
    pub(crate) fn has_ended(&mut self) -> Result<bool, Failure> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Returns its metrics address, which its log names.
    pub(crate) fn figures(&self) -> Result<SocketAddr, Failure> {
        // The server writes its log on a thread of its own, so the line may come after the first answer.
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let log = fs::read_to_string(&self.log)?;
            let line = log.split_once("metrics at http://").and_then(|(_, rest)| rest.split_once('/'));
            if let Some((address, _)) = line {
                return address.parse().map_err(|_| Failure::new("the log names no address of the figures"));
            }
            thread::sleep(PAUSE);
        }
        Err(Failure::new("the log names no address of the figures"))
    }

    /// Writes a line to its standard input.
    pub(crate) fn tell(&mut self, line: &str) -> Result<(), Failure> {
        let stdin = self.child.stdin.as_mut().ok_or_else(|| Failure::new("it does not listen"))?;
        Ok(stdin.write_all(line.as_bytes())?)
    }

    /// Returns the root of the file system as the server sees it.
    pub(crate) fn root(&self) -> PathBuf {
        format!("/proc/{}/root", self.child.id()).into()
    }

    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it (SIGKILL).
    pub fn kill(mut self) -> Result<(), Failure> {
        self.kill_in_place()
    }

    /// Kills it where it stands, for another one in its place.
    pub(crate) fn kill_in_place(&mut self) -> Result<(), Failure> {
        // It may already have ended.
        let _ = self.child.kill();
        self.child.wait()?;
        Ok(())
    }

    /// Waits until it has ended, and returns its exit status and its log.
    pub(crate) fn ended(mut self) -> Result<(ExitStatus, String), Failure> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                return Ok((status, fs::read_to_string(&self.log).unwrap_or_default()));
            }
            thread::sleep(Duration::from_millis(2));
        }
        Err(Failure::new("it does not end"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the command that runs a program on a database, on a free port.
pub(crate) fn command(program: &Program, database: &Path) -> Command {
    let mut command = Command::new(&program.path);
    command.env_clear().args(arguments(program, database));
    command
}

pub(crate) fn arguments(program: &Program, database: &Path) -> Vec<std::ffi::OsString> {
    let given = ["--bind", "127.0.0.1:0", "--api-key", "secret", "--database"];
    let all = program.args.iter().map(String::as_str).chain(given);
    all.map(Into::into).chain([database.as_os_str().to_owned()]).collect()
}

/// Runs `care-admin verify`.
///
/// # Errors
/// The error message about the database.
pub(crate) fn verify(database: &Path) -> Result<(), Failure> {
    let output = Command::new(programs::admin()?).args(["verify", "--database"]).arg(database).env_clear().output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Failure::new(String::from_utf8_lossy(&output.stderr).trim())),
    }
}
