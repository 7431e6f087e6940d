//! Servers as processes of their own.

use std::{
    env,
    ffi::OsStr,
    fmt, fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    param::clock_ticks_per_second,
    process::{Pid, Signal, kill_process},
};

use crate::{Failure, base::framework::Framework, baseline::Handler, load::KEY};

/// The longest time in which a server must end.
const PATIENCE: Duration = Duration::from_secs(15);

/// Processes that work for the clients.
pub(crate) trait Busy: fmt::Debug {
    /// Returns the processor time that they have used, in seconds.
    ///
    /// # Errors
    /// When the system does not report it.
    fn cpu(&self) -> Result<f64, Failure>;
}

/// A running server. Dropping this stops it.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts the service's own server on a database, by its path or its address.
    pub(crate) fn care(framework: Framework, database: impl AsRef<OsStr>) -> Result<Self, Failure> {
        Self::care_with(framework, database, &[])
    }

    /// Starts the service's own server with options.
    pub(crate) fn care_with(
        framework: Framework,
        database: impl AsRef<OsStr>,
        options: &[&str],
    ) -> Result<Self, Failure> {
        let mut command = Command::new(env::current_exe()?);
        command.arg0(format!("{}-server", framework.word())).args(["--bind", "127.0.0.1:0", "--api-key", KEY]);
        command.arg("--database").arg(database.as_ref()).args(options);
        Self::start(&mut command)
    }

    /// Starts a hand-written server.
    pub(crate) fn other(framework: Framework, handler: Handler, database: impl AsRef<OsStr>) -> Result<Self, Failure> {
        let mut command = Command::new(env::current_exe()?);
        command.args(["serve", framework.word(), handler.word()]).arg(database.as_ref());
        Self::start(&mut command)
    }

    fn start(command: &mut Command) -> Result<Self, Failure> {
        // The other servers write no log, so this one writes only errors.
        command.env("RUST_LOG", "error").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let address = line.trim().strip_prefix("listening on http://").and_then(|url| url.split('/').next());
        match address.map(str::parse) {
            Some(Ok(address)) => Ok(Self { child, address }),
            _ => {
                child.wait()?;
                Err(format!("a server did not start: {command:?}").into())
            }
        }
    }

    /// Returns its current memory in MiB.
    pub(crate) fn memory(&self) -> Result<f64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no size of the process")?;
        let kibibytes = line.trim().trim_end_matches("kB").trim().parse::<f64>()?;
        Ok(kibibytes / 1024.0)
    }
}

impl Busy for Server {
    fn cpu(&self) -> Result<f64, Failure> {
        cpu_of(self.child.id())
    }
}

impl Busy for Vec<Server> {
    fn cpu(&self) -> Result<f64, Failure> {
        self.iter().map(Busy::cpu).sum()
    }
}

/// Returns the processor time in seconds that a process and its ended children have used.
pub(crate) fn cpu_of(process: u32) -> Result<f64, Failure> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name at the front may contain any character. The times start with the 14th field.
    let (_, fields) = stat.rsplit_once(')').ok_or("no state of the process")?;
    let ticks: Result<Vec<f64>, _> = fields.split_whitespace().skip(11).take(4).map(str::parse).collect();
    Ok(ticks?.iter().sum::<f64>() / clock_ticks_per_second() as f64)
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let _ = id.map(|id| kill_process(id, Signal::TERM));
        let told = Instant::now();
        while told.elapsed() < PATIENCE {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                _ => return,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
