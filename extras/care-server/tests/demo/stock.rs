//! The demo clinic's stock: back-tests and plans checked against the ledger, and the figures of `docs/stock.md`.

use std::{collections::BTreeMap, fs, path::Path};

use care_core::{
    model::{
        Amount, Date, LotId, MedicineKey, MedicineName, Movement, MovementKind, Prescription, PrescriptionId, Shelf,
        Stock, StockDetails, Timestamp,
    },
    service::{BacktestPeriod, CareService, LiveStock, RestockPeriod},
    stock::BacktestRule,
    store::{Change, Entity, Entry, Limit, MemoryStore, MovementFilter, Query, Record, RecordKey, Seq, StockFilter},
};
use care_server::{chart, demo};
use futures_executor::block_on;

fn clinic() -> CareService {
    let now: Timestamp = "2026-03-15T12:00:00Z".parse().unwrap();
    let care = CareService::new(MemoryStore::new()).with_clock(move || now);
    block_on(demo::fill(&care)).unwrap();
    care
}

fn journal(care: &CareService) -> Vec<Entry> {
    block_on(care.store().journal(Seq::ZERO, Limit::ALL)).unwrap().items
}

fn stocks(care: &CareService) -> Vec<LiveStock> {
    let stocks = block_on(care.stocks(StockFilter::default(), None, Limit::ALL)).unwrap().items;
    stocks.into_iter().map(|live| live.record).collect()
}

fn listed<E: Entity>(care: &CareService, query: &Query) -> Vec<E> {
    let found = block_on(care.store().list(query, Limit::ALL)).unwrap().items;
    found.iter().filter_map(|found| E::from_record(&found.record).cloned()).collect()
}

/// Returns the prescriptions that count as demand: all but those withdrawn before they were paid.
fn prescriptions(care: &CareService) -> Vec<Prescription> {
    let mut known: BTreeMap<PrescriptionId, Prescription> = BTreeMap::new();
    for change in journal(care).iter().flat_map(Entry::changes) {
        match change {
            Change::Put(Record::Prescription(prescription)) => {
                known.insert(prescription.prescription_id, prescription.clone());
            }
            Change::Remove(RecordKey::Prescription(id)) if !known[id].dispensed => {
                known.remove(id);
            }
            _ => {}
        }
    }
    known.into_values().collect()
}

/// Recomputes the first row of a back-test from the ledger alone.
fn recount(care: &CareService, stock: &Stock, from: Date, to: Date) -> [i64; 8] {
    let filter = MovementFilter { medicine: Some(stock.medicine.key().clone()), ..MovementFilter::default() };
    let movements: Vec<Movement> = listed(care, &Movement::list(&filter, None));
    let regular: BTreeMap<_, _> =
        prescriptions(care).into_iter().map(|one| (one.prescription_id, one.is_regular())).collect();
    let (mut demand, mut served, mut stock_out, mut orders, mut ordered, mut sum, mut balance) = (0, 0, 0, 0, 0, 0, 0);
    for one in prescriptions(care) {
        if one.medicine.is_same(&stock.medicine) && !one.is_regular() && one.prescribed >= from && one.prescribed <= to
        {
            demand += one.quantity.unwrap_or(stock.settings.supply_units).value();
        }
    }
    let mut lots: BTreeMap<LotId, i64> = BTreeMap::new();
    let mut moved = movements.iter().peekable();
    let kinds: BTreeMap<_, _> = movements.iter().map(|moved| (moved.movement_id, moved.kind)).collect();
    let first = movements.first().map_or(to, |moved| moved.day);
    for day in first.unix_days()..=to.unix_days() {
        let usable = |lots: &BTreeMap<LotId, i64>| {
            let keep = stock.settings.keep_days.value();
            let is_usable = |lot: &LotId| lot.expires.is_none_or(|expires| expires.unix_days() - keep >= day);
            lots.iter().filter(|(lot, _)| is_usable(lot)).map(|(_, units)| units).sum::<i64>()
        };
        let (began, mut handed) = (usable(&lots), 0);
        let is_played = day >= from.unix_days();
        while let Some(moved) = moved.next_if(|moved| moved.day.unix_days() == day) {
            let units = moved.units.value();
            *lots.entry(moved.lot_id()).or_default() += units;
            balance = moved.balance.value();
            if !is_played {
                continue;
            }
            match (moved.kind, moved.reverses.map(|reversed| kinds[&reversed])) {
                (MovementKind::Dispense, _) => {
                    handed -= units;
                    if regular[&moved.prescription_id.unwrap()] {
                        demand -= units;
                    }
                }
                (MovementKind::Receipt, _) => {
                    orders += 1;
                    ordered += units;
                }
                (MovementKind::Reversal, Some(MovementKind::Receipt)) => {
                    orders -= 1;
                    ordered += units;
                }
                _ => {}
            }
        }
        if is_played {
            served += handed;
            sum += balance;
            stock_out += i64::from(began == 0 && handed == 0 && usable(&lots) == 0);
        }
    }
    let days = to.unix_days() - from.unix_days() + 1;
    let rounded = |above: i64, below: i64| if below == 0 { 10_000 } else { (above * 2 / below + 1) / 2 };
    let fill_rate = rounded(served * 10_000, demand);
    [demand, served, fill_rate, stock_out, orders, ordered, rounded(sum * 100, days), balance]
}

#[test]
fn what_really_happened_is_what_the_ledger_says() {
    let care = clinic();
    let today = care.today().unwrap();
    for stock in stocks(&care) {
        for (from, to) in [(364, 0), (200, 30), (60, 60)] {
            let (from, to) = (today.plus_days(-from).unwrap(), today.plus_days(-to).unwrap());
            let period = BacktestPeriod::new(Some(from), Some(to), today).unwrap();
            let key = stock.stock.medicine.key().clone();
            let played = block_on(care.backtest(key, period, StockDetails::default())).unwrap();
            let row = &played.rows[0];
            assert_eq!((row.policy, played.from, played.to), (BacktestRule::Actual, from, to));
            let found = [
                row.demand,
                row.served,
                row.fill_rate,
                row.stock_out_days,
                row.orders,
                row.ordered,
                row.average_stock.value(),
            ];
            let mut found = found.map(|number| i64::try_from(number).unwrap()).to_vec();
            found.push(row.end_stock);
            assert_eq!(found, recount(&care, &stock.stock, from, to), "{}", stock.stock.medicine);
        }
    }
}

fn salts(care: &CareService) -> (MedicineKey, LiveStock) {
    let key = MedicineName::new("Oral rehydration salts").unwrap().key().clone();
    let stock = block_on(care.stock(key.clone())).unwrap().record;
    (key, stock)
}

/// Compares a file with its expected text; if `UPDATE` is set, writes the file.
fn is_committed(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(file);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "{}: UPDATE=1 writes it anew", path.display());
}

#[test]
fn the_chart_of_the_page_is_the_one_that_the_program_draws() {
    let care = clinic();
    let (key, stock) = salts(&care);
    let last = care.today().unwrap().plus_days(-1).unwrap();
    let days = block_on(chart::days(&care, key, last.plus_days(-364).unwrap(), last)).unwrap();
    assert_eq!(days.len(), 365);
    assert_eq!(days[364].on_hand, stock.shelf.on_hand().value());
    assert!(days.iter().any(|day| day.received > 0) && days.iter().any(|day| day.reorder_at > 0));
    is_committed("pictures/stock.svg", &chart::svg(&stock.stock, &days));
}

#[test]
fn the_level_of_the_chart_is_that_of_the_plan() {
    let care = clinic();
    let (key, stock) = salts(&care);
    let today = care.today().unwrap();
    let last = block_on(chart::days(&care, key, today, today)).unwrap();
    let report = block_on(care.restock(RestockPeriod::new(None, None, today).unwrap(), 100)).unwrap();
    let item = report.items.iter().find(|item| item.medicine.is_same(&stock.stock.medicine)).unwrap();
    assert_eq!(last[0].reorder_at, item.plan.as_ref().unwrap().reorder_at);
    assert_eq!(Amount::try_from(last[0].on_hand).unwrap(), stock.shelf.on_hand());
    assert_ne!(stock.shelf, Shelf::default());
}

/// Checks that the plan and the back-test in the document are those of the demo.
#[test]
fn the_worked_example_of_the_page_is_the_demos() {
    let care = clinic();
    let (key, stock) = salts(&care);
    let today = care.today().unwrap();
    let report = block_on(care.restock(RestockPeriod::new(None, None, today).unwrap(), 100)).unwrap();
    let item = report.items.iter().find(|item| item.medicine.is_same(&stock.stock.medicine)).unwrap();
    let plan = item.plan.as_ref().unwrap();
    let page = include_str!("../../../../docs/stock.md");
    println!("{plan:#?}");
    let period = BacktestPeriod::new(None, None, today).unwrap();
    let played = block_on(care.backtest(key, period, StockDetails::default())).unwrap();
    let row = |row: &care_core::stock::BacktestRow| {
        format!(
            "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |",
            serde_json::to_value(row.policy).unwrap().as_str().unwrap(),
            row.demand,
            row.served,
            row.fill_rate,
            row.stock_out_days,
            row.orders,
            row.ordered,
            row.average_stock,
            row.end_stock
        )
    };
    let rows: Vec<_> = played.rows.iter().map(row).collect();
    println!("{}", rows.join("\n"));
    for line in plan.because.iter().chain(&rows) {
        assert!(page.contains(line.as_str()), "{line}");
    }
}
