//! The order list: the medicines to order, as their plans advise.

use std::{collections::BTreeMap, io};

use care_core::{
    error::Error,
    model::{MedicineKey, Stock, Visible},
    service::{Recommendation, RestockItem, RestockPeriod, RestockReport},
    stock::Plan,
    store::{Limit, StockFilter},
};

use super::formulas::harmless;
use crate::admin::{
    AdminError,
    database::Database,
    terminal::{say, unwritten},
};

/// The columns of the table and of the CSV file.
const COLUMNS: [&str; 16] = [
    "recommendation",
    "medicine",
    "order",
    "packs",
    "packUnits",
    "unit",
    "available",
    "ordered",
    "waiting",
    "position",
    "reorderAt",
    "upTo",
    "coverDays",
    "stockOutOn",
    "confidence",
    "because",
];

/// The columns with texts of clients: the medicine, its unit, and the sentences that name it.
const MEDICINE: usize = 1;
const UNIT: usize = 5;
const BECAUSE: usize = 15;

/// Prints the medicines to order, the most urgent first.
pub(in crate::admin) async fn restock(database: &Database, csv: bool) -> Result<(), AdminError> {
    let care = database.care(&database.existing()?);
    let period = care.today().and_then(|today| RestockPeriod::new(None, None, today)).map_err(failed)?;
    let report = care.restock(period, RestockReport::MAX_ITEMS).await.map_err(failed)?;
    let stocks = care.stocks(StockFilter::default(), None, Limit::ALL).await.map_err(failed)?.items;
    let stocks: BTreeMap<MedicineKey, Stock> =
        stocks.into_iter().map(|live| (live.record.stock.medicine.key().clone(), live.record.stock)).collect();
    let planned = |item: &RestockItem| {
        let plan = item.plan.as_ref().filter(|plan| plan.order > 0)?;
        Some(row(item, plan, stocks.get(item.medicine.key())?))
    };
    let rows: Vec<_> = report.items.iter().filter_map(planned).collect();
    match csv {
        true => write(&rows).map_err(unwritten),
        false => print(&rows),
    }
}

fn failed(error: Error) -> AdminError {
    match error {
        Error::Store(error) => error.into(),
        // The period depends on today, which every working clock knows.
        _ => AdminError::Clock,
    }
}

fn row(item: &RestockItem, plan: &Plan, stock: &Stock) -> [String; COLUMNS.len()] {
    [
        item.recommendation.as_str().to_owned(),
        item.medicine.to_string(),
        plan.order.to_string(),
        plan.packs.to_string(),
        stock.settings.pack_units.value().to_string(),
        stock.settings.unit.to_string(),
        plan.available.to_string(),
        plan.ordered.to_string(),
        plan.waiting.to_string(),
        plan.position.to_string(),
        plan.reorder_at.to_string(),
        plan.up_to.to_string(),
        plan.cover_days.map(|days| days.to_string()).unwrap_or_default(),
        plan.stock_out_on.map(|day| day.to_string()).unwrap_or_default(),
        format!("{:?}", plan.confidence).to_lowercase(),
        plan.because.join("; "),
    ]
}

fn write(rows: &[[String; COLUMNS.len()]]) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(io::stdout().lock());
    writer.write_record(COLUMNS)?;
    for row in rows {
        let cell = |(place, cell): (usize, &String)| match place {
            MEDICINE | UNIT | BECAUSE => harmless(cell),
            _ => cell.clone(),
        };
        writer.write_record(row.iter().enumerate().map(cell))?;
    }
    writer.flush()
}

fn print(rows: &[[String; COLUMNS.len()]]) -> Result<(), AdminError> {
    if rows.is_empty() {
        say("There is nothing to order.")?;
    }
    let widest = rows.iter().map(|row| Visible(&row[MEDICINE]).to_string().chars().count()).max().unwrap_or(0);
    for [recommendation, medicine, order, packs, pack, unit, available, ordered, .., until, _, because] in rows {
        let (medicine, unit, because) = (Visible(medicine), Visible(unit), Visible(because));
        let urgent = if recommendation == Recommendation::Now.as_str() { "now " } else { "soon" };
        let until = if until.is_empty() { String::new() } else { format!(", used up on {until}") };
        say(format_args!(
            "{urgent}  {medicine:<widest$}  {order:>6} {unit} ({packs} packs of {pack}); {available} available, \
             {ordered} on the way{until}"
        ))?;
        say(format_args!("      {because}"))?;
    }
    Ok(())
}
