//! A clinic through random days, mostly around midnight and at any offset, against a small recount that keeps every
//! unit and every amount by itself. Each act must end as the recount says. After each day the shelf, the takings and
//! the ages are those of the recount, and the audit is content.
//!
//! `CARE_CLINIC_DAYS` makes a longer run. `CARE_CLINIC_BOOK` names a folder for the journals and the takings of the
//! days, which `.ci/book` reads.

mod people;
mod recount;
mod shelf;

use std::{
    collections::BTreeMap,
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
    error::{Conflict, Error},
    model::{
        Currency, Date, InvoiceId, ItemDetails, LotId, MedicineKey, Note, Patch, PaymentMethod, PrescriptionDetails,
        Price, Quantity, ReceiptId, RefundReason, StockDetails, Timestamp, UnitName, Units, UtcOffset,
    },
    service::{
        CareService, ExpectedVersion, Facility, NewCorrection, NewPrescription, NewRefund, OpeningLot, TakingsPeriod,
    },
    store::{Limit, MemoryStore, MovementFilter},
};
use futures_executor::block_on;
use futures_util::TryStreamExt as _;
use serde_json::json;

use crate::clinic::{Clinic, medicine, regular};
use recount::{Bill, MEDICINES, Receipt, Recount, State};

/// The days in the journal of one clinic. Each audit begins with the first of them.
const DAYS: i64 = 20;
const DAY: i64 = 86_400_000;
const HOLDERS: [&str; 3] = ["desk", "night", "Öffnung 3"];

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    /// Returns a number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn number(&mut self, sides: usize) -> i64 {
        i64::try_from(self.roll(sides)).unwrap()
    }

    fn pick<T: Clone>(&mut self, from: impl IntoIterator<Item = T>) -> Option<T> {
        let from: Vec<_> = from.into_iter().collect();
        if from.is_empty() { None } else { from.get(self.roll(from.len())).cloned() }
    }
}

struct Days {
    care: CareService,
    clock: Arc<AtomicI64>,
    offset: i16,
    recount: Recount,
    dice: Dice,
}

fn key() -> MedicineKey {
    medicine(MEDICINES[0].0).key().clone()
}

fn units(number: i64) -> Units {
    number.try_into().unwrap()
}

impl Days {
    fn open(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let clock = Arc::new(AtomicI64::new(20_000 * DAY));
        let read = Arc::clone(&clock);
        let now = move || Timestamp::from_unix_millis(read.load(Ordering::SeqCst)).unwrap();
        let offset = i16::try_from(dice.roll(2161)).unwrap() - 1080;
        let facility = Facility { utc_offset: UtcOffset::from_minutes(offset).unwrap(), ..Facility::default() };
        let care = CareService::new(MemoryStore::new()).with_facility(facility).with_clock(now);
        for (name, price, currency) in MEDICINES {
            let details = ItemDetails {
                is_available: Patch::Set(true),
                price: price.map_or(Patch::Keep, |price| Price::try_from(price).unwrap().into()),
                currency: currency.map_or(Patch::Keep, |code| Currency::new(code).unwrap().into()),
                ..ItemDetails::default()
            };
            block_on(care.add_item(medicine(name), details)).unwrap();
        }
        let opening = vec![OpeningLot { lot: LotId::default(), units: units(9) }];
        block_on(care.start_stock(key(), UnitName::new("tablets").unwrap(), StockDetails::default(), opening)).unwrap();
        let recount = Recount { lots: [(LotId::default(), 9)].into(), supply_units: 1, ..Recount::default() };
        Self { care, clock, offset, recount, dice }
    }

    fn today(&self) -> Date {
        self.care.today().unwrap()
    }

    /// Returns the first moment of a day of the facility.
    fn midnight(&self, day: i64) -> i64 {
        (20_000 + day) * DAY - i64::from(self.offset) * 60_000
    }

    /// Lets time pass: mostly little, and now and then up to the last or the first moment of the day.
    fn pass(&mut self, day: i64) {
        let (midnight, now) = (self.midnight(day), self.clock.load(Ordering::SeqCst));
        let next = match self.dice.roll(8) {
            0 => midnight + DAY - 1,
            1 => midnight,
            _ => now + self.dice.number(3_600_000),
        };
        self.clock.store(next.clamp(now.max(midnight), now.max(midnight + DAY - 1)), Ordering::SeqCst);
    }

    /// Does one thing that happens in a clinic.
    fn act(&mut self) {
        match self.dice.roll(28) {
            0..=4 => self.prescribe(),
            5..=9 => self.issue(),
            10..=14 => self.pay(),
            15 => self.cancel(),
            16 | 17 => self.refund(),
            18 | 19 => self.correct(),
            20..=22 => self.receive(),
            23 => self.remove(),
            24 => self.count(),
            25 => self.take_back(),
            26 => self.undo(),
            _ => self.set(),
        }
    }

    fn prescribe(&mut self) {
        let (is_regular, number, quantity) =
            (self.dice.roll(3) == 0, self.dice.roll(MEDICINES.len()), self.dice.number(6));
        let details = if is_regular { regular() } else { PrescriptionDetails::default() };
        let quantity = (quantity > 0).then(|| quantity.try_into().unwrap());
        let new = NewPrescription { details, quantity, ..NewPrescription::of(medicine(MEDICINES[number].0)) };
        let patient = self.register();
        let made = block_on(self.care.prescribe(patient, new)).unwrap().record.prescription;
        let units = quantity.map_or(self.recount.supply_units, Quantity::value);
        if number == 0 {
            assert_eq!(made.quantity.map(Quantity::value), Some(units));
        }
        let units = if number == 0 { units } else { 0 };
        self.recount.active.insert(made.prescription_id, (number, units, is_regular));
    }

    fn issue(&mut self) {
        let Some((prescription, (medicine, quantity, _))) =
            self.dice.pick(self.recount.active.iter().map(|(id, about)| (*id, *about)))
        else {
            return;
        };
        let issued = block_on(self.care.issue_invoice(prescription));
        let known = self.recount.unpaid().find(|(_, bill)| bill.prescription == prescription).map(|(id, _)| *id);
        let available = self.recount.usable(self.today()) - self.recount.reserved();
        let is_there = medicine != 0 || (!self.recount.is_held && available >= quantity);
        match (known, issued) {
            (Some(known), Ok(issued)) => assert_eq!((issued.invoice.invoice_id, issued.is_new), (known, false)),
            (None, Ok(issued)) => {
                assert!(is_there && issued.is_new);
                let bill =
                    Bill { prescription, medicine, quantity, state: State::Unpaid, handed: Vec::new(), receipt: None };
                self.recount.bills.insert(issued.invoice.invoice_id, bill);
            }
            (None, Err(Error::Conflict(Conflict::InsufficientStock))) => assert!(!is_there),
            (_, other) => panic!("{other:?}"),
        }
    }

    /// Returns an invoice in this state.
    fn bill(&mut self, state: State) -> Option<InvoiceId> {
        self.dice.pick(self.recount.bills.iter().filter(|(_, bill)| bill.state == state).map(|(id, _)| *id))
    }

    /// Returns a holder, and the service as it acts.
    fn holder(&mut self) -> (&'static str, CareService) {
        let holder = self.dice.pick(HOLDERS).unwrap();
        (holder, self.care.acting_as(holder))
    }

    fn method(&mut self) -> PaymentMethod {
        self.dice.pick(PaymentMethod::ALL.iter().copied()).unwrap()
    }

    fn pay(&mut self) {
        let state = if self.dice.roll(8) == 0 { State::Paid } else { State::Unpaid };
        let Some(id) = self.bill(state) else { return };
        let ((holder, care), method, today) = (self.holder(), self.method(), self.today());
        let paid = block_on(care.pay_invoice_by(id, method));
        let Bill { prescription, medicine, quantity, .. } = self.recount.bills[&id];
        if state == State::Paid {
            drop(paid.unwrap());
            return;
        }
        let handed = self.recount.handed_out(quantity, today).filter(|_| medicine != 0 || !self.recount.is_held);
        match (handed, paid) {
            (None, Err(Error::Conflict(Conflict::InsufficientStock))) => {}
            (Some(handed), Ok(_)) => {
                let filter = MovementFilter { invoice_id: Some(id), ..MovementFilter::default() };
                let moved = block_on(self.care.movements(filter, None, Limit::items(100))).unwrap().items;
                let moved: Vec<_> = moved.iter().map(|moved| (moved.lot_id(), -moved.units.value())).collect();
                assert_eq!(moved, handed, "first expired first out");
                handed.iter().for_each(|(lot, units)| self.recount.add(lot, -units));
                let receipt = Some(self.recount.receipt(holder, medicine, method, 1));
                let bill = self.recount.bills.get_mut(&id).unwrap();
                (bill.state, bill.handed, bill.receipt) = (State::Paid, handed, receipt);
                let is_regular = self.recount.active[&prescription].2;
                if !is_regular {
                    self.recount.active.remove(&prescription);
                }
            }
            other => panic!("{other:?}"),
        }
    }

    fn cancel(&mut self) {
        let Some(id) = self.bill(State::Unpaid) else { return };
        block_on(self.care.cancel_invoice(id, ExpectedVersion::Any)).unwrap();
        self.recount.bills.get_mut(&id).unwrap().state = State::Cancelled;
    }

    fn refund(&mut self) {
        let Some(id) = self.bill(State::Paid) else { return };
        let ((holder, care), method) = (self.holder(), self.method());
        let said = (self.dice.roll(2) == 0).then_some(method);
        let (restock, reopen) = (self.dice.roll(3) == 0, self.dice.roll(3) == 0);
        let note = Note::new("told at the desk").ok();
        let new = NewRefund { reason: RefundReason::Other, note, method: said, restock, reopen };
        let refunded = block_on(care.refund_invoice(id, new, ExpectedVersion::Any));
        let bill = &self.recount.bills[&id];
        let (medicine, quantity, prescription, receipt) =
            (bill.medicine, bill.quantity, bill.prescription, bill.receipt.unwrap());
        let out: Vec<_> = bill.handed.iter().filter(|(_, units)| restock && *units > 0).cloned().collect();
        match refunded {
            Err(Error::Conflict(Conflict::NotDispensed)) => assert!(restock && out.is_empty()),
            Ok(refund) => {
                assert!(!restock || !out.is_empty());
                let method = said.unwrap_or(self.recount.receipts[receipt].method);
                assert_eq!(refund.method, method);
                out.iter().for_each(|(lot, units)| self.recount.add(lot, *units));
                self.recount.receipt(holder, medicine, method, -1);
                self.recount.bills.get_mut(&id).unwrap().state = State::Refunded;
                if reopen {
                    self.recount.active.entry(prescription).or_insert((medicine, quantity, false));
                }
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    fn correct(&mut self) {
        let Some(place) = self.dice.pick(0..self.recount.receipts.len()) else { return };
        let ((holder, care), method) = (self.holder(), self.method());
        let id = ReceiptId::try_from(i64::try_from(place).unwrap() + 1).unwrap();
        let corrected = block_on(care.correct_receipt(id, NewCorrection { method, note: None }));
        let Receipt { medicine, sign, method: from } = self.recount.receipts[place];
        match (sign, corrected) {
            (None, Err(Error::Conflict(Conflict::NotCorrectable))) => {}
            (Some(_), Err(Error::Invalid(_))) => assert_eq!(method, from),
            (Some(sign), Ok(_)) => {
                assert_ne!(method, from);
                self.recount.take(holder, medicine, from, -sign);
                self.recount.take(holder, medicine, method, sign);
                self.recount.today += 1;
                self.recount.receipts[place].method = method;
                self.recount.receipts.push(Receipt { medicine, sign: None, method });
            }
            (_, other) => panic!("{other:?}"),
        }
    }

    /// Checks that the takings of a day are those of the recount, and returns them, a line for each holder.
    fn compare_takings(&mut self, day: i64) -> String {
        let (mut lines, mut taken) = (String::new(), BTreeMap::new());
        let day = Date::from_unix_days(20_000 + day).unwrap();
        let period = TakingsPeriod::new(Some(day), Some(day), self.today()).unwrap();
        let mut days = self.care.takings(period, None);
        while let Some(one) = block_on(days.try_next()).unwrap() {
            writeln!(lines, "{}", serde_json::to_string(&one).unwrap()).unwrap();
            for sum in one.sums.totals {
                let currency = sum.currency.map(|currency| currency.to_string());
                taken.insert((one.holder.to_string(), currency, sum.total.method.as_str()), sum.total.net());
            }
        }
        let known = std::mem::take(&mut self.recount.taken)
            .into_iter()
            .map(|((holder, currency, method), net)| ((holder.to_owned(), currency.map(str::to_owned), method), net));
        assert_eq!((days.sums().receipts, taken), (std::mem::take(&mut self.recount.today), known.collect()));
        lines
    }
}

#[test]
fn every_day_the_clinic_is_what_a_small_recount_says() {
    let days: i64 = env::var("CARE_CLINIC_DAYS").map_or(5 * DAYS, |days| days.parse().unwrap());
    let book = env::var_os("CARE_CLINIC_BOOK").map(PathBuf::from);
    let mut receipts = 0;
    for seed in 0..u64::try_from(days / DAYS).unwrap() {
        let mut clinic = Days::open(seed);
        let mut reported = format!("{}\n", json!({ "offset": clinic.offset }));
        for day in 0..DAYS {
            for _ in 0..clinic.dice.roll(30) {
                clinic.pass(day);
                clinic.act();
            }
            clinic.clock.fetch_max(clinic.midnight(day + 1) - 1, Ordering::SeqCst);
            clinic.compare_shelf();
            clinic.compare_people();
            reported += &clinic.compare_takings(day);
            block_on(audit::verify(clinic.care.store())).unwrap();
        }
        receipts += clinic.recount.receipts.len();
        if let Some(book) = &book {
            let entries = Clinic { care: clinic.care }.journal();
            let lines: String = entries.iter().map(|entry| serde_json::to_string(entry).unwrap() + "\n").collect();
            fs::write(book.join(format!("{seed}.journal")), lines).unwrap();
            fs::write(book.join(format!("{seed}.takings")), reported).unwrap();
        }
    }
    assert!(i64::try_from(receipts).unwrap() > days, "{receipts} receipts in {days} days");
}
