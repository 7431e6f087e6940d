//! A server's health: its own probes, and its use of the machine as the system counts it.

use std::{
    fs,
    io::{Read, Write},
    net::SocketAddr,
    time::{Duration, Instant},
};

use super::{
    failure::{Failure, ensure},
    process::Server,
    wire::Wire,
};

/// The step of the system's processor clock.
const STEP: Duration = Duration::from_millis(10);

impl Server {
    /// Returns the processor time of all its threads since it started, in steps of 10 ms.
    pub(crate) fn processor(&self) -> Result<Duration, Failure> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id()))?;
        // The program's name, in parentheses, may contain spaces. These are the 14th and the 15th field.
        let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').skip(11).take(2);
        let steps: Vec<u32> = fields.filter_map(|field| field.parse().ok()).collect();
        ensure(steps.len() == 2, || "its processor time is unknown".to_owned())?;
        Ok(STEP * steps.iter().sum())
    }

    /// Returns its resident memory in bytes.
    pub(crate) fn memory(&self) -> Result<u64, Failure> {
        self.status("VmRSS:")
    }

    /// Returns the peak of its resident memory since the last [reset](Self::forget_peak), in bytes.
    pub(crate) fn peak(&self) -> Result<u64, Failure> {
        self.status("VmHWM:")
    }

    /// Resets the peak of its memory.
    pub(crate) fn forget_peak(&self) -> Result<(), Failure> {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.id()), "5")?)
    }

    /// Returns how many files and connections it has open.
    pub(crate) fn open_files(&self) -> Result<usize, Failure> {
        Ok(fs::read_dir(format!("/proc/{}/fd", self.id()))?.count())
    }

    fn status(&self, name: &str) -> Result<u64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        let found = status.lines().find_map(|line| line.strip_prefix(name)?.strip_suffix("kB")?.trim().parse().ok());
        let kib: u64 = found.ok_or_else(|| Failure::new(format!("its {name} is unknown")))?;
        Ok(kib * 1024)
    }
}

/// Requests a path from the metrics address, and returns the answer's status and how long it took.
pub(crate) fn probe(figures: SocketAddr, path: &str) -> Result<(u16, Duration), Failure> {
    let asked = Instant::now();
    let mut connection = Wire::connected(figures)?.into_inner();
    write!(connection, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| Failure::new(format!("{path} is answered {:?}", answer.lines().next())))?;
    Ok((status, asked.elapsed()))
}
