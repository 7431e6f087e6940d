//! Reports with plans, and back-tests.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use care_conformance::Dice;
use care_core::{
    model::{PatientDetails, PatientId, StockDetails, Timestamp},
    service::{BacktestPeriod, CareService, NewPrescription, RestockPeriod, RestockReport},
    store::MemoryStore,
};
use futures_executor::block_on;

use super::{PLENTY, Shelf, shelf};
use crate::{Failure, Setting, Table, compare::database, figure, median, microseconds};

/// The milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;

/// Measures a report with 300 plans over 180 days, and a back-test of a year.
pub(super) fn measure(setting: &Setting, table: &mut Table) -> Result<(), Failure> {
    let (medicines, days) = if setting.quick { (5, 40) } else { (300, 180) };
    let (clock, year) = (Arc::new(AtomicI64::new(20_000 * DAY)), if setting.quick { 60 } else { 366 });
    let read = Arc::clone(&clock);
    let now = move || Timestamp::from_unix_millis(read.load(Ordering::Relaxed)).expect("a day of the benchmark");
    let draft = CareService::new(MemoryStore::new()).with_clock(now.clone());
    let mut shelves = Vec::new();
    for number in 0..medicines {
        let patient = block_on(draft.register_patient(PatientDetails::default()))?.patient_id;
        shelves.push((patient, shelf(&draft, &format!("medicine {number}"), Some(PLENTY), false)?));
    }
    let mut dice = Dice::new(7);
    for day in 0..year {
        clock.store((20_000 + day) * DAY, Ordering::Relaxed);
        // The first medicine has a whole year, the others half of it.
        let sold = if day + days >= year { shelves.len() } else { 1 };
        for (patient, shelf) in &shelves[..sold] {
            sell(&draft, *patient, shelf, 1 + dice.roll(30).cast_signed())?;
        }
    }
    clock.store((20_000 + year) * DAY, Ordering::Relaxed);
    let care = CareService::new(database(setting, "plans.db", &draft)?).with_clock(now);
    drop(draft);
    let today = care.today()?;
    let (mut reports, mut played) = (Vec::new(), Vec::new());
    let time = setting.time() / 5;
    let first = shelves[0].1.name.key().clone();
    for _ in 0..setting.rounds {
        reports.push(milliseconds(time, || {
            let period = RestockPeriod::new(None, None, today)?;
            let report = block_on(care.restock(period, RestockReport::MAX_ITEMS))?;
            let planned = report.items.iter().filter(|item| item.plan.is_some()).count();
            if planned == shelves.len() { Ok(()) } else { Err(format!("{planned} plans").into()) }
        })?);
        played.push(milliseconds(time, || {
            let period = BacktestPeriod::new(None, None, today)?;
            let played = block_on(care.backtest(first.clone(), period, StockDetails::default()))?;
            if played.rows[0].demand > 0 { Ok(()) } else { Err("a year without demand".into()) }
        })?);
    }
    table.row([&format!("`GET /restock`, {medicines} plans over {days} days"), &figure(median(reports)), "20"]);
    table.row(["`GET /restock/backtest` of a year", &figure(median(played)), "5"]);
    Ok(())
}

pub(super) fn milliseconds(time: Duration, run: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    Ok(microseconds(time, run)? / 1000.0)
}

/// Prescribes a medicine, and dispenses it against its invoice.
fn sell(care: &CareService, patient: PatientId, shelf: &Shelf, quantity: i64) -> Result<(), Failure> {
    let new = NewPrescription { quantity: quantity.try_into().ok(), ..NewPrescription::of(shelf.name.clone()) };
    let prescription = block_on(care.prescribe(patient, new))?.prescription.prescription_id;
    let invoice = block_on(care.issue_invoice(prescription))?.invoice.invoice_id;
    block_on(care.pay_invoice(invoice))?;
    Ok(())
}
