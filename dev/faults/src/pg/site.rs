//! A clinic in PostgreSQL.

use std::{num::NonZero, path::Path, time::Duration};

use care_conformance::Dice;
use care_scratch_postgres::{Cluster, Durability};
use care_store_postgres::PostgresStore;

use crate::{
    Clinic, Context as _, Failure, Front, Inside, Result, Run, Server, Storm, stock,
    work::prove::{Difference, differences, prove_in},
};

/// The pause between a standby's attempts to reach its primary.
const SETTINGS: &[&str] = &["wal_retrieve_retry_interval=50ms"];

/// The database of a primary, which may have a standby, and everything that clients know about it.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) clinic: Clinic,
    pub(crate) primary: Cluster,
    /// The server that follows the primary, or will follow it once it is [back](Self::swap).
    pub(crate) standby: Option<Cluster>,
    /// Whether commits wait for the standby.
    is_synchronous: bool,
    /// The address of the database, whichever server accepts writes.
    pub(crate) address: String,
}

impl Site {
    /// Starts PostgreSQL without a standby.
    pub(crate) fn alone(run: &Run) -> Result<Self> {
        let primary = Cluster::start(run.postgres()?, Durability::Full, SETTINGS)?;
        let address = primary.address("public");
        Ok(Self { clinic: Clinic::through_outages()?, primary, standby: None, is_synchronous: false, address })
    }

    /// Starts PostgreSQL with a standby. `is_synchronous` makes commits wait for it.
    pub(crate) fn pair(run: &Run, is_synchronous: bool) -> Result<Self> {
        let mut site = Self::alone(run)?;
        let standby = site.primary.standby()?;
        site.address = Cluster::address_of(&[&site.primary, &standby], "public");
        site.standby = Some(standby);
        site.is_synchronous = is_synchronous;
        site.primary.wait_for_standby(is_synchronous)?;
        Ok(site)
    }

    /// Starts each of the servers, and fills the inventory.
    pub(crate) fn serve(&self, run: &Run) -> Result<Vec<Server>> {
        let start = |(_, program): &(_, _)| Server::start(program, Path::new(&self.address));
        let servers: Vec<_> = run.programs.iter().map(start).collect::<Result<_, _>>()?;
        stock(&mut servers[0].port())?;
        Ok(servers)
    }

    /// Opens the database at this address in this process, and fills the inventory. Refusals and unknown outcomes come
    /// sooner than with the default options.
    pub(crate) fn open(&self, address: &str) -> Result<Inside> {
        let readers = NonZero::new(4).expect("not zero");
        let hasty = PostgresStore::options().readers(readers).lock_wait(Duration::from_millis(300));
        let mut inside = Inside::over(hasty.patience(Duration::from_secs(2)).open(address)?);
        stock(&mut inside)?;
        Ok(inside)
    }

    /// Returns the standby.
    pub(crate) fn standby(&self) -> Result<&Cluster> {
        there(self.standby.as_ref())
    }

    /// Lets this many clients write until `meanwhile` ends, which is given the database's servers. Returns its result
    /// with the forbidden answers.
    pub(crate) fn beside<T>(
        &mut self,
        front: &(impl Front + ?Sized),
        clients: usize,
        dice: &mut Dice,
        meanwhile: impl FnOnce(&mut Cluster, Option<&mut Cluster>, &Storm) -> Result<T>,
    ) -> Result<(Option<Failure>, T)> {
        let Self { clinic, primary, standby, .. } = self;
        clinic.beside_whatever(front.ports(clients), dice, |storm, _| meanwhile(primary, standby.as_mut(), storm))
    }

    /// Notes that the standby was promoted.
    pub(crate) fn swap(&mut self) {
        if let Some(standby) = &mut self.standby {
            std::mem::swap(&mut self.primary, standby);
        }
    }

    /// Makes the stopped server a standby of the other one.
    pub(crate) fn rejoin(&mut self) -> Result<()> {
        if let Some(standby) = &mut self.standby {
            standby.follow(&mut self.primary)?;
            self.primary.wait_for_standby(self.is_synchronous)?;
        }
        Ok(())
    }

    /// Repeats the writes that were not answered, and checks that the database holds what its clients know.
    pub(crate) fn prove(&mut self, front: &(impl Front + ?Sized)) -> Result<()> {
        self.clinic.repeat_unanswered(&mut *front.client(0))?;
        prove_in(&self.store()?, &self.clinic.asked, usize::MAX)
    }

    /// Returns the marks that contradict what their clients know.
    pub(crate) fn differences(&self) -> Result<Vec<Difference>> {
        differences(&self.store()?, &self.clinic.asked, usize::MAX)
    }

    fn store(&self) -> Result<PostgresStore> {
        // The server that accepts writes, without a proxy in front of it.
        PostgresStore::open(&self.primary.address("public")).map_err(Failure::from).when("not opened")
    }
}

/// Returns the standby, which a part that started a pair relies on.
pub(crate) fn there<T>(standby: Option<T>) -> Result<T> {
    standby.ok_or_else(|| Failure::new("there is no standby"))
}
