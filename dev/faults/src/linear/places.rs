//! Setups without PostgreSQL in which two servers share their records.

use std::sync::Arc;

use care_conformance::Dice;
use care_core::store::{CareStore, MemoryStore};
use care_store_sqlite::SqliteStore;

use super::round::{CLIENTS, Tally, play};
use crate::{
    base::{attempt::Port, failure::Failure, inside::Inside},
    planted::StaleStore,
};

/// Plays rounds on two services over one store in memory.
///
/// # Errors
/// No order explains the answers.
pub fn in_memory(rounds: u64, seed: u64) -> Result<Tally, Failure> {
    let store = Arc::new(MemoryStore::new());
    undisturbed([Inside::over(Arc::clone(&store)), Inside::over(store)], rounds, seed)
}

/// Plays rounds on two services that share a SQLite file.
///
/// # Errors
/// No order explains the answers, or the file cannot be opened.
pub fn on_one_file(rounds: u64, seed: u64) -> Result<Tally, Failure> {
    let folder = tempfile::tempdir()?;
    let open = || {
        let opened = SqliteStore::options().shared(true).open(folder.path().join("care.db"));
        opened.map(Inside::over).map_err(|error| Failure::new(error.to_string()))
    };
    undisturbed([open()?, open()?], rounds, seed)
}

/// Plays rounds on two services over this store, one of which reads from a copy that follows the journal a few reads
/// late. This is a planted bug, which must be found.
///
/// # Errors
/// No order explains the answers.
pub fn on_late_copy(store: Arc<dyn CareStore>, rounds: u64, seed: u64) -> Result<Tally, Failure> {
    let stale = Inside::over(StaleStore::new(Arc::clone(&store)));
    undisturbed([Inside::over(store), stale], rounds, seed)
}

fn undisturbed(services: [Inside; 2], rounds: u64, seed: u64) -> Result<Tally, Failure> {
    let mut dice = Dice::new(seed);
    let mut all = Tally::default();
    for _ in 0..rounds {
        all += play(ports(&services), &mut dice, |_| Ok(()))?;
    }
    Ok(all)
}

/// Returns clients that alternate between two services.
pub(crate) fn ports(services: &[Inside; 2]) -> Vec<Box<dyn Port>> {
    services.iter().cycle().take(CLIENTS).map(|service| Box::new(service.clone()) as Box<dyn Port>).collect()
}
