//! Tracked medicines: the ledger of movements, and the records beside it.

use std::collections::BTreeMap;

use super::{bills::Bills, prescriptions::Prescriptions};
use crate::{
    audit::contradiction::{Contradiction, What, require, require_of},
    model::{
        Amount, Date, DispensedLot, Dispensing, Invoice, InvoiceId, Lot, LotId, MedicineKey, Movement, MovementId,
        MovementKind, OpenLot, Shelf, Stock, StockDay,
    },
    stock::{Ledger, LedgerError, is_usable, note},
    store::{Record, RecordKey},
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
    /// The movements that this entry writes.
    moved: Vec<Movement>,
}

impl Shelves {
    /// Checks a stock that is put.
    pub(super) fn put(&mut self, stock: &Stock) -> Result<(), What> {
        let key = stock.medicine.key().clone();
        // The movements of an entry follow the stock whose tracking it starts.
        let began = || MovementId::try_from(self.ledger.last()).ok();
        let since = self.tracked.get(&key).map_or_else(began, |before| before.tracked_since);
        if let Some(before) = self.tracked.insert(key.clone(), stock.clone()) {
            self.ordered.entry(key).or_insert(before.settings.ordered.value());
        }
        require(since == stock.tracked_since, "trackedSince is not the last movement before its tracking began")
    }

    /// Notes that a stock is removed.
    pub(super) fn remove(&mut self, key: &MedicineKey) {
        self.tracked.remove(key);
        self.last.remove(key);
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
        self.last.insert(movement.medicine.key().clone(), movement.movement_id);
        if matches!(movement.kind, MovementKind::Receipt | MovementKind::Removal) {
            let taken = movement.from_order.map_or(0, |taken| taken.value());
            self.reversible.insert(movement.movement_id, (movement.kind, taken));
        }
        self.moved.push(movement.clone());
        Ok(())
    }

    /// Checks the quantity of a new invoice.
    pub(super) fn issue(&self, invoice: &Invoice) -> Result<(), What> {
        match (self.tracked.contains_key(invoice.medicine.key()), invoice.quantity) {
            (true, None) => Err("reserves nothing, but its medicine is tracked"),
            (false, Some(_)) => Err("reserves units, but its medicine is not tracked"),
            (true, Some(_)) | (false, None) => Ok(()),
        }
    }

    /// Checks the movements of the complete entry.
    pub(super) fn end(&mut self, bills: &Bills, prescriptions: &Prescriptions) -> Result<(), Contradiction> {
        let moved = std::mem::take(&mut self.moved);
        self.count(&moved, prescriptions)?;
        self.order(&moved)?;
        self.returns(&moved, bills.refunded())?;
        self.payments(&moved, bills.paid())
    }

    /// Returns the lot that is due; `None` for none.
    pub(super) fn lot(&self, medicine: &MedicineKey, id: &LotId) -> Option<Record> {
        let (stock, on_hand) = (self.tracked.get(medicine)?, self.ledger.shelf(medicine)?.of(id)?);
        Some(OpenLot::new(stock.medicine.clone(), Lot { id: id.clone(), on_hand }).into())
    }

    /// Returns the counts of a day that are due; `None` for none.
    pub(super) fn day(&self, of: &(MedicineKey, Date)) -> Option<Record> {
        self.days.get(of).cloned().map(Record::from)
    }

    /// Returns the dispensing that is due; `None` for none.
    pub(super) fn dispensing(&self, of: InvoiceId) -> Option<Record> {
        self.handed.get(&of).cloned().map(Record::from)
    }

    /// Follows the units on order through the movements of the entry: a receipt takes what it can, and its reversal
    /// gives that back. No other movement changes them.
    fn order(&mut self, moved: &[Movement]) -> Result<(), Contradiction> {
        let mut ordered = std::mem::take(&mut self.ordered);
        for movement in moved {
            let Some(left) = ordered.get_mut(movement.medicine.key()) else { continue };
            let taken = movement.from_order.map_or(0, |taken| taken.value());
            match movement.kind {
                MovementKind::Receipt => {
                    let what = "fromOrder is not what it could take from the units on order";
                    require_of(taken == movement.units.value().min(*left), || key_of(movement), what)?;
                    *left -= taken;
                }
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
            let is_left = !is_moved || written == Some(left);
            require_of(is_left, || RecordKey::Stock(key), "ordered is not what its movements leave of it")?;
        }
        Ok(())
    }

    /// Compares the stock of a medicine with its movements, with the units that its unpaid invoices reserve, and with
    /// the inventory.
    pub(super) fn check(&self, medicine: &MedicineKey, reserved: i64, is_stocked: bool) -> Result<(), What> {
        let shelf = self.ledger.shelf(medicine);
        let Some(stock) = self.tracked.get(medicine) else {
            let has_units = shelf.is_some_and(|shelf| shelf.on_hand() > Amount::ZERO);
            require(!has_units, "is missing, but units of its medicine are")?;
            return require(reserved == 0, "is missing, but an unpaid invoice reserves units of it");
        };
        require(is_stocked, "is there, but its medicine is not in the inventory")?;
        let last = self.last.get(medicine).copied();
        require(stock.moved == last, "moved is not the number of its last movement")?;
        let mut noted = stock.clone();
        noted.note(shelf.unwrap_or(&Shelf::default()));
        require(noted == *stock, "onHand or expires is not that of its open lots")?;
        require(stock.reserved.value() == reserved, "reserved is not the sum of its unpaid invoices")?;
        require(stock.settings.contradictions().is_empty(), "settings contradict each other")
    }

    /// Recounts the movements of the entry.
    fn count(&mut self, moved: &[Movement], prescriptions: &Prescriptions) -> Result<(), Contradiction> {
        for movement in moved {
            let key = movement.medicine.key();
            let Some(keep) = self.tracked.get(key).map(|stock| stock.settings.keep_days) else {
                return Err(Contradiction::of(key_of(movement), "is of a medicine that is not tracked"));
            };
            let is_regular = self.hand(movement, prescriptions);
            let undone = movement.reverses.and_then(|id| self.reversible.get(&id)).map(|(kind, _)| *kind);
            let day = (key.clone(), movement.day);
            let empty = || StockDay::new(movement.medicine.clone(), movement.day);
            let counts = self.days.entry(day).or_insert_with(empty);
            let shelf = self.ledger.shelf(key).cloned().unwrap_or_default();
            note(counts, movement, is_regular, undone, &shelf, keep);
        }
        Ok(())
    }

    /// Notes the units that an invoice takes or gives back, and returns whether its prescription recurred when it was
    /// paid.
    fn hand(&mut self, movement: &Movement, prescriptions: &Prescriptions) -> bool {
        let Some(id) = movement.invoice_id else {
            return false;
        };
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

    /// Checks that an entry which refunds an invoice and brings units back brings back all that were out of that
    /// invoice, and no others.
    fn returns(&self, moved: &[Movement], refunded: &[Invoice]) -> Result<(), Contradiction> {
        let returned = || moved.iter().filter(|movement| movement.kind == MovementKind::Return);
        let Some(first) = returned().next().filter(|_| !refunded.is_empty()) else {
            return Ok(());
        };
        for movement in returned() {
            let is_of = refunded.iter().any(|refunded| movement.invoice_id == Some(refunded.invoice_id));
            require_of(is_of, || key_of(movement), "comes back with the refund of another invoice")?;
        }
        let handed = refunded.iter().filter_map(|refunded| self.handed.get(&refunded.invoice_id));
        let is_back = handed.flat_map(|handed| &handed.lots).all(|lot| lot.returned.value() >= lot.units.value());
        require_of(is_back, || key_of(first), "comes back with a refund, but not all that was out does")
    }

    /// Compares the dispensed units of an entry with the invoices that it pays: exactly the reserved units, from usable
    /// lots, and no usable lot that expires sooner kept a unit.
    fn payments(&self, moved: &[Movement], paid: &[Invoice]) -> Result<(), Contradiction> {
        let dispensed = || moved.iter().filter(|movement| movement.kind == MovementKind::Dispense);
        for movement in dispensed() {
            let is_paid = paid.iter().any(|paid| {
                movement.invoice_id == Some(paid.invoice_id)
                    && movement.prescription_id == Some(paid.prescription_id)
                    && movement.medicine.key() == paid.medicine.key()
            });
            require_of(is_paid, || key_of(movement), "hands units out, but the entry does not pay its invoice")?;
        }
        for invoice in paid {
            let taken: Vec<_> =
                dispensed().filter(|movement| movement.invoice_id == Some(invoice.invoice_id)).collect();
            self.payment(invoice, &taken)
                .map_err(|what| Contradiction::of(RecordKey::Invoice(invoice.invoice_id), what))?;
        }
        Ok(())
    }

    /// Compares a paid invoice with the movements that took its units.
    fn payment(&self, invoice: &Invoice, taken: &[&Movement]) -> Result<(), What> {
        let units: i64 = taken.iter().map(|movement| -movement.units.value()).sum();
        let quantity = invoice.quantity.map_or(0, |quantity| quantity.value());
        require(units == quantity, "is paid, but what was handed out is not its quantity")?;
        let medicine = invoice.medicine.key();
        let (Some(last), Some(stock)) = (taken.last(), self.tracked.get(medicine)) else {
            return Ok(());
        };
        let usable =
            |id: LotId| is_usable(&Lot { id, on_hand: last.units.units() }, stock.settings.keep_days, last.day);
        let are_usable = taken.iter().all(|movement| usable(movement.lot_id()));
        require(are_usable, "is paid, but what was handed out was not usable that day")?;
        let latest = taken.iter().map(|movement| movement.lot_id()).max().unwrap_or_default();
        let mut left = self.ledger.shelf(medicine).map_or(&[][..], |shelf| shelf.lots()).iter();
        let is_first = !left.any(|lot| lot.id < latest && usable(lot.id.clone()));
        require(is_first, "is paid, but a lot that expires sooner kept units")?;
        require(!stock.settings.held, "is paid, but its medicine is held")
    }
}

fn key_of(movement: &Movement) -> RecordKey {
    RecordKey::Movement(movement.movement_id)
}
