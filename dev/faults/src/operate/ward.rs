//! A server whose clients write to it while an operator works on its database.

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

/// The database of every ward.
pub(crate) const DATABASE: &str = "care.db";

/// A server on the database `care.db` of a folder, and what its clients know.
#[derive(Debug)]
pub(crate) struct Ward {
    pub(crate) place: Place,
    pub(crate) server: Server,
    pub(crate) storm: Storm,
    /// The writes of all storms so far.
    pub(crate) asked: Vec<Attempt>,
}

impl Ward {
    /// Starts a server in a folder and fills its inventory. The clients number their patients from `first`.
    ///
    /// # Errors
    /// It does not start.
    pub(crate) fn open(place: Place, program: &Program, first: u64) -> Result<Self, Failure> {
        let server = Server::start(program, &place.path(DATABASE))?;
        stock(&mut Wire::new(server.address))?;
        Ok(Self { place, server, storm: Storm::starting_at(first), asked: Vec::new() })
    }

    /// Lets this number of clients write, and some time after their first write does the work. The clients stop when
    /// the work ends. `position` says how far the work has come, for [`Attempt::position`].
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
        let (account, done) = storm.rage(server.ports(clients), dice, position, || {
            wait(storm, storm.acknowledged(), begins, || false);
            let done = work(place, server, storm);
            storm.end();
            done
        });
        asked.extend(account.asked);
        account.failure.map_or(Ok(()), Err)?;
        done
    }

    /// Kills the server, proves its database, and returns the folder and how many writes were acknowledged.
    ///
    /// # Errors
    /// The writes that are lost, half there or there twice.
    pub(crate) fn close(self) -> Result<(Place, u64), Failure> {
        let Self { place, server, storm, asked } = self;
        server.kill()?;
        proven(&place, DATABASE, &asked)?;
        Ok((place, storm.acknowledged()))
    }
}

/// Proves by `care-admin verify` and by the journal that a database of the folder holds what its clients know.
pub(crate) fn proven(place: &Place, database: impl AsRef<Path>, asked: &[Attempt]) -> Result<(), Failure> {
    let path = place.folder().join(database);
    crate::base::process::verify(&path)?;
    prove(&path, asked, usize::MAX)
}
