//! The processes of a server: signals to them, and their sudden end.

use std::{fs, io};

use rustix::process::{Pid, Signal, kill_process};

use crate::Cluster;

impl Cluster {
    /// Sends the server a signal, and none to the processes that it has started.
    pub fn signal(&self, signal: Signal) {
        if let Some(server) = &self.server {
            // It may have ended by itself.
            let _ = kill_process(Pid::from_child(server), signal);
        }
    }

    /// Returns the identifiers of the server and of all that it has started.
    pub fn processes(&self) -> Vec<u32> {
        let server = self.server.as_ref().map(Pid::from_child);
        let all = server.into_iter().flat_map(|server| children(server).into_iter().chain([server]));
        all.map(|process| process.as_raw_nonzero().get().cast_unsigned()).collect()
    }

    /// Lets the server and all that it has started stand still.
    pub fn stand_still(&self) {
        self.signal_all(Signal::STOP);
    }

    /// Lets them go on.
    pub fn go_on(&self) {
        self.signal_all(Signal::CONT);
    }

    fn signal_all(&self, signal: Signal) {
        self.signal(signal);
        for child in self.server.iter().flat_map(|server| children(Pid::from_child(server))) {
            // It may have ended by itself.
            let _ = kill_process(child, signal);
        }
    }

    /// Kills the server and all that it has started, as a loss of power would end them.
    ///
    /// # Errors
    /// The failure of the system.
    pub fn kill(&mut self) -> io::Result<()> {
        let Some(mut server) = self.server.take() else {
            return Ok(());
        };
        let parent = Pid::from_child(&server);
        // Stopped first, so that it starts no other while its children are looked for.
        let _ = kill_process(parent, Signal::STOP);
        for child in children(parent) {
            // It may have ended by itself.
            let _ = kill_process(child, Signal::KILL);
        }
        server.kill()?;
        server.wait()?;
        // A killed server leaves it behind, and would be taken for one that still runs.
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
    let is_child = |number: &i32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // The name, which may hold anything, ends with the last parenthesis; its state and its parent follow.
        let rest = stat.rsplit(") ").next().unwrap_or_default();
        rest.split(' ').nth(1) == Some(parent.as_raw_nonzero().to_string().as_str())
    };
    numbers.filter(is_child).filter_map(Pid::from_raw).collect()
}
