//! A clock that jumps forwards and back.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use care_conformance::Dice;
use care_core::{model::Timestamp, service::CareService};
use care_store_sqlite::SqliteStore;

use super::kill::Kills;
use crate::{
    base::{failure::Failure, inside::Inside},
    work::{clinic::Clinic, prove::prove},
};

/// 2026-03-15T23:30:00Z in milliseconds since 1970, so that half of the jumps cross midnight.
const EVENING: i64 = 1_773_617_400_000;
/// An hour in milliseconds.
const HOUR: u64 = 3_600_000;

/// Lets clients write under a clock that jumps by up to an hour, forwards or back, each time that the service reads it.
///
/// # Errors
/// The writes that are lost, half done or done twice, with the round.
pub fn jump(rounds: u64, seed: u64) -> Result<Kills, Failure> {
    let mut kills = Kills::default();
    for round in 0..rounds {
        let mut dice = Dice::new(seed + round);
        let mut clinic = Clinic::new()?;
        let store = SqliteStore::open(clinic.database()).map_err(|error| Failure::new(error.to_string()))?;
        let looks = AtomicU64::new(dice.roll(u64::MAX / 2));
        let care = CareService::new(store).with_clock(move || {
            let away = Dice::new(looks.fetch_add(1, Ordering::Relaxed)).roll(2 * HOUR);
            let now = Timestamp::from_unix_millis(EVENING - HOUR.cast_signed() + away.cast_signed());
            now.expect("an instant within the years 1900 to 9999")
        });
        let inside = Inside::of(care);
        clinic.stock(&mut inside.clone())?;
        clinic.write_for(Duration::from_millis(200), inside.ports(8), &mut dice)?;
        drop(inside);
        let circumstances = format!("seed {seed}, round {round}");
        prove(&clinic.database(), &clinic.asked, usize::MAX).map_err(|failure| failure.when(circumstances))?;
        kills.rounds += 1;
        kills.acknowledged += clinic.storm.acknowledged();
    }
    Ok(kills)
}
