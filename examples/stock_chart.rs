//! Draws the stock of the demo clinic's oral rehydration salts over its year, as `docs/stock.md` shows it.
//!
//! ```text
//! cargo run -p care-examples --example stock_chart > docs/pictures/stock.svg
//! ```

use std::error::Error;

use care_core::{
    model::{MedicineName, Timestamp},
    service::CareService,
    store::MemoryStore,
};
use care_server::{chart, demo};
use futures_executor::block_on;

fn main() -> Result<(), Box<dyn Error>> {
    let now: Timestamp = "2026-03-15T12:00:00Z".parse()?;
    let care = CareService::new(MemoryStore::new()).with_clock(move || now);
    block_on(demo::fill(&care))?;
    let medicine = MedicineName::new("Oral rehydration salts")?.key().clone();
    let stock = block_on(care.stock(medicine.clone()))?.record.stock;
    let last = care.today()?.plus_days(-1)?;
    let days = block_on(chart::days(&care, medicine, last.plus_days(-364)?, last))?;
    print!("{}", chart::svg(&stock, &days));
    Ok(())
}
