//! Standbys: a copy that follows a server, makes it wait or is waited for, and takes over.

use std::{
    fs, io,
    process::Command,
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

use crate::Cluster;

/// A synchronous standby is streaming.
const IS_SYNCHRONOUS: &str =
    "EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum'))";
/// A standby is streaming.
const STREAMS: &str = "EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')";

impl Cluster {
    /// Starts a standby that follows this server over its socket. The server is stopped while its files are copied.
    ///
    /// # Errors
    /// The failure of the system or of one of the servers.
    pub fn standby(&mut self) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("care-pg-").tempdir()?;
        self.user.give(directory.path())?;
        let (installation, user, settings) = (self.installation.clone(), self.user, self.settings.clone());
        let mut standby = Self { installation, user, directory, settings, server: None, schemas: AtomicU64::new(0) };
        standby.follow(self)?;
        Ok(standby)
    }

    /// Makes this stopped server a standby of another one, with a copy of its files instead of its own, and at its old
    /// address. The other server is stopped while its files are copied.
    ///
    /// # Errors
    /// The failure of the system or of one of the servers.
    pub fn follow(&mut self, primary: &mut Self) -> io::Result<()> {
        self.kill()?;
        primary.stop()?;
        if self.data().exists() {
            fs::remove_dir_all(self.data())?;
        }
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(primary.data()).arg(self.directory.path());
        if !self.user.run(&mut copy).status()?.success() {
            return Err(io::Error::other("the files of the server cannot be copied"));
        }
        fs::write(self.data().join("standby.signal"), [])?;
        self.settings.retain(|setting| !setting.starts_with("primary_conninfo="));
        self.settings.push(format!("primary_conninfo=host={} user=postgres", primary.socket().display()));
        primary.restart()?;
        self.restart()?;
        primary.until(STREAMS)
    }

    /// Promotes this standby to take over from its server, and waits until it accepts writes. Returns how long that
    /// took.
    ///
    /// # Errors
    /// The failure of the server.
    pub fn promote(&self) -> io::Result<Duration> {
        let begun = Instant::now();
        self.execute("SELECT pg_promote(false)")?;
        self.until("NOT pg_is_in_recovery()")?;
        Ok(begun.elapsed())
    }

    /// Makes commits wait for any one standby, or for none. If they wait, blocks until there is one.
    ///
    /// # Errors
    /// The failure of the server.
    pub fn wait_for_standby(&self, waits: bool) -> io::Result<()> {
        let names = if waits { "*" } else { "" };
        self.execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"))?;
        self.execute("SELECT pg_reload_conf()")?;
        // The process that reads the file is not the one that answers.
        self.until(&format!("current_setting('synchronous_standby_names') = '{names}'"))?;
        match waits {
            true => self.until(IS_SYNCHRONOUS),
            false => Ok(()),
        }
    }
}
