//! Random days of a shelf, compared with a small model that keeps every unit by itself.

use std::collections::BTreeMap;

use proptest::{collection::vec, prelude::*, test_runner::RngSeed};

use super::medicine;
use crate::{
    model::{
        Amount, Date, Delta, InvoiceId, KeepDays, LotId, LotText, Movement, MovementId, MovementKind, MovementReason,
        PrescriptionId, Shelf, ShelfError, StockDay, Units,
    },
    stock::{Ledger, LotCount, Step, apply, count, levels, note, take},
};

/// A random action at the shelf.
#[derive(Debug, Clone)]
enum Move {
    Receive { lot: u8, expires: Option<i64>, units: i64 },
    Dispense { units: i64 },
    Remove { lot: usize, units: i64 },
    Count { lots: Vec<(usize, i64)> },
    Return { dispensing: usize, units: i64 },
    Undo { movement: usize },
    Sleep { days: i64 },
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let receive = (0_u8..4, proptest::option::of(0_i64..40), 1_i64..50)
        .prop_map(|(lot, expires, units)| Move::Receive { lot, expires, units });
    let one = prop_oneof![
        3 => receive,
        6 => (1_i64..30).prop_map(|units| Move::Dispense { units }),
        1 => (0_usize..8, 1_i64..30).prop_map(|(lot, units)| Move::Remove { lot, units }),
        1 => vec((0_usize..8, 0_i64..40), 1..4).prop_map(|lots| Move::Count { lots }),
        1 => (0_usize..8, 1_i64..20).prop_map(|(dispensing, units)| Move::Return { dispensing, units }),
        1 => (0_usize..30).prop_map(|movement| Move::Undo { movement }),
        3 => (1_i64..4).prop_map(|days| Move::Sleep { days }),
    ];
    vec(one, 1..60)
}

/// The shelf under test with its ledger, and beside it the units of each lot in a map without rules.
struct Clinic {
    today: i64,
    keep: KeepDays,
    shelf: Shelf,
    ledger: Ledger,
    movements: Vec<Movement>,
    day: StockDay,
    naive: BTreeMap<LotId, i64>,
}

impl Clinic {
    fn today(&self) -> Date {
        super::date(self.today)
    }

    /// Adds steps to the ledger, the counts and the small model.
    fn enter(&mut self, step: Step, kind: MovementKind, invoice: Option<i64>, reverses: Option<&Movement>) {
        let reason = match kind {
            MovementKind::Removal => Some(MovementReason::Lost),
            MovementKind::Adjustment => Some(MovementReason::Count),
            _ => None,
        };
        let movement = Movement {
            movement_id: MovementId::try_from(self.ledger.last() + 1).unwrap(),
            medicine: medicine(),
            kind,
            reason,
            units: step.units,
            balance: step.balance,
            lot: step.lot.lot.clone(),
            expires: step.lot.expires,
            day: self.today(),
            invoice_id: invoice.map(|id| InvoiceId::try_from(id).unwrap()),
            prescription_id: invoice.map(|id| PrescriptionId::try_from(id).unwrap()),
            reverses: reverses.map(|movement| movement.movement_id),
            cost: None,
            currency: None,
            from_order: None,
            note: None,
        };
        let left = self.naive.entry(step.lot).or_default();
        *left += step.units.value();
        assert!(*left >= 0, "below zero");
        self.ledger.enter(&movement).unwrap();
        if self.day.day != self.today() {
            self.day = StockDay::new(medicine(), self.today());
        }
        note(&mut self.day, &movement, false, reverses.map(|movement| movement.kind), &self.shelf, self.keep);
        self.movements.push(movement);
    }

    /// Returns the units that the small model hands out: one by one, each from the first usable lot.
    fn handed(&self, units: i64) -> Option<BTreeMap<LotId, i64>> {
        let mut lots = self.naive.clone();
        let mut handed = BTreeMap::new();
        for _ in 0..units {
            let usable = |id: &LotId| id.expires.is_none_or(|day| day.unix_days() >= self.today + self.keep.value());
            let (id, left) = lots.iter_mut().find(|(id, left)| usable(id) && **left > 0)?;
            *left -= 1;
            *handed.entry(id.clone()).or_default() += 1;
        }
        Some(handed)
    }

    fn play(&mut self, played: &Move) {
        let known: Vec<_> = self.naive.keys().cloned().collect();
        let lot = |number: usize| known.get(number).cloned().unwrap_or_default();
        match played {
            Move::Sleep { days } => self.today += days,
            Move::Receive { lot, expires, units } => {
                let lot = LotId {
                    lot: (*lot > 0).then(|| LotText::new(lot.to_string()).unwrap()),
                    expires: expires.map(|days| super::date(self.today + days)),
                };
                let step = apply(&mut self.shelf, lot, Delta::try_from(*units).unwrap());
                self.enter(step.unwrap(), MovementKind::Receipt, None, None);
            }
            Move::Dispense { units } => {
                let due = self.handed(*units);
                let units = Units::try_from(*units).unwrap();
                let today = self.today();
                match take(&mut self.shelf, units, self.keep, today) {
                    Ok(steps) => {
                        let taken: BTreeMap<_, _> =
                            steps.iter().map(|step| (step.lot.clone(), -step.units.value())).collect();
                        assert_eq!(Some(taken), due);
                        let invoice = self.ledger.last() + 1;
                        for step in steps {
                            self.enter(step, MovementKind::Dispense, Some(invoice), None);
                        }
                    }
                    Err(error) => assert_eq!((error, due), (ShelfError::TooFew, None)),
                }
            }
            Move::Remove { lot: number, units } => {
                let (lot, units) = (lot(*number), Units::try_from(*units).unwrap());
                let there = self.naive.get(&lot).copied().unwrap_or_default();
                match apply(&mut self.shelf, lot, units.taken()) {
                    Ok(step) => self.enter(step, MovementKind::Removal, None, None),
                    Err(error) => assert!(error == ShelfError::TooFew && there < units.value()),
                }
            }
            Move::Count { lots } => {
                let lines: BTreeMap<_, _> =
                    lots.iter().map(|(number, counted)| (lot(*number), Amount::try_from(*counted).unwrap())).collect();
                let lines: Vec<_> = lines.into_iter().map(|(lot, counted)| LotCount { lot, counted }).collect();
                for step in count(&mut self.shelf, &lines).unwrap() {
                    self.enter(step, MovementKind::Adjustment, None, None);
                }
                for line in lines {
                    assert_eq!(self.naive.get(&line.lot).copied().unwrap_or_default(), line.counted.value());
                }
            }
            Move::Return { dispensing, units } => {
                let mut handed = self.movements.iter().filter(|movement| movement.kind == MovementKind::Dispense);
                let Some(handed) = handed.nth(*dispensing).cloned() else {
                    return;
                };
                let same = |movement: &&Movement| {
                    movement.invoice_id == handed.invoice_id && movement.lot_id() == handed.lot_id()
                };
                let left: i64 = self.movements.iter().filter(same).map(|movement| -movement.units.value()).sum();
                if left < *units {
                    return;
                }
                let step = apply(&mut self.shelf, handed.lot_id(), Delta::try_from(*units).unwrap());
                self.enter(step.unwrap(), MovementKind::Return, handed.invoice_id.map(InvoiceId::value), None);
            }
            Move::Undo { movement } => {
                let Some(undone) = self.movements.get(*movement).cloned() else {
                    return;
                };
                let is_undone = self.movements.iter().any(|other| other.reverses == Some(undone.movement_id));
                if is_undone || !matches!(undone.kind, MovementKind::Receipt | MovementKind::Removal) {
                    return;
                }
                if let Ok(step) = apply(&mut self.shelf, undone.lot_id(), undone.units.reversed()) {
                    self.enter(step, MovementKind::Reversal, None, Some(&undone));
                }
            }
        }
    }

    /// Tests the properties that hold after every action.
    fn check(&self) {
        let lots: BTreeMap<_, _> = self.shelf.lots().iter().map(|lot| (lot.id.clone(), lot.on_hand.value())).collect();
        let naive: BTreeMap<_, _> = self.naive.clone().into_iter().filter(|(_, units)| *units > 0).collect();
        assert_eq!(lots, naive);
        assert_eq!(self.ledger.shelf(medicine().key()).cloned().unwrap_or_default(), self.shelf);
        let found = levels(&self.shelf, Amount::ZERO, self.keep, self.today());
        assert_eq!(found.on_hand, naive.values().sum::<i64>());
        assert!(found.usable + found.expired <= found.on_hand);
        if self.day.day == self.today() {
            let StockDay { received, dispensed, returned, removed, adjusted, on_hand, .. } = self.day;
            let before = self.movements.iter().rfind(|movement| movement.day != self.today());
            let before = before.map_or(0, |movement| movement.balance.value());
            let moved = received + returned as i64 - dispensed as i64 - removed + adjusted;
            assert_eq!(before + moved, on_hand.value());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]
    #[test]
    fn a_shelf_is_what_the_small_model_says(moves in moves(), keep in 0_i64..10) {
        let today = 20_000;
        let mut clinic = Clinic {
            today,
            keep: KeepDays::clamped(keep),
            shelf: Shelf::default(),
            ledger: Ledger::new(),
            movements: Vec::new(),
            day: StockDay::new(medicine(), super::date(today - 1)),
            naive: BTreeMap::new(),
        };
        for played in &moves {
            clinic.play(played);
            clinic.check();
        }
        // The ledger reads the same movements again, and refuses each line after a change.
        let mut again = Ledger::new();
        for movement in &clinic.movements {
            let wrong = Movement { balance: Amount::clamped(movement.balance.value() + 1), ..movement.clone() };
            prop_assert!(again.clone().enter(&wrong).is_err());
            prop_assert!(again.enter(movement).is_ok());
            prop_assert!(again.enter(movement).is_err());
        }
    }
}
