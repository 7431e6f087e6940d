//! A process's use of the machine, as the system counts it.

use std::{
    fs,
    io::{Error, Result},
    path::PathBuf,
    time::Duration,
};

use rustix::param::clock_ticks_per_second;

use crate::Program;

impl Program {
    /// Returns a file about the process.
    pub fn proc(&self, file: &str) -> PathBuf {
        format!("/proc/{}/{file}", self.pid()).into()
    }

    /// Returns the processor time of all its threads since it started, in the steps of the system's clock.
    ///
    /// # Errors
    /// The process has ended.
    pub fn processor(&self) -> Result<Duration> {
        processor_time(self.pid().as_raw_nonzero().get().cast_unsigned())
    }

    /// Returns its resident memory in bytes.
    ///
    /// # Errors
    /// The process has ended.
    pub fn memory(&self) -> Result<u64> {
        self.status("VmRSS:")
    }

    /// Returns the peak of its resident memory since the last [reset](Self::forget_peak), in bytes.
    ///
    /// # Errors
    /// The process has ended.
    pub fn peak(&self) -> Result<u64> {
        self.status("VmHWM:")
    }

    /// Resets the peak of its memory.
    ///
    /// # Errors
    /// The process has ended.
    pub fn forget_peak(&self) -> Result<()> {
        fs::write(self.proc("clear_refs"), "5")
    }

    /// Returns the number of files and connections that it has open.
    ///
    /// # Errors
    /// The process has ended.
    pub fn open_files(&self) -> Result<usize> {
        Ok(fs::read_dir(self.proc("fd"))?.count())
    }

    fn status(&self, name: &str) -> Result<u64> {
        let status = fs::read_to_string(self.proc("status"))?;
        let found = status.lines().find_map(|line| line.strip_prefix(name)?.strip_suffix("kB")?.trim().parse().ok());
        let kib: u64 = found.ok_or_else(|| Error::other(format!("{name} is unknown")))?;
        Ok(kib * 1024)
    }
}

/// Returns the processor time that a process and its ended children have used.
///
/// # Errors
/// The process has ended.
pub fn processor_time(process: u32) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name at the front may contain any character. The times are the 14th field to the 17th.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().skip(11).take(4);
    let ticks: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    match ticks.len() {
        4 => Ok(Duration::from_secs_f64(ticks.iter().sum::<u64>() as f64 / clock_ticks_per_second() as f64)),
        _ => Err(Error::other("its processor time is unknown")),
    }
}
