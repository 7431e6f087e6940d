//! A server as a process.

use std::{
    io::{Error, Result},
    net::SocketAddr,
    ops::Deref,
    process::Command,
};

use crate::{Answer, Program, RawRequest, Wire};

/// A running server. Dropping this kills it.
#[derive(Debug)]
pub struct Server {
    program: Program,
    /// The address on which it listens.
    pub address: SocketAddr,
    /// The same as the server prints it, with the base path.
    pub url: String,
}

impl Server {
    /// Starts a server, which prints where it listens.
    ///
    /// # Errors
    /// The server's own message, if it did not start.
    pub fn start(command: &mut Command) -> Result<Self> {
        let program = Program::start(command)?;
        let line = program.out.next_with("listening on ");
        let url = line.as_ref().and_then(|line| Some(line.split_once("listening on ")?.1));
        let address = url.and_then(|url| url.strip_prefix("http://")?.split('/').next()?.parse().ok());
        match (url, address) {
            (Some(url), Some(address)) => Ok(Self { program, address, url: url.to_owned() }),
            _ => {
                program.kill()?;
                program.log.wait();
                Err(Error::other(format!("did not start: {}{}", program.out.text(), program.log.text())))
            }
        }
    }

    /// Opens a connection.
    pub fn wire(&self) -> Wire {
        Wire::open(self.address)
    }

    /// Sends a request over a connection of its own, and returns the answer.
    pub fn answer(&self, sent: &RawRequest) -> Answer {
        sent.over(&mut self.wire())
    }
}

impl Deref for Server {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}
