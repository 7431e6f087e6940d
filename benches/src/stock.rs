//! The cost of stock in units: tracked medicines compared with untracked ones, plans and back-tests.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use care_conformance::Dice;
use care_core::{
    keys::{KeyRing, Scopes},
    model::{
        InvoiceId, ItemDetails, LotId, MedicineName, Patch, PatientDetails, PatientId, Policy, PrescriptionDetails,
        PrescriptionId, StockDetails, Timestamp, UnitName,
    },
    rest::Api,
    service::{BacktestPeriod, CareService, NewPrescription, Opening, RestockPeriod, RestockReport},
    store::{Journal, Limit, MemoryStore, Seq},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use http::Request;

use crate::{
    Failure,
    load::KEY,
    setting::Setting,
    table::{Report, Table, figure},
    timing::{median, microseconds},
};

/// The clients that write at once.
const CLIENTS: usize = 64;
const DAY: i64 = 86_400_000;

/// A medicine of the comparison, with its prescriptions.
struct Shelf {
    name: MedicineName,
    is_regular: bool,
}

/// Measures payments and reads of tracked medicines beside untracked ones, then reports with plans.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let mut table = Table::new(["work", "tracked", "against", "ratio", "at least"]);
    beside(setting, &mut table)?;
    report.add("Tracked medicines beside untracked ones", &table);
    let mut table = Table::new(["work, ms", "found", "at most"]);
    plans(setting, &mut table)?;
    report.add("Advice on restocking", &table);
    Ok(())
}

/// Fills a database with the journal of this service.
fn database(setting: &Setting, name: &str, care: &CareService) -> Result<SqliteStore, Failure> {
    let path: PathBuf = setting.directory.join(name);
    clear(&path);
    let store = SqliteStore::open(&path)?;
    let journal = block_on(care.store().journal(Seq::ZERO, Limit::ALL))?.items;
    block_on(store.replay(journal)).map_err(|error| format!("not filled: {error}"))?;
    Ok(store)
}

fn clear(path: &Path) {
    for end in ["", "-wal", "-shm", ".lock"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let _ = fs::remove_file(name);
    }
}

fn shelf(care: &CareService, name: &str, is_tracked: bool, is_regular: bool) -> Result<Shelf, Failure> {
    let name = MedicineName::new(name)?;
    block_on(care.add_item(name.clone(), ItemDetails::default()))?;
    if is_tracked {
        let details = StockDetails { policy: Patch::Set(Policy::Service), ..StockDetails::default() };
        let opening = vec![Opening { lot: LotId::default(), units: 100_000_000.try_into()? }];
        block_on(care.start_stock(name.key().clone(), UnitName::new("tablets")?, details, opening))?;
    }
    Ok(Shelf { name, is_regular })
}

/// Prescribes the medicine to this number of patients.
fn prescribe(care: &CareService, shelf: &Shelf, count: usize) -> Result<Vec<PrescriptionId>, Failure> {
    let details = PrescriptionDetails { is_regular: shelf.is_regular.into(), ..PrescriptionDetails::default() };
    let one = |_| {
        let patient = block_on(care.register_patient(PatientDetails::default()))?.patient_id;
        let new = NewPrescription { details: details.clone(), ..NewPrescription::of(shelf.name.clone()) };
        Ok::<_, Failure>(block_on(care.prescribe(patient, new))?.prescription_id)
    };
    (0..count).map(one).collect()
}

/// Returns how many of these are done a second by [`CLIENTS`] at once.
fn at_once<T: Copy + Sync>(all: &[T], run: impl Fn(T) -> Result<(), Failure> + Sync) -> Result<f64, Failure> {
    let begun = Instant::now();
    thread::scope(|scope| {
        let clients = all.chunks(all.len().div_ceil(CLIENTS).max(1));
        let clients: Vec<_> = clients.map(|part| scope.spawn(|| part.iter().try_for_each(|one| run(*one)))).collect();
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| "a client panicked")?)
    })?;
    Ok(all.len() as f64 / begun.elapsed().as_secs_f64())
}

fn beside(setting: &Setting, table: &mut Table) -> Result<(), Failure> {
    let each = if setting.quick { CLIENTS } else { 3200 };
    let draft = CareService::new(MemoryStore::new());
    let tracked = shelf(&draft, "tracked", true, false)?;
    let untracked = shelf(&draft, "untracked", false, false)?;
    let regular = shelf(&draft, "regular", false, true)?;
    let shelves = [tracked, untracked, regular];
    let all = each * setting.rounds;
    let prescriptions = [
        prescribe(&draft, &shelves[0], all)?,
        prescribe(&draft, &shelves[1], all)?,
        prescribe(&draft, &shelves[2], all)?,
    ];
    let care = CareService::new(database(setting, "stock.db", &draft)?);
    drop(draft);
    let (mut issued, mut paid) = (vec![Vec::new(); 3], vec![Vec::new(); 2]);
    for round in 0..setting.rounds {
        let part = |side: usize| &prescriptions[side][round * each..(round + 1) * each];
        // Each side begins in every other round.
        let order: [usize; 3] = if round % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
        for side in order {
            issued[side].push(at_once(part(side), |id| Ok(block_on(care.issue_invoice(id)).map(drop)?))?);
        }
        let invoices = |side: usize| {
            let invoice = |id: &PrescriptionId| Ok::<_, Failure>(block_on(care.issue_invoice(*id))?.invoice.invoice_id);
            part(side).iter().map(invoice).collect::<Result<Vec<InvoiceId>, _>>()
        };
        for side in order.into_iter().filter(|side| *side < 2) {
            let invoices = invoices(side)?;
            paid[side].push(at_once(&invoices, |id| Ok(block_on(care.pay_invoice(id)).map(drop)?))?);
        }
    }
    let row = |work: &str, ours: &[f64], theirs: &[f64], least: &str| {
        let ratio = median(ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect());
        let (ours, theirs) = (figure(median(ours.to_vec())), figure(median(theirs.to_vec())));
        [work.to_owned(), ours, theirs, format!("{ratio:.2}"), least.to_owned()]
    };
    table.row(row("payments a second, 64 at once", &paid[0], &paid[1], "0.80"));
    table.row(row("invoices issued a second, 64 at once", &issued[0], &issued[1], ""));
    let counted = "the same, untracked: counted as waiting, beside a regular one, which is not";
    table.row(row(counted, &issued[1], &issued[2], ""));

    let api = Api::new(care).with_keys(KeyRing::new().with_key(KEY, "bench", Scopes::ALL));
    let (time, mut dice) = (setting.time() / 10, Dice::new(1));
    let mut read = vec![Vec::new(); 2];
    for _ in 0..setting.rounds {
        for (side, read) in read.iter_mut().enumerate() {
            let of = &prescriptions[side];
            let micros = microseconds(time, || {
                // The records are neighbours, so that the loading of pages does not count.
                let id = of[dice.roll(of.len().min(1000) as u64) as usize];
                get(&api, &format!("/1.0.0/prescriptions/{}", id.value()))
            })?;
            read.push(1e6 / micros);
        }
    }
    table.row(row("GET prescription a second, without a socket", &read[0], &read[1], "0.90"));
    Ok(())
}

fn get(api: &Api, uri: &str) -> Result<(), Failure> {
    let request = Request::get(uri).header("api_key", KEY).header("accept", "application/json").body(Bytes::new())?;
    let answer = block_on(api.handle(request));
    match answer.status().is_success() {
        true => Ok(()),
        false => Err(format!("the answer is {}", answer.status()).into()),
    }
}

/// Measures a report with 300 plans over 180 days, and a back-test of a year.
fn plans(setting: &Setting, table: &mut Table) -> Result<(), Failure> {
    let (medicines, days) = if setting.quick { (5, 40) } else { (300, 180) };
    let (clock, year) = (Arc::new(AtomicI64::new(20_000 * DAY)), if setting.quick { 60 } else { 366 });
    let read = Arc::clone(&clock);
    let now = move || Timestamp::from_unix_millis(read.load(Ordering::Relaxed)).expect("a day of the benchmark");
    let draft = CareService::new(MemoryStore::new()).with_clock(now.clone());
    let mut shelves = Vec::new();
    for number in 0..medicines {
        let patient = block_on(draft.register_patient(PatientDetails::default()))?.patient_id;
        shelves.push((patient, shelf(&draft, &format!("medicine {number}"), true, false)?));
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

fn milliseconds(time: Duration, run: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    Ok(microseconds(time, run)? / 1000.0)
}

/// Prescribes a medicine, and hands it out against its invoice.
fn sell(care: &CareService, patient: PatientId, shelf: &Shelf, quantity: i64) -> Result<(), Failure> {
    let new = NewPrescription { quantity: quantity.try_into().ok(), ..NewPrescription::of(shelf.name.clone()) };
    let prescription = block_on(care.prescribe(patient, new))?.prescription_id;
    let invoice = block_on(care.issue_invoice(prescription))?.invoice.invoice_id;
    block_on(care.pay_invoice(invoice))?;
    Ok(())
}
