//! A pharmacy through random days, against a small model that keeps every unit by itself. Each act must end as the
//! model says; after each day the shelf is the model's, and the audit is content.
//!
//! `CARE_CLINIC_DAYS` makes a longer run.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use care_core::{
    audit,
    error::{Conflict, Error},
    model::{
        InvoiceId, LotId, MedicineKey, MovementId, MovementKind, MovementReason, Patch, PatientDetails,
        PrescriptionDetails, PrescriptionId, StockDetails, Timestamp, UnitName, Units,
    },
    service::{CareService, ExpectedVersion, NewMovement, NewPrescription, OpeningLot},
    stock::LotCount,
    store::{Limit, MemoryStore, MovementFilter},
};
use futures_executor::block_on;

use crate::{
    clinic::{Clinic, medicine, regular},
    months::Dice,
};

/// The days in the journal of one pharmacy. Each audit begins with the first of them.
const DAYS: u64 = 20;
const DAY: i64 = 86_400_000;
const MEDICINE: &str = "Ibuprofen";

/// The stock that the pharmacy should have.
#[derive(Debug, Default)]
struct Model {
    lots: BTreeMap<LotId, i64>,
    keep_days: i64,
    supply_units: i64,
    is_held: bool,
    /// The prescriptions that can be invoiced, with what they are for.
    active: BTreeMap<PrescriptionId, (Option<i64>, bool)>,
    unpaid: BTreeMap<InvoiceId, (PrescriptionId, i64)>,
    /// The units that each payment took from each lot, less those that came back.
    handed: Vec<(InvoiceId, LotId, i64)>,
    /// The receipts and removals that can be undone, with the units that they added.
    undoable: Vec<(MovementId, LotId, i64)>,
}

struct Pharmacy {
    care: CareService,
    clock: Arc<AtomicI64>,
    model: Model,
    dice: Dice,
}

fn key() -> MedicineKey {
    medicine(MEDICINE).key().clone()
}

fn units(number: i64) -> Units {
    number.try_into().unwrap()
}

impl Model {
    fn is_usable(&self, lot: &LotId, today: i64) -> bool {
        lot.expires.is_none_or(|expires| expires.unix_days() - self.keep_days >= today)
    }

    fn usable(&self, today: i64) -> i64 {
        self.lots.iter().filter(|(lot, _)| self.is_usable(lot, today)).map(|(_, units)| units).sum()
    }

    fn reserved(&self) -> i64 {
        self.unpaid.values().map(|(_, quantity)| quantity).sum()
    }

    /// Returns the lots from which these units are handed out, one by one from the first usable lot.
    fn handed_out(&self, quantity: i64, today: i64) -> Option<Vec<(LotId, i64)>> {
        let mut left = self.lots.clone();
        let mut handed: Vec<(LotId, i64)> = Vec::new();
        for _ in 0..quantity {
            let (lot, there) = left.iter_mut().find(|(lot, there)| **there > 0 && self.is_usable(lot, today))?;
            *there -= 1;
            match handed.last_mut().filter(|(last, _)| last == lot) {
                Some((_, units)) => *units += 1,
                None => handed.push((lot.clone(), 1)),
            }
        }
        Some(handed)
    }

    fn add(&mut self, lot: &LotId, units: i64) {
        let there = self.lots.entry(lot.clone()).or_default();
        *there += units;
        assert!(*there >= 0, "below zero");
    }
}

impl Pharmacy {
    fn open(seed: u64) -> Self {
        let clock = Arc::new(AtomicI64::new(20_000 * DAY + DAY / 2));
        let read = Arc::clone(&clock);
        let now = move || Timestamp::from_unix_millis(read.load(Ordering::SeqCst)).unwrap();
        let clinic = Clinic { care: CareService::new(MemoryStore::new()).with_clock(now) };
        clinic.stock(MEDICINE, true);
        let care = clinic.care;
        let (unit, lot) = (UnitName::new("tablets").unwrap(), LotId::default());
        let opening = vec![OpeningLot { lot: lot.clone(), units: units(9) }];
        block_on(care.start_stock(key(), unit, StockDetails::default(), opening)).unwrap();
        let model = Model { lots: BTreeMap::from([(lot, 9)]), supply_units: 1, ..Model::default() };
        Self { care, clock, model, dice: Dice(seed) }
    }

    fn roll(&mut self, sides: u64) -> i64 {
        i64::try_from(self.dice.roll(sides)).unwrap()
    }

    fn today(&self) -> i64 {
        self.care.today().unwrap().unix_days()
    }

    /// Returns a lot that is there, that was there, or that never was.
    fn lot(&mut self) -> LotId {
        let known: Vec<_> = self.model.lots.keys().cloned().collect();
        if self.roll(4) > 0
            && let Some(lot) = known.get(usize::try_from(self.roll(known.len().max(1) as u64)).unwrap())
        {
            return lot.clone();
        }
        let text = [None, Some("A"), Some("B")][self.dice.roll(3) as usize];
        let days = self.roll(30);
        let today = self.care.today().unwrap();
        let expires = (self.roll(4) > 0).then(|| today.plus_days(days).unwrap());
        LotId { lot: text.map(|text| text.to_owned().try_into().unwrap()), expires }
    }

    /// Does one thing that happens in a pharmacy.
    fn act(&mut self) {
        match self.dice.roll(24) {
            0..=4 => self.prescribe(),
            5..=9 => self.issue(),
            10..=13 => self.pay(),
            14 => self.cancel(),
            15..=17 => self.receive(),
            18 => self.remove(),
            19 => self.count(),
            20 => self.take_back(),
            21 => self.undo(),
            _ => self.set(),
        }
    }

    fn prescribe(&mut self) {
        let (is_regular, quantity) = (self.roll(3) == 0, Some(self.roll(6)).filter(|quantity| *quantity > 0));
        let details = if is_regular { regular() } else { PrescriptionDetails::default() };
        let quantity = quantity.map(|quantity| quantity.try_into().unwrap());
        let new = NewPrescription { details, quantity, ..NewPrescription::of(medicine(MEDICINE)) };
        let patient = block_on(self.care.register_patient(PatientDetails::default())).unwrap().patient_id;
        let made = block_on(self.care.prescribe(patient, new)).unwrap().record.prescription;
        let wanted = quantity.map_or(self.model.supply_units, care_core::model::Quantity::value);
        assert_eq!(made.quantity.map(care_core::model::Quantity::value), Some(wanted));
        self.model.active.insert(made.prescription_id, (Some(wanted), is_regular));
    }

    fn issue(&mut self) {
        let active: Vec<_> = self.model.active.keys().copied().collect();
        let Some(prescription) = self.dice.one_of(&active) else { return };
        let issued = block_on(self.care.issue_invoice(prescription));
        let known = self.model.unpaid.iter().find(|(_, (of, _))| *of == prescription).map(|(invoice, _)| *invoice);
        let (quantity, _) = self.model.active[&prescription];
        let quantity = quantity.unwrap_or(self.model.supply_units);
        let available = self.model.usable(self.today()) - self.model.reserved();
        match (known, issued) {
            (Some(known), Ok(issued)) => assert_eq!((issued.invoice.invoice_id, issued.is_new), (known, false)),
            (None, Ok(issued)) => {
                assert!(!self.model.is_held && available >= quantity && issued.is_new);
                self.model.unpaid.insert(issued.invoice.invoice_id, (prescription, quantity));
            }
            (None, Err(Error::Conflict(Conflict::InsufficientStock))) => {
                assert!(self.model.is_held || available < quantity);
            }
            (_, other) => panic!("{other:?}"),
        }
    }

    fn unpaid(&mut self) -> Option<InvoiceId> {
        let unpaid: Vec<_> = self.model.unpaid.keys().copied().collect();
        self.dice.one_of(&unpaid)
    }

    fn pay(&mut self) {
        let Some(invoice) = self.unpaid() else { return };
        let (prescription, quantity) = self.model.unpaid[&invoice];
        let handed = self.model.handed_out(quantity, self.today()).filter(|_| !self.model.is_held);
        match (handed, block_on(self.care.pay_invoice(invoice))) {
            (None, Err(Error::Conflict(Conflict::InsufficientStock))) => {}
            (Some(handed), Ok(_)) => {
                let filter = MovementFilter { invoice_id: Some(invoice), ..MovementFilter::default() };
                let moved = block_on(self.care.movements(filter, None, Limit::items(100))).unwrap().items;
                let moved: Vec<_> =
                    moved.iter().map(|moved| (moved.record.lot_id(), -moved.record.units.value())).collect();
                assert_eq!(moved, handed, "first expired first out");
                for (lot, units) in handed {
                    self.model.add(&lot, -units);
                    self.model.handed.push((invoice, lot, units));
                }
                self.model.unpaid.remove(&invoice);
                if !self.model.active[&prescription].1 {
                    self.model.active.remove(&prescription);
                }
            }
            other => panic!("{other:?}"),
        }
    }

    fn cancel(&mut self) {
        let Some(invoice) = self.unpaid() else { return };
        block_on(self.care.cancel_invoice(invoice, ExpectedVersion::Any)).unwrap();
        self.model.unpaid.remove(&invoice);
    }

    fn moved(&mut self, new: NewMovement) -> Result<MovementId, Error> {
        block_on(self.care.move_stock(key(), new)).map(|moved| moved.record.movement_id)
    }

    fn receive(&mut self) {
        let (lot, number) = (self.lot(), self.roll(12) + 1);
        if lot.expires.is_some_and(|expires| expires.unix_days() < self.today()) {
            return;
        }
        let receipt = NewMovement::Receipt { lot: lot.clone(), units: units(number), cost: None, note: None };
        let id = self.moved(receipt).unwrap();
        self.model.add(&lot, number);
        self.model.undoable.push((id, lot, number));
    }

    fn remove(&mut self) {
        let (lot, number) = (self.lot(), self.roll(8) + 1);
        let reason = MovementReason::Lost;
        let moved = self.moved(NewMovement::Removal { lot: lot.clone(), units: units(number), reason, note: None });
        match (moved, self.model.lots.get(&lot).copied().unwrap_or_default() >= number) {
            (Ok(id), true) => {
                self.model.add(&lot, -number);
                self.model.undoable.push((id, lot, -number));
            }
            (Err(Error::Conflict(Conflict::InsufficientStock)), false) => {}
            (other, _) => panic!("{other:?}"),
        }
    }

    fn count(&mut self) {
        let lines: BTreeMap<_, _> = (0..=self.roll(3)).map(|_| (self.lot(), self.roll(15))).collect();
        let counted =
            |(lot, counted): (&LotId, &i64)| LotCount { lot: lot.clone(), counted: (*counted).try_into().unwrap() };
        let counted = lines.iter().map(counted).collect();
        block_on(self.care.count_stock(key(), counted, None, ExpectedVersion::Any)).unwrap();
        self.model.lots.extend(lines);
    }

    fn take_back(&mut self) {
        let places: Vec<_> = (0..self.model.handed.len()).collect();
        let Some(place) = self.dice.one_of(&places) else { return };
        let number = self.roll(4) + 1;
        let (invoice_id, lot, left) = self.model.handed[place].clone();
        let back = NewMovement::Return { lot: lot.clone(), units: units(number), invoice_id, note: None };
        match (self.moved(back), left >= number) {
            (Ok(_), true) => {
                self.model.add(&lot, number);
                self.model.handed[place].2 -= number;
            }
            (Err(Error::Conflict(Conflict::NotDispensed)), false) => {}
            (other, _) => panic!("{other:?}"),
        }
    }

    fn undo(&mut self) {
        let places: Vec<_> = (0..self.model.undoable.len()).collect();
        let Some(place) = self.dice.one_of(&places) else { return };
        let (id, lot, number) = self.model.undoable[place].clone();
        let there = self.model.lots.get(&lot).copied().unwrap_or_default();
        match (block_on(self.care.reverse_movement(id)), there >= number) {
            (Ok(reversal), true) => {
                assert_eq!((reversal.kind, reversal.units.value()), (MovementKind::Reversal, -number));
                self.model.add(&lot, -number);
                self.model.undoable.remove(place);
                let again = block_on(self.care.reverse_movement(id));
                assert!(matches!(again, Err(Error::Conflict(Conflict::AlreadyReversed))), "{again:?}");
            }
            (Err(Error::Conflict(Conflict::InsufficientStock)), false) => {}
            (other, _) => panic!("{other:?}"),
        }
    }

    fn set(&mut self) {
        let mut details = StockDetails::default();
        match self.dice.roll(3) {
            0 => {
                self.model.keep_days = self.roll(8);
                details.keep_days = Patch::Set(self.model.keep_days.try_into().unwrap());
            }
            1 => {
                self.model.supply_units = self.roll(4) + 1;
                details.supply_units = Patch::Set(self.model.supply_units.try_into().unwrap());
            }
            _ => {
                self.model.is_held = self.roll(4) == 0;
                details.held = Patch::Set(self.model.is_held);
            }
        }
        block_on(self.care.update_stock(key(), details, ExpectedVersion::Any)).unwrap();
    }

    /// Checks that the shelf is the model's, and that nothing contradicts anything else.
    fn compare(&self) {
        let live = block_on(self.care.stock(key())).unwrap().record;
        let there: BTreeMap<_, _> = live.shelf.lots().iter().map(|lot| (lot.id.clone(), lot.on_hand.value())).collect();
        let known: BTreeMap<_, _> =
            self.model.lots.iter().filter(|(_, units)| **units > 0).map(|(lot, units)| (lot.clone(), *units)).collect();
        assert_eq!(there, known);
        let (levels, usable) = (live.levels(), self.model.usable(self.today()));
        assert_eq!((levels.usable, levels.reserved), (usable, self.model.reserved()));
        assert_eq!(levels.available, (usable - self.model.reserved()).max(0));
        let item = block_on(self.care.item(key())).unwrap().record;
        assert_eq!(item.item.is_available, levels.available > 0 && !self.model.is_held);
        block_on(audit::verify(self.care.store())).unwrap();
    }
}

#[test]
fn every_day_the_shelf_is_what_a_small_model_says() {
    let days = std::env::var("CARE_CLINIC_DAYS").ok().map_or(100, |days| days.parse().unwrap());
    for seed in 0..days / DAYS {
        let mut pharmacy = Pharmacy::open(seed);
        for _ in 0..DAYS {
            for _ in 0..pharmacy.roll(9) + 4 {
                pharmacy.act();
            }
            pharmacy.compare();
            let days = pharmacy.roll(3) + 1;
            pharmacy.clock.fetch_add(days * DAY, Ordering::SeqCst);
        }
    }
}
