//! Published examples, plans and back-tests.

mod examples;
mod plans;

use crate::model::{Amount, Date, MedicineName, StockDay, StockSettings, UnitName};

fn date(day: i64) -> Date {
    Date::from_unix_days(day).unwrap()
}

fn settings() -> StockSettings {
    StockSettings::new(UnitName::new("tablets").unwrap())
}

fn medicine() -> MedicineName {
    MedicineName::new("Ibuprofen 400").unwrap()
}

/// Returns the counts of a shelf whose lots never expire, from the arrivals and the units handed out on each day, from
/// day 1 on.
fn counts(days: &[(i64, u64)]) -> Vec<StockDay> {
    let mut on_hand = 0;
    let moved = days.iter().zip(1..).filter(|((came, out), _)| *came != 0 || *out > 0);
    let count = |(&(came, out), day)| {
        on_hand += came - i64::try_from(out).unwrap();
        let there = Amount::try_from(on_hand).unwrap();
        StockDay {
            receipts: i64::from(came > 0),
            received: came,
            dispensed: out,
            on_hand: there,
            usable: there,
            usable_until: (on_hand > 0).then_some(Date::MAX),
            ..StockDay::new(medicine(), date(day))
        }
    };
    moved.map(count).collect()
}
