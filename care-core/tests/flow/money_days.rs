//! A cash desk through random days, in three currencies and any offset, mostly around midnight. After each day the
//! audit is content, and a payment, a refund and a correction have moved what they say.
//!
//! `CARE_CLINIC_DAYS` makes a longer run. `CARE_CLINIC_BOOK` names a folder for the journals and the takings of the
//! days, which `.ci/book` reads.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use care_core::{
    audit,
    error::Error,
    model::{
        Currency, Date, InvoiceId, ItemDetails, LotId, Note, Patch, PatientId, PaymentMethod, PrescriptionDetails,
        Price, RefundReason, StockDetails, Timestamp, UnitName, UtcOffset,
    },
    service::{
        CareService, ExpectedVersion, Facility, NewCorrection, NewRefund, OpeningLot, TakingsPeriod, TakingsSums,
    },
    store::{Limit, MemoryStore, ReceiptFilter},
};
use futures_executor::block_on;
use serde_json::json;

use crate::{
    clinic::{Clinic, medicine, named, new},
    months::Dice,
};

/// The days in the journal of one clinic. Each audit begins with the first of them.
const DAYS: u64 = 20;
const DAY: i64 = 86_400_000;
/// A price and its currency.
type Priced = (i64, Option<&'static str>);
/// The medicines, with their prices. The last one has none.
const MEDICINES: [(&str, Option<Priced>); 5] = [
    ("Amoxicillin", Some((4, Some("EUR")))),
    ("Ibuprofen", Some((7, Some("USD")))),
    ("Zinc", Some((1500, Some("XAF")))),
    ("Gauze", Some((2, None))),
    ("Advice", None),
];
const HOLDERS: [&str; 3] = ["desk", "night", "Öffnung 3"];

struct Desk {
    care: CareService,
    clock: Arc<AtomicI64>,
    offset: i16,
    patients: Vec<PatientId>,
    invoices: Vec<InvoiceId>,
    dice: Dice,
}

impl Desk {
    fn open(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let clock = Arc::new(AtomicI64::new(20_000 * DAY));
        let read = Arc::clone(&clock);
        let now = move || Timestamp::from_unix_millis(read.load(Ordering::SeqCst)).unwrap();
        let offset = i16::try_from(dice.roll(2161)).unwrap() - 1080;
        let facility = Facility { utc_offset: UtcOffset::from_minutes(offset).unwrap(), ..Facility::default() };
        let care = CareService::new(MemoryStore::new()).with_facility(facility).with_clock(now);
        for (name, price) in MEDICINES {
            let mut details = ItemDetails { is_available: Patch::Set(true), ..ItemDetails::default() };
            if let Some((price, currency)) = price {
                details.price = Price::try_from(price).unwrap().into();
                details.currency = currency.map_or(Patch::Keep, |code| Currency::new(code).unwrap().into());
            }
            block_on(care.add_item(medicine(name), details)).unwrap();
        }
        let opening = vec![OpeningLot { lot: LotId::default(), units: 900.try_into().unwrap() }];
        let unit = UnitName::new("tablets").unwrap();
        block_on(care.start_stock(medicine("Zinc").key().clone(), unit, StockDetails::default(), opening)).unwrap();
        let patients =
            (0..8).map(|_| block_on(care.register_patient(named("Ada Example"))).unwrap().patient_id).collect();
        Self { care, clock, offset, patients, invoices: Vec::new(), dice }
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let place = self.dice.roll(from.len() as u64);
        from[usize::try_from(place).unwrap()].clone()
    }

    /// Lets time pass: mostly little, and now and then up to the last or the first moment of a day of the facility.
    fn pass(&mut self, day: i64) {
        let midnight = (20_000 + day) * DAY - i64::from(self.offset) * 60_000;
        let now = self.clock.load(Ordering::SeqCst);
        let next = match self.dice.roll(8) {
            0 => midnight + DAY - 1,
            1 => midnight,
            _ => now + i64::try_from(self.dice.roll(3_600_000)).unwrap(),
        };
        self.clock.store(next.clamp(now.max(midnight), now.max(midnight + DAY - 1)), Ordering::SeqCst);
    }

    /// Does something at the desk. A refusal is an end like any other.
    fn act(&mut self) {
        let holder = self.pick(&HOLDERS);
        let care = self.care.acting_as(holder);
        let method = self.pick(PaymentMethod::ALL);
        let known = self.invoices.clone();
        let done: Result<(), Error> = match self.dice.roll(8) {
            0..=2 => {
                let clinic = Clinic { care };
                let (patient, name) = (self.pick(&self.patients.clone()), self.pick(&MEDICINES).0);
                let wanted = new(name, PrescriptionDetails::default());
                block_on(clinic.care.prescribe(patient, wanted)).map(|made| {
                    let invoice = clinic.bill(made.prescription.prescription_id);
                    self.invoices.push(invoice);
                })
            }
            3..=5 if !known.is_empty() => {
                let invoice = self.pick(&known[known.len().saturating_sub(5)..]);
                block_on(care.pay_invoice_by(invoice, method)).map(drop)
            }
            6 if !known.is_empty() => {
                let refund = NewRefund {
                    reason: self.pick(&[RefundReason::WrongEntry, RefundReason::Other]),
                    note: Some(Note::new("told at the desk").unwrap()),
                    method: (self.dice.roll(2) == 0).then_some(method),
                    restock: self.dice.roll(4) == 0,
                    reopen: self.dice.roll(3) == 0,
                };
                block_on(care.refund_invoice(self.pick(&known), refund, ExpectedVersion::Any)).map(drop)
            }
            7 if !known.is_empty() => {
                let page = block_on(care.receipts(ReceiptFilter::default(), None, Limit::ALL)).unwrap();
                let receipts: Vec<_> = page.items.iter().map(|found| found.receipt_id).collect();
                match receipts.as_slice() {
                    [] => block_on(care.cancel_invoice(self.pick(&known), ExpectedVersion::Any)),
                    some => {
                        let correction = NewCorrection { method, note: None };
                        block_on(care.correct_receipt(self.pick(some), correction)).map(drop)
                    }
                }
            }
            _ => Ok(()),
        };
        assert!(
            matches!(done, Ok(()) | Err(Error::Conflict(_) | Error::NotFound(_) | Error::Invalid(_))),
            "{done:?} is no refusal"
        );
    }

    /// Returns the takings of a day, a line for each holder.
    fn takings(&self, day: i64) -> (TakingsSums, String) {
        let today = self.care.today().unwrap();
        let day: Date = today.plus_days(day + 20_000 - today.unix_days()).unwrap();
        let mut lines = String::new();
        let period = TakingsPeriod::new(Some(day), Some(day), today).unwrap();
        let each = |one| writeln!(lines, "{}", serde_json::to_string(&one).unwrap()).unwrap();
        let sums = block_on(self.care.takings(period, None, each)).unwrap();
        (sums, lines)
    }
}

#[test]
fn days_of_any_desk_add_up() {
    let days: u64 = env::var("CARE_CLINIC_DAYS").map_or(5 * DAYS, |days| days.parse().unwrap());
    let book = env::var_os("CARE_CLINIC_BOOK").map(PathBuf::from);
    let mut receipts = 0;
    for seed in 0..days.div_ceil(DAYS) {
        let mut desk = Desk::open(seed);
        let mut reported = format!("{}\n", json!({ "offset": desk.offset }));
        for day in 0..i64::try_from(DAYS).unwrap() {
            for _ in 0..desk.dice.roll(30) {
                desk.pass(day);
                desk.act();
            }
            desk.clock.fetch_max((20_001 + day) * DAY - i64::from(desk.offset) * 60_000 - 1, Ordering::SeqCst);
            block_on(audit::verify(desk.care.store())).unwrap();
            let (sums, lines) = desk.takings(day);
            receipts += sums.receipts;
            reported += &lines;
        }
        if let Some(book) = &book {
            let entries = Clinic { care: desk.care }.journal();
            let lines: String = entries.iter().map(|entry| serde_json::to_string(entry).unwrap() + "\n").collect();
            fs::write(book.join(format!("{seed}.journal")), lines).unwrap();
            fs::write(book.join(format!("{seed}.takings")), reported).unwrap();
        }
    }
    assert!(receipts > days, "{receipts} receipts in {days} days");
}
