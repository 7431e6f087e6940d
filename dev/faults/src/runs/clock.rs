//! A clock that jumps forwards and back.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use care_conformance::Dice;
use care_core::{model::Timestamp, service::CareService};
use care_store_sqlite::SqliteStore;

use crate::{Clinic, Failure, Finding, Inside, NOTHING, Run, stock};

/// 2026-03-15T23:30:00Z in milliseconds since 1970, so that half of the jumps cross midnight.
const EVENING: i64 = 1_773_617_400_000;
/// An hour in milliseconds.
const HOUR: u64 = 3_600_000;

/// Lets clients write under a clock that jumps by up to an hour, forwards or back, each time that the service reads it.
pub(crate) fn jump(run: &Run) -> Result<Vec<Finding>, Failure> {
    let mut acknowledged = 0;
    run.play(|_, dice| {
        let mut clinic = Clinic::new()?;
        let looks = AtomicU64::new(dice.roll(u64::MAX / 2));
        let care = CareService::new(SqliteStore::open(clinic.database())?).with_clock(move || {
            let away = Dice::new(looks.fetch_add(1, Ordering::Relaxed)).roll(2 * HOUR);
            let now = Timestamp::from_unix_millis(EVENING - HOUR.cast_signed() + away.cast_signed());
            now.expect("an instant within the years 1900 to 9999")
        });
        let inside = Inside::of(care);
        stock(&mut inside.clone())?;
        clinic.write_for(Duration::from_millis(200), inside.ports(8), dice)?;
        drop(inside);
        clinic.prove()?;
        acknowledged += clinic.storm.acknowledged();
        Ok(())
    })?;
    Ok(vec![Finding::new(format!("{} storms; {acknowledged} writes acknowledged", run.rounds)).found(NOTHING)])
}
