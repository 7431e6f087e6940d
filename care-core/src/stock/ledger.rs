//! Shelves computed from movements.

use std::collections::{BTreeMap, BTreeSet};

use super::apply;
use crate::model::{
    InvoiceId, LotId, MedicineKey, Movement, MovementId, MovementKind, MovementReason, Shelf, ShelfError,
};

/// The shelves that the movements of a ledger make, and the data that decide whether a next movement may follow.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    shelves: BTreeMap<MedicineKey, Shelf>,
    last: i64,
    /// The units that each invoice took from each lot, less those that came back.
    handed: BTreeMap<(InvoiceId, MedicineKey, LotId), i64>,
    /// The receipts and removals that can still be reversed.
    undoable: BTreeMap<MovementId, Undoable>,
    undone: BTreeSet<MovementId>,
}

#[derive(Debug, Clone)]
struct Undoable {
    medicine: MedicineKey,
    lot: LotId,
    units: i64,
}

/// The way in which a movement contradicts those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Its number does not follow the last one.
    #[error("movementId is not the number after the last one")]
    Number,
    /// Its members do not fit its kind.
    #[error("kind does not go with the sign of units, or with the members that are there")]
    Form,
    /// Its lot has fewer units.
    #[error("units takes more from the lot than is in it")]
    Below,
    /// The medicine would have too many lots or units.
    #[error("units passes the limits of a medicine's lots")]
    Limit,
    /// Its balance is not the number of the medicine's units.
    #[error("balance is not the sum of the movements")]
    Balance,
    /// More units came back than its invoice took from the lot.
    #[error("units is more than its invoice took from the lot")]
    NotDispensed,
    /// The movement that it reverses is no receipt and no removal, is already reversed, or is not its opposite.
    #[error("reverses is not a receipt or removal that it is the one opposite of")]
    NotReversible,
}

impl Ledger {
    /// Returns a ledger without movements.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of the last movement, 0 before the first.
    pub const fn last(&self) -> i64 {
        self.last
    }

    /// Returns the open lots of a medicine.
    pub fn shelf(&self, medicine: &MedicineKey) -> Option<&Shelf> {
        self.shelves.get(medicine)
    }

    /// Returns the shelves of all medicines with a movement, by medicine.
    pub fn medicines(&self) -> impl Iterator<Item = (&MedicineKey, &Shelf)> {
        self.shelves.iter()
    }

    /// Enters the next movement.
    ///
    /// # Errors
    /// The first contradiction. The ledger is then unchanged.
    pub fn enter(&mut self, movement: &Movement) -> Result<(), LedgerError> {
        if movement.movement_id.value() != self.last + 1 {
            return Err(LedgerError::Number);
        }
        if !is_well_formed(movement) {
            return Err(LedgerError::Form);
        }
        let (medicine, lot) = (movement.medicine.key().clone(), movement.lot_id());
        let delta = movement.units.value();
        let handed = movement.invoice_id.map(|invoice| (invoice, medicine.clone(), lot.clone()));
        if movement.kind == MovementKind::Return
            && handed.as_ref().and_then(|key| self.handed.get(key)).is_none_or(|handed| *handed < delta)
        {
            return Err(LedgerError::NotDispensed);
        }
        if let Some(reverses) = movement.reverses {
            let undoable = self.undoable.get(&reverses).filter(|_| !self.undone.contains(&reverses));
            let is_opposite =
                |undoable: &Undoable| undoable.medicine == medicine && undoable.lot == lot && undoable.units == -delta;
            undoable.filter(|undoable| is_opposite(undoable)).ok_or(LedgerError::NotReversible)?;
        }
        let mut shelf = self.shelves.get(&medicine).cloned().unwrap_or_default();
        let step = apply(&mut shelf, lot.clone(), movement.units).map_err(|error| match error {
            ShelfError::TooFew => LedgerError::Below,
            ShelfError::TooManyLots | ShelfError::TooMuch => LedgerError::Limit,
        })?;
        if step.balance != movement.balance {
            return Err(LedgerError::Balance);
        }
        self.last += 1;
        if matches!(movement.kind, MovementKind::Receipt | MovementKind::Removal) {
            let undoable = Undoable { medicine: medicine.clone(), lot, units: delta };
            self.undoable.insert(movement.movement_id, undoable);
        }
        self.undone.extend(movement.reverses);
        if let Some(key) = handed {
            // Dispensed units are negative, returned ones positive.
            *self.handed.entry(key).or_default() -= delta;
        }
        self.shelves.insert(medicine, shelf);
        Ok(())
    }
}

/// Returns whether a movement has the sign and exactly the members of its kind.
fn is_well_formed(movement: &Movement) -> bool {
    let Movement {
        kind,
        reason,
        units,
        invoice_id,
        prescription_id,
        reverses,
        cost,
        currency,
        from_order,
        movement_id: _,
        medicine: _,
        balance: _,
        lot: _,
        expires: _,
        day: _,
        note: _,
    } = movement;
    let is_positive = units.value() > 0;
    let invoiced = invoice_id.is_some() && prescription_id.is_some();
    let uninvoiced = invoice_id.is_none() && prescription_id.is_none();
    let adjusting = |reason: &MovementReason| matches!(reason, MovementReason::Opening | MovementReason::Count);
    let priced = cost.is_some() == currency.is_some();
    let members = match kind {
        MovementKind::Receipt => is_positive && reason.is_none() && uninvoiced && reverses.is_none() && priced,
        MovementKind::Dispense => !is_positive && reason.is_none() && invoiced && reverses.is_none(),
        MovementKind::Return => is_positive && reason.is_none() && invoiced && reverses.is_none(),
        MovementKind::Removal => {
            let removing = reason.is_some_and(|reason| !adjusting(&reason));
            !is_positive && removing && uninvoiced && reverses.is_none()
        }
        MovementKind::Adjustment => reason.as_ref().is_some_and(adjusting) && uninvoiced && reverses.is_none(),
        MovementKind::Reversal => reason.is_none() && uninvoiced && reverses.is_some(),
    };
    members && (*kind == MovementKind::Receipt || (cost.is_none() && currency.is_none() && from_order.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn movement(text: &str) -> Movement {
        let text = text.replace("@", r#""medicine":"x","day":"01/02/2026""#);
        serde_json::from_str(&format!("{{{text}}}")).unwrap()
    }

    fn refused(earlier: &[&str], text: &str) -> Option<LedgerError> {
        let mut ledger = Ledger::new();
        for earlier in earlier {
            ledger.enter(&movement(earlier)).unwrap();
        }
        ledger.enter(&movement(text)).err()
    }

    const RECEIPT: &str = r#"@,"movementId":1,"kind":"receipt","units":5,"balance":5,"lot":"a""#;
    const DISPENSE: &str =
        r#"@,"movementId":2,"kind":"dispense","units":-3,"balance":2,"lot":"a","invoiceId":1,"prescriptionId":1"#;

    #[test]
    fn movements_that_follow_are_entered() {
        let returned =
            r#"@,"movementId":3,"kind":"return","units":3,"balance":5,"lot":"a","invoiceId":1,"prescriptionId":1"#;
        assert_eq!(refused(&[RECEIPT, DISPENSE], returned), None);
        let reversal = r#"@,"movementId":2,"kind":"reversal","units":-5,"balance":0,"lot":"a","reverses":1"#;
        assert_eq!(refused(&[RECEIPT], reversal), None);
    }

    #[test]
    fn each_contradiction_is_told() {
        let removal = |number: i64, units: i64, balance: i64| {
            let what = r#""kind":"removal","reason":"lost","lot":"a""#;
            format!(r#"@,"movementId":{number},{what},"units":{units},"balance":{balance}"#)
        };
        assert_eq!(refused(&[], RECEIPT.replace(":1,", ":2,").as_str()), Some(LedgerError::Number));
        assert_eq!(refused(&[RECEIPT], &removal(2, 1, 6)), Some(LedgerError::Form));
        assert_eq!(refused(&[RECEIPT], &removal(2, -6, 0)), Some(LedgerError::Below));
        assert_eq!(refused(&[RECEIPT], &removal(2, -1, 5)), Some(LedgerError::Balance));
        let more = |units: i64| {
            let kind = r#""kind":"return","lot":"a","invoiceId":1,"prescriptionId":1"#;
            format!(r#"@,"movementId":3,{kind},"units":{units},"balance":{}"#, 2 + units)
        };
        assert_eq!(refused(&[RECEIPT, DISPENSE], &more(4)), Some(LedgerError::NotDispensed));
        let undo = |number: i64, of: i64, units: i64| {
            let kind = r#""kind":"reversal","lot":"a""#;
            format!(r#"@,"movementId":{number},{kind},"reverses":{of},"units":{units},"balance":{}"#, 5 + units)
        };
        assert_eq!(refused(&[RECEIPT], &undo(2, 1, -4)), Some(LedgerError::NotReversible));
        assert_eq!(refused(&[RECEIPT, DISPENSE], &undo(3, 2, 3)), Some(LedgerError::NotReversible));
        let undone = undo(2, 1, -5);
        let received = RECEIPT.replace(":1,", ":3,");
        assert_eq!(refused(&[RECEIPT, &undone, &received], &undo(4, 1, -5)), Some(LedgerError::NotReversible));
        let many = |number: i64| {
            let lot = format!(r#""lot":"{number}""#);
            let balance = format!(r#""balance":{}"#, 5 * number);
            let number = format!(r#":{number},"#);
            RECEIPT.replace(":1,", &number).replace(r#""balance":5"#, &balance).replace(r#""lot":"a""#, &lot)
        };
        let full: Vec<_> = (1..=64).map(many).collect();
        let full: Vec<_> = full.iter().map(String::as_str).collect();
        assert_eq!(refused(&full, &many(65)), Some(LedgerError::Limit));
    }
}
