//! Reports of a year: plans, back-tests and takings.

use std::time::Duration;

use care_conformance::Dice;
use care_core::{
    model::{Date, Patch, PatientId, PrescriptionDetails, StockDetails},
    service::{BacktestPeriod, CareService, NewPrescription, RestockPeriod, RestockReport, TakingsPeriod},
};
use futures_executor::block_on;
use futures_util::TryStreamExt as _;

use super::{PLENTY, bill, patient, shelf};
use crate::{
    Failure, Setting, Table,
    clinic::{FIRST_DAY, Year},
    figure, median, microseconds,
};

/// Measures a report with 300 plans over 180 days, and a back-test of a year.
pub(super) fn plans(setting: &Setting, table: &mut Table) -> Result<(), Failure> {
    let (medicines, days) = if setting.quick { (5, 40) } else { (300, 180) };
    let days_of_year = if setting.quick { 60 } else { 366 };
    let year = Year::new();
    let mut shelves = Vec::new();
    for number in 0..medicines {
        shelves.push((patient(&year.care)?, shelf(&year.care, &format!("medicine {number}"), Some(PLENTY))?));
    }
    let mut dice = Dice::new(7);
    for day in 0..days_of_year {
        year.go_to(day);
        // The first medicine has a whole year, the others half of it.
        let sold = if day + days >= days_of_year { shelves.len() } else { 1 };
        for (patient, medicine) in &shelves[..sold] {
            let quantity = (1 + dice.roll(30).cast_signed()).try_into().ok();
            sell(&year.care, *patient, NewPrescription { quantity, ..NewPrescription::of(medicine.clone()) })?;
        }
    }
    year.go_to(days_of_year);
    let care = year.kept(setting, "plans.db")?;
    let today = care.today()?;
    let (mut reports, mut played) = (Vec::new(), Vec::new());
    let time = setting.time() / 5;
    let first = shelves[0].1.key().clone();
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

/// Measures a report on a year in which each holder was paid each day.
pub(super) fn takings(setting: &Setting, table: &mut Table) -> Result<(), Failure> {
    let (holders, days) = if setting.quick { (3, 5) } else { (20, 366) };
    let year = Year::new();
    let (medicine, patient) = (shelf(&year.care, "Sampleol 250", None)?, patient(&year.care)?);
    for day in 0..days {
        year.go_to(day);
        for holder in 0..holders {
            let details = PrescriptionDetails { price: Patch::Set(10.try_into()?), ..PrescriptionDetails::default() };
            let new = NewPrescription { details, ..NewPrescription::of(medicine.clone()) };
            sell(&year.care.acting_as(format!("holder {holder}")), patient, new)?;
        }
    }
    let care = year.kept(setting, "takings.db")?;
    let today = care.today()?;
    let mut found = Vec::new();
    for _ in 0..setting.rounds {
        found.push(milliseconds(setting.time() / 5, || {
            let period = TakingsPeriod::new(Some(Date::from_unix_days(FIRST_DAY)?), None, today)?;
            let items = block_on(care.takings(period, None).try_fold(0, async |items, _| Ok(items + 1)))?;
            if items == holders * days { Ok(()) } else { Err(format!("{items} items").into()) }
        })?);
    }
    table.row([&format!("`GET /takings`, {holders} holders over {days} days"), &figure(median(found)), "20"]);
    Ok(())
}

fn milliseconds(time: Duration, run: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    Ok(microseconds(time, run)? / 1000.0)
}

/// Prescribes a medicine, and dispenses it against its invoice.
fn sell(care: &CareService, patient: PatientId, new: NewPrescription) -> Result<(), Failure> {
    block_on(care.pay_invoice(bill(care, patient, new)?))?;
    Ok(())
}
