//! Setups without PostgreSQL in which two servers share their records.

use care_store_sqlite::SqliteStore;

use super::round::{Tally, play};
use crate::{Finding, Inside, Place, Result, Run};

/// Plays rounds on two services that share a SQLite file.
pub(crate) fn on_one_file(run: &Run) -> Result<Vec<Finding>> {
    let place = Place::on_disk()?;
    let open = || SqliteStore::options().shared(true).open(place.database()).map(Inside::over);
    undisturbed([open()?, open()?], run)
}

fn undisturbed(services: [Inside; 2], run: &Run) -> Result<Vec<Finding>> {
    let mut all = Tally::default();
    run.play(|_, dice| {
        all += play(&services, dice, |_| Ok(()))?;
        Ok(())
    })?;
    let mut findings = all.told(run);
    findings[0].bar(all.open == 0, || format!("{} requests stay open", all.open));
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, atomic::AtomicU64};

    use care_core::store::MemoryStore;
    use care_testkit::Wrap;

    use super::{super::stale::Stale, *};
    use crate::abuse::Sizes;

    /// Returns rounds that need no program.
    fn run(seed: u64) -> Run {
        Run { rounds: 5, seed, programs: Vec::new(), sizes: Sizes::new(true), postgres: None }
    }

    #[test]
    fn one_order_explains_two_services_over_one_store() {
        let store = Arc::new(MemoryStore::new());
        let findings = undisturbed([Inside::over(Arc::clone(&store)), Inside::over(store)], &run(1));
        findings.unwrap().into_iter().for_each(|finding| drop(finding.hold().unwrap()));
    }

    /// Tests with a service that reads from a copy, which follows the journal a few reads late.
    #[test]
    fn a_stale_read_is_found() {
        let store = Arc::new(MemoryStore::new());
        let stale = Stale { store: Arc::clone(&store), copy: MemoryStore::new(), reads: AtomicU64::new(0) };
        let services = [Inside::over(store), Inside::over(Wrap(stale))];
        let failure = undisturbed(services, &run(3)).unwrap_err();
        assert!(failure.to_string().contains("no order explains these answers"), "{failure}");
    }
}
