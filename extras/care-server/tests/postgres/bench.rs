//! Servers on a schema of their own.

use std::{net::SocketAddr, path::Path};

use care_testkit::{Answer, RawRequest, Server, Wire, sent};
use tempfile::TempDir;

use crate::process::Bin;

/// A database in PostgreSQL, and a directory to run programs in.
pub(crate) struct Bench {
    pub(crate) database: String,
    directory: TempDir,
}

/// A server with its metrics address.
pub(crate) struct Watched {
    pub(crate) server: Server,
    figures: SocketAddr,
}

impl Bench {
    pub(crate) fn on(database: String) -> Self {
        Self { database, directory: TempDir::new().unwrap() }
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Starts a server of this framework.
    pub(crate) fn start(&self, bin: Bin) -> Watched {
        let server = bin.start(self.directory(), &["--database", &self.database, "--metrics", "127.0.0.1:0"]);
        Watched { figures: server.metrics().unwrap(), server }
    }

    /// Starts a server of each framework.
    pub(crate) fn both(&self) -> [Watched; 2] {
        [Bin::POEM, Bin::ROCKET].map(|bin| self.start(bin))
    }

    /// Returns the log of a server that must refuse these options.
    pub(crate) fn refused(&self, bin: Bin, more: &[&str]) -> String {
        let ended = bin.refuses(self.directory(), &[&["--database", &self.database], more].concat());
        assert!(!ended.status.success() && ended.out.is_empty(), "{ended:?}");
        ended.log
    }
}

impl Watched {
    pub(crate) fn answer(&self, request: &RawRequest) -> Answer {
        self.server.answer(request)
    }

    /// Returns the status that a probe gets.
    pub(crate) fn probe(&self, path: &str) -> u16 {
        self.watched(path).status
    }

    /// Returns an answer from the metrics address.
    pub(crate) fn watched(&self, path: &str) -> Answer {
        sent("GET", path).without_key().over(&mut Wire::open(self.figures))
    }
}
