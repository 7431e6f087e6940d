//! A program as a process.

use std::{
    io::{Error, Result, Write as _},
    net::SocketAddr,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{Lines, PATIENCE, within};

/// A running program. Dropping this kills it.
#[derive(Debug)]
pub struct Program {
    child: Mutex<Child>,
    pid: Pid,
    /// Its standard output.
    pub out: Lines,
    /// Its standard error, which is its log.
    pub log: Lines,
}

/// The end of a program.
#[derive(Debug)]
pub struct ProgramEnd {
    /// Its exit status.
    pub status: ExitStatus,
    /// The time between the request to stop, or the start, and the end.
    pub after: Duration,
    /// The lines of its output that were not asked for before.
    pub out: Vec<String>,
    /// Its whole log.
    pub log: String,
}

impl Program {
    /// Starts a program, and reads what it prints.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(command: &mut Command) -> Result<Self> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| Error::other(format!("{command:?}: {error}")))?;
        let piped = || Error::other("no output");
        let out = Lines::of(child.stdout.take().ok_or_else(piped)?);
        let log = Lines::of(child.stderr.take().ok_or_else(piped)?);
        Ok(Self { pid: Pid::from_child(&child), child: Mutex::new(child), out, log })
    }

    /// Runs a program that ends by itself.
    ///
    /// # Errors
    /// The program cannot be started, or does not end.
    pub fn run(command: &mut Command) -> Result<ProgramEnd> {
        let begun = Instant::now();
        Self::start(command)?.ended(begun)
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its process id.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Writes a line to its standard input, which its command must have piped.
    ///
    /// # Errors
    /// The program does not read.
    pub fn tell(&self, line: &str) -> Result<()> {
        let mut child = self.child();
        let stdin = child.stdin.as_mut().ok_or_else(|| Error::other("its standard input is not piped"))?;
        stdin.write_all(line.as_bytes())
    }

    /// Returns the address of its metrics, which its log names.
    ///
    /// # Errors
    /// The log does not name it.
    pub fn metrics(&self) -> Result<SocketAddr> {
        // The log is written by a thread of its own, so the line may come after the first answer.
        let address = within(PATIENCE, || {
            let log = self.log.text();
            let (_, rest) = log.split_once("metrics at http://")?;
            rest.split('/').next()?.parse().ok()
        });
        address.ok_or_else(|| Error::other("the log names no address of the metrics"))
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        // It may already have ended.
        let _ = kill_process(self.pid, signal);
    }

    /// Kills it, as a power cut would.
    ///
    /// # Errors
    /// The failure of the system.
    pub fn kill(&self) -> Result<()> {
        let mut child = self.child();
        // It may already have ended.
        let _ = child.kill();
        child.wait().map(drop)
    }

    /// Returns whether it has ended.
    ///
    /// # Errors
    /// The failure of the system.
    pub fn has_ended(&self) -> Result<bool> {
        Ok(self.child().try_wait()?.is_some())
    }

    /// Waits for its end, for this time at most.
    ///
    /// # Errors
    /// It does not end.
    pub fn wait(&self, limit: Duration) -> Result<ExitStatus> {
        let ended = within(limit, || self.child().try_wait().transpose());
        ended.unwrap_or_else(|| Err(Error::other("it does not end")))
    }

    /// Waits for its end, which comes some time after this instant.
    ///
    /// # Errors
    /// It does not end.
    pub fn ended(&self, since: Instant) -> Result<ProgramEnd> {
        let status = self.wait(PATIENCE)?;
        let after = since.elapsed();
        self.out.wait();
        self.log.wait();
        Ok(ProgramEnd { status, after, out: self.out.rest(), log: self.log.text() })
    }

    /// Tells it to stop, and waits for its end.
    ///
    /// # Errors
    /// It does not end.
    pub fn terminate(&self) -> Result<ProgramEnd> {
        let told = Instant::now();
        self.signal(Signal::TERM);
        self.ended(told)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
