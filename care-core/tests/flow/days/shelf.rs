//! The acts at the shelf, and its comparison with the recount.

use std::collections::BTreeMap;

use care_core::{
    error::{Conflict, Error},
    model::{LotId, MovementId, MovementKind, MovementReason, Patch, StockDetails},
    service::{ExpectedVersion, NewMovement},
    stock::LotCount,
};
use futures_executor::block_on;

use super::{Days, key, recount::State, units};

impl Days {
    /// Returns a lot that is there, that was there, or that never was.
    fn lot(&mut self) -> LotId {
        if self.dice.roll(4) > 0
            && let Some(lot) = self.dice.pick(self.recount.lots.keys().cloned())
        {
            return lot;
        }
        let text = self.dice.pick([None, Some("A"), Some("B")]).unwrap();
        let days = self.dice.number(30);
        let expires = (self.dice.roll(4) > 0).then(|| self.today().plus_days(days).unwrap());
        LotId { lot: text.map(|text| text.to_owned().try_into().unwrap()), expires }
    }

    fn moved(&self, new: NewMovement) -> Result<MovementId, Error> {
        block_on(self.care.move_stock(key(), new)).map(|moved| moved.record.movement_id)
    }

    pub(super) fn receive(&mut self) {
        let (lot, number) = (self.lot(), self.dice.number(12) + 1);
        if lot.expires.is_some_and(|expires| expires < self.today()) {
            return;
        }
        let receipt = NewMovement::receipt(lot.clone(), units(number));
        let id = self.moved(receipt).unwrap();
        self.recount.add(&lot, number);
        self.recount.undoable.push((id, lot, number));
    }

    pub(super) fn remove(&mut self) {
        let (lot, number) = (self.lot(), self.dice.number(8) + 1);
        let reason = MovementReason::Lost;
        let moved = self.moved(NewMovement::removal(lot.clone(), units(number), reason));
        match (moved, self.recount.lots.get(&lot).copied().unwrap_or_default() >= number) {
            (Ok(id), true) => {
                self.recount.add(&lot, -number);
                self.recount.undoable.push((id, lot, -number));
            }
            (Err(Error::Conflict(Conflict::InsufficientStock)), false) => {}
            (other, _) => panic!("{other:?}"),
        }
    }

    pub(super) fn count(&mut self) {
        let lines: BTreeMap<_, _> = (0..=self.dice.roll(3)).map(|_| (self.lot(), self.dice.number(15))).collect();
        let counted =
            |(lot, counted): (&LotId, &i64)| LotCount { lot: lot.clone(), counted: (*counted).try_into().unwrap() };
        let counted = lines.iter().map(counted).collect();
        block_on(self.care.count_stock(key(), counted, None, ExpectedVersion::Any)).unwrap();
        self.recount.lots.extend(lines);
    }

    pub(super) fn take_back(&mut self) {
        let Some(invoice_id) = self.bill(State::Paid) else { return };
        let Some(place) = self.dice.pick(0..self.recount.bills[&invoice_id].handed.len()) else { return };
        let number = self.dice.number(4) + 1;
        let (lot, left) = self.recount.bills[&invoice_id].handed[place].clone();
        let back = NewMovement::returned(lot.clone(), units(number), invoice_id);
        match (self.moved(back), left >= number) {
            (Ok(_), true) => {
                self.recount.add(&lot, number);
                self.recount.bills.get_mut(&invoice_id).unwrap().handed[place].1 -= number;
            }
            (Err(Error::Conflict(Conflict::NotDispensed)), false) => {}
            (other, _) => panic!("{other:?}"),
        }
    }

    pub(super) fn undo(&mut self) {
        let Some(place) = self.dice.pick(0..self.recount.undoable.len()) else { return };
        let (id, lot, number) = self.recount.undoable[place].clone();
        let there = self.recount.lots.get(&lot).copied().unwrap_or_default();
        match (block_on(self.care.reverse_movement(id)), there >= number) {
            (Ok(reversal), true) => {
                assert_eq!((reversal.kind, reversal.units.value()), (MovementKind::Reversal, -number));
                self.recount.add(&lot, -number);
                self.recount.undoable.remove(place);
                let again = block_on(self.care.reverse_movement(id));
                assert!(matches!(again, Err(Error::Conflict(Conflict::AlreadyReversed))), "{again:?}");
            }
            (Err(Error::Conflict(Conflict::InsufficientStock)), false) => {}
            (other, _) => panic!("{other:?}"),
        }
    }

    pub(super) fn set(&mut self) {
        let mut details = StockDetails::default();
        match self.dice.roll(3) {
            0 => {
                self.recount.keep_days = self.dice.number(8);
                details.keep_days = Patch::Set(self.recount.keep_days.try_into().unwrap());
            }
            1 => {
                self.recount.supply_units = self.dice.number(4) + 1;
                details.supply_units = Patch::Set(self.recount.supply_units.try_into().unwrap());
            }
            _ => {
                self.recount.is_held = self.dice.roll(4) == 0;
                details.held = Patch::Set(self.recount.is_held);
            }
        }
        block_on(self.care.update_stock(key(), details, ExpectedVersion::Any)).unwrap();
    }

    /// Checks that the shelf is that of the recount.
    pub(super) fn compare_shelf(&self) {
        let live = block_on(self.care.stock(key())).unwrap().record;
        let there: BTreeMap<_, _> = live.shelf.lots().iter().map(|lot| (lot.id.clone(), lot.on_hand.value())).collect();
        let mut known = self.recount.lots.clone();
        known.retain(|_, units| *units > 0);
        assert_eq!(there, known);
        let (levels, usable, reserved) = (live.levels(), self.recount.usable(self.today()), self.recount.reserved());
        let expected = (usable, reserved, (usable - reserved).max(0));
        assert_eq!((levels.usable, levels.reserved, levels.available), expected);
        let item = block_on(self.care.item(key())).unwrap().record;
        assert_eq!(item.item.is_available, levels.available > 0 && !self.recount.is_held);
    }
}
