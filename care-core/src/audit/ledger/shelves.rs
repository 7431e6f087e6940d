//! Tracked medicines: the ledger of movements, and the records beside it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Contradiction, What, bills::Bills, prescriptions::Prescriptions};
use crate::{
    audit::replica::Replica,
    model::{
        Amount, Date, DispensedLot, Dispensing, Invoice, InvoiceId, Lot, LotId, MedicineKey, Movement, MovementId,
        MovementKind, OpenLot, Shelf, Stock, StockDay,
    },
    stock::{Ledger, LedgerError, is_usable, note},
    store::RecordKey,
};

#[derive(Debug, Default)]
pub(super) struct Shelves {
    ledger: Ledger,
    /// The stock of each tracked medicine, as it was written.
    tracked: BTreeMap<MedicineKey, Stock>,
    /// The kinds of the movements that can be reversed, and what they took from the units on order.
    reversible: BTreeMap<MovementId, (MovementKind, i64)>,
    /// The units on order before this entry, of each tracked medicine whose stock it writes.
    ordered: BTreeMap<MedicineKey, i64>,
    /// The daily counts that follow from the movements.
    days: BTreeMap<(MedicineKey, Date), StockDay>,
    handed: BTreeMap<InvoiceId, Dispensing>,
    /// The last movement of each medicine since its tracking began.
    last: BTreeMap<MedicineKey, MovementId>,
    /// The movements, medicines, lots, days and dispensings that this entry writes.
    moved: Vec<Movement>,
    touched: BTreeSet<MedicineKey>,
    touched_lots: BTreeSet<(MedicineKey, LotId)>,
    touched_days: BTreeSet<(MedicineKey, Date)>,
    touched_handed: BTreeSet<InvoiceId>,
}

impl Shelves {
    /// Checks a stock that is put.
    pub(super) fn put(&mut self, stock: &Stock) -> Result<(), What> {
        let key = stock.medicine.key().clone();
        self.touched.insert(key.clone());
        // The movements of an entry follow the stock whose tracking it starts.
        let began = || MovementId::try_from(self.ledger.last()).ok();
        let since = self.tracked.get(&key).map_or_else(began, |before| before.tracked_since);
        if let Some(before) = self.tracked.insert(key.clone(), stock.clone()) {
            self.ordered.entry(key).or_insert(before.settings.ordered.value());
        }
        if since == stock.tracked_since {
            Ok(())
        } else {
            Err("trackedSince is not the last movement before its tracking began")
        }
    }

    /// Notes that a stock is removed.
    pub(super) fn remove(&mut self, key: &MedicineKey) {
        self.tracked.remove(key);
        self.last.remove(key);
        self.touch(key);
    }

    /// Notes that the item of a medicine is removed.
    pub(super) fn touch(&mut self, key: &MedicineKey) {
        self.touched.insert(key.clone());
    }

    /// Checks a new movement.
    pub(super) fn enter(&mut self, movement: &Movement) -> Result<(), What> {
        self.ledger.enter(movement).map_err(|error| match error {
            LedgerError::Number => "is not the movement after the last one",
            LedgerError::Form => "has a sign or members that its kind has not",
            LedgerError::Below => "takes more from its lot than is in it",
            LedgerError::Limit => "passes the limits of a medicine's lots",
            LedgerError::Balance => "balance is not the sum of the movements",
            LedgerError::NotDispensed => "gives back more than its invoice took from the lot",
            LedgerError::NotReversible => "reverses what cannot be reversed, or not as its opposite",
        })?;
        let key = movement.medicine.key();
        self.last.insert(key.clone(), movement.movement_id);
        self.touched.insert(key.clone());
        self.touched_lots.insert((key.clone(), movement.lot_id()));
        if matches!(movement.kind, MovementKind::Receipt | MovementKind::Removal) {
            let taken = movement.from_order.map_or(0, |taken| taken.value());
            self.reversible.insert(movement.movement_id, (movement.kind, taken));
        }
        self.moved.push(movement.clone());
        Ok(())
    }

    /// Notes that a lot is put or removed.
    pub(super) fn touch_lot(&mut self, medicine: MedicineKey, lot: LotId) {
        self.touched_lots.insert((medicine, lot));
    }

    /// Notes that the counts of a day are put or removed.
    pub(super) fn touch_day(&mut self, medicine: MedicineKey, day: Date) {
        self.touched_days.insert((medicine, day));
    }

    /// Notes that the dispensing of an invoice is put or removed.
    pub(super) fn touch_handed(&mut self, id: InvoiceId) {
        self.touched_handed.insert(id);
    }

    /// Checks the quantity of a new invoice.
    pub(super) fn issue(&mut self, invoice: &Invoice) -> Result<(), What> {
        let key = invoice.medicine.key();
        self.touched.insert(key.clone());
        match (self.tracked.contains_key(key), invoice.quantity) {
            (true, None) => Err("reserves nothing, but its medicine is tracked"),
            (false, Some(_)) => Err("reserves units, but its medicine is not tracked"),
            _ => Ok(()),
        }
    }

    /// Checks the complete entry. The replica is as after it.
    pub(super) fn end(
        &mut self,
        replica: &Replica,
        bills: &Bills,
        prescriptions: &Prescriptions,
    ) -> Result<(), Contradiction> {
        let moved = std::mem::take(&mut self.moved);
        self.count(&moved, prescriptions)?;
        self.order(&moved)?;
        returns(&moved, bills.refunded(), &self.handed)?;
        payments(&moved, bills.paid(), |key| {
            let stock = self.tracked.get(key)?;
            Some((stock, self.ledger.shelf(key)))
        })?;
        let touched = std::mem::take(&mut self.touched);
        let medicines = bills.paid().iter().map(|paid| paid.medicine.key().clone());
        for key in touched.into_iter().chain(medicines) {
            self.compare(&key, replica, bills.reserved(&key))?;
        }
        while let Some(key) = self.touched_lots.pop_first() {
            self.compare_lot(key, replica)?;
        }
        while let Some(key) = self.touched_days.pop_first() {
            let is_due = self.days.get(&key).is_some_and(|due| replica.holds_as_it_is(&due.clone().into()));
            if !is_due {
                return Err(Contradiction::of(RecordKey::StockDay(key), "does not count what was moved"));
            }
        }
        while let Some(id) = self.touched_handed.pop_first() {
            let is_due = self.handed.get(&id).is_some_and(|due| replica.holds_as_it_is(&due.clone().into()));
            if !is_due {
                return Err(Contradiction::of(RecordKey::Dispensing(id), "is not what its movements say"));
            }
        }
        Ok(())
    }

    /// Follows the units on order through the movements of the entry: a receipt takes what it can, and its reversal
    /// gives that back. No other movement changes them.
    fn order(&mut self, moved: &[Movement]) -> Result<(), Contradiction> {
        let mut ordered = std::mem::take(&mut self.ordered);
        for movement in moved {
            let Some(left) = ordered.get_mut(movement.medicine.key()) else { continue };
            let taken = movement.from_order.map_or(0, |taken| taken.value());
            match movement.kind {
                MovementKind::Receipt if taken != movement.units.value().min(*left) => {
                    let what = "fromOrder is not what it could take from the units on order";
                    return Err(Contradiction::of(RecordKey::Movement(movement.movement_id), what));
                }
                MovementKind::Receipt => *left -= taken,
                MovementKind::Reversal => {
                    let reversed = movement.reverses.and_then(|id| self.reversible.get(&id));
                    *left = (*left + reversed.map_or(0, |(_, taken)| *taken)).min(Amount::MAX);
                }
                MovementKind::Dispense | MovementKind::Return | MovementKind::Removal | MovementKind::Adjustment => {}
            }
        }
        for (key, left) in ordered {
            let is_moved = moved.iter().any(|movement| *movement.medicine.key() == key);
            let written = self.tracked.get(&key).map(|stock| stock.settings.ordered.value());
            if is_moved && written != Some(left) {
                let what = "ordered is not what its movements leave of it";
                return Err(Contradiction::of(RecordKey::Stock(key), what));
            }
        }
        Ok(())
    }

    /// Compares the stock of a medicine with its movements, its invoices and the inventory.
    fn compare(&self, key: &MedicineKey, replica: &Replica, reserved: i64) -> Result<(), Contradiction> {
        let wrong = |what: What| Err(Contradiction::of(RecordKey::Stock(key.clone()), what));
        let shelf = self.ledger.shelf(key);
        let Some(stock) = self.tracked.get(key) else {
            if shelf.is_some_and(|shelf| shelf.on_hand() > Amount::ZERO) {
                return wrong("is missing, but units of its medicine are");
            }
            return if reserved == 0 {
                Ok(())
            } else {
                wrong("is missing, but an unpaid invoice reserves units of it")
            };
        };
        if !replica.holds(&RecordKey::Item(key.clone())) {
            return wrong("is there, but its medicine is not in the inventory");
        }
        if stock.moved != self.last.get(key).copied() {
            return wrong("moved is not the number of its last movement");
        }
        let mut noted = stock.clone();
        noted.note(shelf.unwrap_or(&Shelf::default()));
        if noted != *stock {
            return wrong("onHand or expires is not that of its open lots");
        }
        if stock.reserved.value() != reserved {
            return wrong("reserved is not the sum of its unpaid invoices");
        }
        if !stock.settings.contradictions().is_empty() {
            return wrong("settings contradict each other");
        }
        Ok(())
    }

    /// Compares a lot with the movements of its medicine.
    fn compare_lot(&self, key: (MedicineKey, LotId), replica: &Replica) -> Result<(), Contradiction> {
        let on_hand = self.ledger.shelf(&key.0).and_then(|shelf| shelf.of(&key.1));
        let due = on_hand.zip(self.tracked.get(&key.0)).map(|(on_hand, stock)| {
            let lot = Lot { id: key.1.clone(), on_hand };
            OpenLot::new(stock.medicine.clone(), lot)
        });
        let lot = RecordKey::OpenLot(key);
        let is_due = match due {
            Some(due) => replica.holds_as_it_is(&due.into()),
            None => !replica.holds(&lot),
        };
        if is_due { Ok(()) } else { Err(Contradiction::of(lot, "is not what its movements make")) }
    }

    /// Recounts the movements of the entry.
    fn count(&mut self, moved: &[Movement], prescriptions: &Prescriptions) -> Result<(), Contradiction> {
        for movement in moved {
            let key = movement.medicine.key();
            let Some(keep) = self.tracked.get(key).map(|stock| stock.settings.keep_days) else {
                let what = "is of a medicine that is not tracked";
                return Err(Contradiction::of(RecordKey::Movement(movement.movement_id), what));
            };
            let is_regular = self.hand(movement, prescriptions);
            let undone = movement.reverses.and_then(|id| self.reversible.get(&id)).map(|(kind, _)| *kind);
            let day = (key.clone(), movement.day);
            let empty = || StockDay::new(movement.medicine.clone(), movement.day);
            let counts = self.days.entry(day.clone()).or_insert_with(empty);
            let shelf = self.ledger.shelf(key).cloned().unwrap_or_default();
            note(counts, movement, is_regular, undone, &shelf, keep);
            self.touched_days.insert(day);
        }
        Ok(())
    }

    /// Notes the units that an invoice takes or gives back, and returns whether its prescription recurred when it was
    /// paid.
    fn hand(&mut self, movement: &Movement, prescriptions: &Prescriptions) -> bool {
        let Some(id) = movement.invoice_id else {
            return false;
        };
        self.touched_handed.insert(id);
        let is_regular = || movement.prescription_id.and_then(|id| prescriptions.get(id)).is_some_and(|p| p.is_regular);
        let handed = self.handed.entry(id).or_insert_with(|| Dispensing {
            invoice_id: id,
            medicine: movement.medicine.clone(),
            is_regular: is_regular(),
            tracked_since: self.tracked.get(movement.medicine.key()).and_then(|stock| stock.tracked_since),
            lots: Vec::new(),
        });
        let (lot, units) = (movement.lot_id(), movement.units.units());
        if movement.kind == MovementKind::Dispense {
            handed.lots.push(DispensedLot { id: lot, units, returned: Amount::ZERO });
        } else {
            // The ledger has already refused a number that is too high.
            let _ = handed.take_back(&lot, units);
        }
        handed.is_regular
    }
}

/// Checks that an entry which refunds an invoice and brings units back brings back all that were out of that invoice,
/// and no others.
fn returns(
    moved: &[Movement],
    refunded: &[Invoice],
    handed: &BTreeMap<InvoiceId, Dispensing>,
) -> Result<(), Contradiction> {
    let mut returned = moved.iter().filter(|movement| movement.kind == MovementKind::Return).peekable();
    let Some(first) = returned.peek().filter(|_| !refunded.is_empty()) else {
        return Ok(());
    };
    let first = RecordKey::Movement(first.movement_id);
    let is_of = |movement: &Movement| refunded.iter().any(|refunded| movement.invoice_id == Some(refunded.invoice_id));
    if let Some(movement) = returned.find(|movement| !is_of(movement)) {
        let what = "comes back with the refund of another invoice";
        return Err(Contradiction::of(RecordKey::Movement(movement.movement_id), what));
    }
    let is_out = |lot: &DispensedLot| lot.returned.value() < lot.units.value();
    let of = refunded.iter().filter_map(|refunded| handed.get(&refunded.invoice_id));
    match of.flat_map(|handed| &handed.lots).any(is_out) {
        true => Err(Contradiction::of(first, "comes back with a refund, but not all that was out does")),
        false => Ok(()),
    }
}

/// Compares the dispensed units of an entry with the invoices that it pays: exactly the reserved units, from usable
/// lots, and no usable lot that expires sooner kept a unit.
fn payments<'a>(
    moved: &[Movement],
    paid: &[Invoice],
    stock_of: impl Fn(&MedicineKey) -> Option<(&'a Stock, Option<&'a crate::model::Shelf>)>,
) -> Result<(), Contradiction> {
    let dispensed = || moved.iter().filter(|movement| movement.kind == MovementKind::Dispense);
    for movement in dispensed() {
        let is_of = |paid: &&Invoice| {
            movement.invoice_id == Some(paid.invoice_id)
                && movement.prescription_id == Some(paid.prescription_id)
                && movement.medicine.key() == paid.medicine.key()
        };
        if !paid.iter().any(|paid| is_of(&paid)) {
            let what = "hands units out, but the entry does not pay its invoice";
            return Err(Contradiction::of(RecordKey::Movement(movement.movement_id), what));
        }
    }
    for invoice in paid {
        let wrong = |what: What| Err(Contradiction::of(RecordKey::Invoice(invoice.invoice_id), what));
        let taken: Vec<_> = dispensed().filter(|movement| movement.invoice_id == Some(invoice.invoice_id)).collect();
        let units: i64 = taken.iter().map(|movement| -movement.units.value()).sum();
        if units != invoice.quantity.map_or(0, |quantity| quantity.value()) {
            return wrong("is paid, but what was handed out is not its quantity");
        }
        let (Some(last), Some((stock, shelf))) = (taken.last(), stock_of(invoice.medicine.key())) else {
            continue;
        };
        let (keep, today) = (stock.settings.keep_days, last.day);
        let usable = |id: LotId| is_usable(&crate::model::Lot { id, on_hand: last.units.units() }, keep, today);
        if !taken.iter().all(|movement| usable(movement.lot_id())) {
            return wrong("is paid, but what was handed out was not usable that day");
        }
        let latest = taken.iter().map(|movement| movement.lot_id()).max().unwrap_or_default();
        let mut left = shelf.map_or(&[][..], |shelf| shelf.lots()).iter();
        if left.any(|lot| lot.id < latest && usable(lot.id.clone())) {
            return wrong("is paid, but a lot that expires sooner kept units");
        }
        if stock.settings.held {
            return wrong("is paid, but its medicine is held");
        }
    }
    Ok(())
}
