//! The processes of a server: signals to them, and their sudden end.

use std::{fs, io};

use care_testkit::{PATIENCE, until};
use rustix::process::{Pid, Signal, kill_process};

use crate::Cluster;

impl Cluster {
    /// Sends a signal to the server, but not to its child processes.
    pub fn signal(&self, signal: Signal) {
        if let Some(server) = &self.server {
            // It may already have ended.
            let _ = kill_process(Pid::from_child(server), signal);
        }
    }

    /// Returns the ids of the server and of all processes that it has started.
    pub fn processes(&self) -> Vec<u32> {
        let server = self.server.as_ref().map(Pid::from_child);
        let all = server.into_iter().flat_map(|server| children(server).into_iter().chain([server]));
        all.map(|process| process.as_raw_nonzero().get().cast_unsigned()).collect()
    }

    /// Freezes the server and all processes that it has started.
    pub fn stand_still(&self) {
        self.signal_all(Signal::STOP);
    }

    /// Makes them continue.
    pub fn go_on(&self) {
        self.signal_all(Signal::CONT);
    }

    fn signal_all(&self, signal: Signal) {
        self.signal(signal);
        for child in self.server.iter().flat_map(|server| children(Pid::from_child(server))) {
            // It may already have ended.
            let _ = kill_process(child, signal);
        }
    }

    /// Kills the server and all processes that it has started, as a loss of power would.
    ///
    /// # Errors
    /// The failure of the system.
    pub fn kill(&mut self) -> io::Result<()> {
        let Some(mut server) = self.server.take() else {
            return Ok(());
        };
        let parent = Pid::from_child(&server);
        // It is stopped first, so that it starts no other process while its children are looked up.
        let _ = kill_process(parent, Signal::STOP);
        let children = children(parent);
        for child in &children {
            // It may already have ended.
            let _ = kill_process(*child, Signal::KILL);
        }
        server.kill()?;
        server.wait()?;
        // The next server refuses to start while one of them still holds the shared memory.
        if !until(PATIENCE, || children.iter().all(|child| has_ended(*child))) {
            return Err(io::Error::other("a killed process of PostgreSQL does not end"));
        }
        // A killed server leaves this file behind, and would seem to be running still.
        match fs::remove_file(self.data().join("postmaster.pid")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Returns the processes that a process has started.
fn children(parent: Pid) -> Vec<Pid> {
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = listed.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let parent = parent.as_raw_nonzero().to_string();
    let is_child = |process: &Pid| field(*process, 1).is_some_and(|of| of == parent);
    numbers.filter_map(Pid::from_raw).filter(is_child).collect()
}

/// Returns whether a process is gone, or is a zombie whose parent has not collected it.
fn has_ended(process: Pid) -> bool {
    field(process, 0).is_none_or(|state| matches!(state.as_str(), "Z" | "X"))
}

/// Returns a field of a process's `stat` file by its place after the name: its state, its parent, and so on.
fn field(process: Pid, place: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    // The name may contain anything; it ends at the last parenthesis.
    stat.rsplit(") ").next()?.split(' ').nth(place).map(str::to_owned)
}
