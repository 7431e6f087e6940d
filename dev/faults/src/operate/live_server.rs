//! A server that clients write to while an operator works on its database.

use std::{path::Path, time::Duration};

use care_conformance::Dice;

use super::place::Place;
use crate::{
    base::{attempt::Attempt, failure::Failure, process::Server, programs::Program, wire::Wire},
    work::{
        clinic::{stock, wait},
        prove::prove,
        storm::Storm,
    },
};

/// The database's file name.
pub(crate) const DATABASE: &str = "care.db";

/// A server on the database `care.db` of a directory, and what its clients know.
#[derive(Debug)]
pub(crate) struct LiveServer {
    pub(crate) place: Place,
    pub(crate) server: Server,
    pub(crate) storm: Storm,
    /// The writes of all storms so far.
    pub(crate) asked: Vec<Attempt>,
}

impl LiveServer {
    /// Starts a server in a directory, and fills its inventory. The clients number their patients from `first`.
    ///
    /// # Errors
    /// It does not start.
    pub(crate) fn open(place: Place, program: &Program, first: u64) -> Result<Self, Failure> {
        let server = Server::start(program, &place.path(DATABASE))?;
        stock(&mut Wire::new(server.address))?;
        Ok(Self { place, server, storm: Storm::starting_at(first), asked: Vec::new() })
    }

    /// Lets this many clients write, and runs the work some time after their first write. The clients stop when the
    /// work ends. `position` says how far the work has got, for [`Attempt::position`].
    ///
    /// # Errors
    /// An answer that no client may get, or the failure of the work.
    pub(crate) fn beside<T>(
        &mut self,
        clients: usize,
        begins: Duration,
        dice: &mut Dice,
        position: impl Fn() -> usize + Sync,
        work: impl FnOnce(&Place, &Server, &Storm) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Self { place, server, storm, asked } = self;
        let (account, done) = storm.run_clients(server.ports(clients), dice, position, || {
            wait(storm, storm.acknowledged(), begins, || false);
            let done = work(place, server, storm);
            storm.end();
            done
        });
        asked.extend(account.asked);
        account.failure.map_or(Ok(()), Err)?;
        done
    }

    /// Kills the server, checks its database, and returns the directory and how many writes were acknowledged.
    ///
    /// # Errors
    /// The writes that are lost, half done or done twice.
    pub(crate) fn close(self) -> Result<(Place, u64), Failure> {
        let Self { place, server, storm, asked } = self;
        server.kill()?;
        proven(&place, DATABASE, &asked)?;
        Ok((place, storm.acknowledged()))
    }
}

/// Checks with `care-admin verify` and the journal that a database in the directory holds what its clients know.
pub(crate) fn proven(place: &Place, database: impl AsRef<Path>, asked: &[Attempt]) -> Result<(), Failure> {
    let path = place.folder().join(database);
    crate::base::process::verify(&path)?;
    prove(&path, asked, usize::MAX)
}
