//! Setups without PostgreSQL in which two servers share their records.

use std::sync::Arc;

use care_core::store::{CareStore, MemoryStore};
use care_store_sqlite::SqliteStore;

use super::round::{CLIENTS, Tally, play};
use crate::{Failure, Finding, Inside, Place, Port, Run, planted::StaleStore};

/// Plays rounds on two services over one store in memory.
///
/// # Errors
/// No order explains the answers.
pub fn in_memory(run: &Run) -> Result<Vec<Finding>, Failure> {
    let store = Arc::new(MemoryStore::new());
    undisturbed([Inside::over(Arc::clone(&store)), Inside::over(store)], run)
}

/// Plays rounds on two services that share a SQLite file.
pub(crate) fn on_one_file(run: &Run) -> Result<Vec<Finding>, Failure> {
    let place = Place::on_disk()?;
    let open = || SqliteStore::options().shared(true).open(place.database()).map(Inside::over);
    undisturbed([open()?, open()?], run)
}

/// Plays rounds on two services over this store, one of which reads from a copy that follows the journal a few reads
/// late. This is a planted bug, which must be found.
///
/// # Errors
/// No order explains the answers.
pub fn on_late_copy(store: Arc<dyn CareStore>, run: &Run) -> Result<Vec<Finding>, Failure> {
    let stale = Inside::over(StaleStore::new(Arc::clone(&store)));
    undisturbed([Inside::over(store), stale], run)
}

fn undisturbed(services: [Inside; 2], run: &Run) -> Result<Vec<Finding>, Failure> {
    let mut all = Tally::default();
    run.play(|_, dice| {
        all += play(ports(&services), dice, |_| Ok(()))?;
        Ok(())
    })?;
    let mut findings = all.told(run);
    findings[0].bar(all.open == 0, || format!("{} requests stay open", all.open));
    Ok(findings)
}

/// Returns clients that alternate between two services.
pub(super) fn ports(services: &[Inside; 2]) -> Vec<Box<dyn Port>> {
    services.iter().cycle().take(CLIENTS).map(|service| Box::new(service.clone()) as Box<dyn Port>).collect()
}
