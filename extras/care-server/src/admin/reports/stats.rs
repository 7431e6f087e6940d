//! The numbers of records and entries in a database.

use std::collections::BTreeMap;

use care_core::{
    model::{Currency, Date, Invoice, InvoiceState, MedicineKey, OpenLot, Stock, Visible},
    store::{Limit, Query, Record, RecordKind},
};

use crate::admin::{
    AdminError,
    database::Database,
    terminal::{self, say},
};

/// The size of a page of records, in items and bytes.
const PAGE: Limit = Limit::items(1000).bytes(1 << 20);

/// A number of invoices and the sum of their amounts.
#[derive(Debug, Default)]
struct Sum {
    invoices: u64,
    amount: u128,
}

/// The stock of all medicines that are counted in one unit.
#[derive(Debug, Default)]
struct Shelves {
    medicines: u64,
    on_hand: u64,
    expired: u64,
    reserved: u64,
}

impl Shelves {
    fn add(&mut self, stock: &Stock) {
        self.medicines += 1;
        self.reserved += stock.reserved.value().unsigned_abs();
    }

    fn add_lot(&mut self, lot: &OpenLot, today: Date) {
        let on_hand = lot.on_hand.value().unsigned_abs();
        self.on_hand += on_hand;
        if lot.expires.is_some_and(|expires| expires < today) {
            self.expired += on_hand;
        }
    }
}

pub(in crate::admin) async fn stats(database: &Database) -> Result<(), AdminError> {
    let store = database.existing()?;
    let bar = terminal::unknown("records");
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    let mut sums: BTreeMap<(&str, Option<Currency>), Sum> = BTreeMap::new();
    let mut units: BTreeMap<String, Shelves> = BTreeMap::new();
    // The records of lots come after those of stocks.
    let mut unit_of: BTreeMap<MedicineKey, String> = BTreeMap::new();
    let today = database.today()?;
    let mut after = None;
    loop {
        let page = store.list(&Query::All { after }, PAGE).await?;
        for found in &page.items {
            *kinds.entry(found.record.key().kind()).or_default() += 1;
            match &found.record {
                Record::Invoice(invoice) => sum(&mut sums, invoice),
                Record::Stock(stock) => {
                    let unit = Visible(stock.settings.unit.as_str()).to_string();
                    unit_of.insert(stock.medicine.key().clone(), unit.clone());
                    units.entry(unit).or_default().add(stock);
                }
                Record::OpenLot(lot) => {
                    if let Some(unit) = unit_of.get(lot.medicine.key()) {
                        units.entry(unit.clone()).or_default().add_lot(lot, today);
                    }
                }
                _ => {}
            }
        }
        bar.inc(page.items.len() as u64);
        after = page.items.last().map(|found| found.record.key());
        if !page.more {
            break;
        }
    }
    let entries = store.last().await?;
    bar.finish_and_clear();
    say(format_args!("{:<14} {entries:>12}", "Journal"))?;
    for kind in RecordKind::NAMES {
        say(format_args!("{kind:<14} {:>12}", kinds.get(kind).unwrap_or(&0)))?;
    }
    for ((state, currency), Sum { invoices, amount }) in sums {
        let currency = currency.map_or_else(|| "---".to_owned(), |currency| currency.to_string());
        say(format_args!("{state:<10} {currency} {amount:>12} in {invoices} invoices"))?;
    }
    for (unit, Shelves { medicines, on_hand, expired, reserved }) in units {
        say(format_args!("{:<14} {on_hand:>12} {unit} of {medicines} medicines", "On hand"))?;
        say(format_args!("{:<14} {expired:>12} {unit}", "Expired"))?;
        say(format_args!("{:<14} {reserved:>12} {unit}", "Reserved"))?;
    }
    Ok(())
}

fn sum(sums: &mut BTreeMap<(&str, Option<Currency>), Sum>, invoice: &Invoice) {
    let state = match invoice.state {
        InvoiceState::Paid => "Paid",
        InvoiceState::Refunded => "Refunded",
        InvoiceState::Unpaid => "Unpaid",
    };
    // Amounts in different currencies, or without one, are never added up.
    let sum = sums.entry((state, invoice.currency)).or_default();
    sum.invoices += 1;
    sum.amount += invoice.price.map_or(0, |price| price.value().unsigned_abs().into());
}
