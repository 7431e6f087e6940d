//! The cost of stock in units: tracked medicines compared with untracked ones, and reports of a year.

mod reports;
mod sockets;

use care_core::{
    model::{ItemDetails, LotId, MedicineName, Patch, Policy, StockDetails, UnitName},
    service::{CareService, OpeningLot},
};
use futures_executor::block_on;

use crate::{Failure, Report, Setting, Table, compare::Versus};

/// The clients that write at once.
const CLIENTS: usize = 64;
/// More units than any measurement dispenses.
const PLENTY: i64 = 100_000_000;

/// Measures payments and reads of tracked medicines beside untracked ones, then reports with plans and on takings.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let mut table = Table::new(Versus::HEAD);
    sockets::measure(setting, &mut table)?;
    report.add(&format!("Tracked medicines beside untracked ones, {CLIENTS} clients"), &table);
    let mut table = Table::new(["work, ms", "found", "at most"]);
    reports::plans(setting, &mut table)?;
    reports::takings(setting, &mut table)?;
    report.add("Reports of a year", &table);
    Ok(())
}

/// Adds a medicine, which is tracked if it has units.
fn shelf(care: &CareService, name: &str, units: Option<i64>) -> Result<MedicineName, Failure> {
    let name = MedicineName::new(name)?;
    block_on(care.add_item(name.clone(), ItemDetails::default()))?;
    if let Some(units) = units {
        let details = StockDetails { policy: Patch::Set(Policy::Service), ..StockDetails::default() };
        let opening = vec![OpeningLot { lot: LotId::default(), units: units.try_into()? }];
        block_on(care.start_stock(name.key().clone(), UnitName::new("tablets")?, details, opening))?;
    }
    Ok(name)
}
