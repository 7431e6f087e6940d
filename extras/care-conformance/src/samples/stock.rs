//! Tracked medicines: their stock, their movements, and their daily counts.

use care_core::model::{
    Amount, Currency, Date, Delta, DispensedLot, Dispensing, Lot, LotId, LotText, MedicineName, Movement, MovementKind,
    MovementReason, OpenLot, Policy, Price, Stock, StockDay, StockSettings, UnitName, Units,
};

use super::{
    date,
    extremes::{Bare, Least, Most},
    first_day, invoice_id, last_day, prescription_id,
    texts::every_plane,
    values::{legal, movement_id},
};

/// Returns a lot with this text and date.
pub fn lot(text: &str, expires: Option<Date>) -> LotId {
    LotId { lot: Some(legal(LotText::new(text))), expires }
}

/// Returns an open lot with this identity, date and number of units.
pub fn open_lot(medicine: &MedicineName, id: LotId, units: i64) -> OpenLot {
    OpenLot::new(medicine.clone(), Lot { id, on_hand: legal(Units::try_from(units)) })
}

/// Returns lots in their order: of the first and the last day, with the same date, without one, and without a text.
pub fn open_lots(medicine: &MedicineName) -> Vec<OpenLot> {
    let (longest, day) = (every_plane(LotText::MAX), Some(date("31/12/2026")));
    let ids = [
        lot("z", Some(first_day())),
        LotId { lot: None, expires: day },
        lot("-", day),
        lot("1 A", day),
        lot("A1", day),
        lot("B", Some(last_day())),
        LotId::default(),
        lot(&longest, None),
        lot("A1", None),
    ];
    ids.into_iter().zip([1, 2, 3, 4, 5, 6, 7, Units::MAX, 8]).map(|(id, units)| open_lot(medicine, id, units)).collect()
}

/// Returns an ordinary stock.
pub fn stock(medicine: &MedicineName) -> Stock {
    Stock {
        medicine: medicine.clone(),
        settings: StockSettings::new(legal(UnitName::new("tablets"))),
        reserved: legal(Amount::try_from(3)),
        tracked_since: Some(movement_id(3)),
        moved: Some(movement_id(7)),
        on_hand: legal(Amount::try_from(5)),
        expires: Some(last_day()),
    }
}

/// Returns a stock without optional fields, an ordinary one, and two with every field at its upper or lower limit.
pub fn stock_forms(medicine: &MedicineName) -> Vec<Stock> {
    let of = |form| Stock { medicine: medicine.clone(), ..form };
    let nothing = Stock { settings: stock(medicine).settings, ..of(Stock::filled(&mut Bare)) };
    let settings = StockSettings { policy: Policy::MinMax, ..StockSettings::filled(&mut Most) };
    let most = Stock { settings, ..of(Stock::filled(&mut Most)) };
    let settings = StockSettings { policy: Policy::Service, ..StockSettings::filled(&mut Least) };
    let least = Stock { settings, ..of(Stock::filled(&mut Least)) };
    vec![nothing, stock(medicine), most, least]
}

fn days_on(days: usize) -> Date {
    legal(last_day().plus_days(-(days as i64)))
}

/// Returns an ordinary receipt of this medicine.
pub fn movement(number: i64, medicine: &MedicineName) -> Movement {
    Movement {
        movement_id: movement_id(number),
        medicine: medicine.clone(),
        kind: MovementKind::Receipt,
        units: legal(Delta::try_from(20)),
        balance: legal(Amount::try_from(27)),
        lot: lot("A1", None).lot,
        expires: Some(date("31/12/2026")),
        day: date("31/01/2026"),
        cost: Some(legal(Price::try_from(12))),
        currency: Some(legal(Currency::new("EUR"))),
        from_order: Some(legal(Units::try_from(5))),
        ..Movement::filled(&mut Bare)
    }
}

/// Returns a movement without optional fields, an ordinary one, one of an invoice, one that reverses the movement of
/// the next number, and one with every field at its limit.
pub fn movement_forms(number: i64, medicine: &MedicineName) -> Vec<Movement> {
    let usual = movement(number, medicine);
    let of = |form| Movement { movement_id: usual.movement_id, medicine: medicine.clone(), ..form };
    let nothing = Movement {
        kind: MovementKind::Adjustment,
        reason: Some(MovementReason::Count),
        units: usual.units,
        balance: usual.balance,
        day: usual.day,
        ..of(Movement::filled(&mut Bare))
    };
    let invoiced = Movement {
        kind: MovementKind::Dispense,
        units: legal(Delta::try_from(-1)),
        balance: Amount::ZERO,
        invoice_id: Some(invoice_id(number)),
        prescription_id: Some(prescription_id(number)),
        ..nothing.clone()
    };
    let reversal = Movement {
        kind: MovementKind::Reversal,
        reason: None,
        reverses: Some(movement_id(number.saturating_add(1))),
        ..nothing.clone()
    };
    let most = Movement {
        kind: MovementKind::Removal,
        reason: Some(MovementReason::Other),
        units: legal(Delta::try_from(-Units::MAX)),
        day: first_day(),
        reverses: None,
        ..of(Movement::filled(&mut Most))
    };
    vec![nothing, usual, invoiced, reversal, most]
}

/// Returns a day on which no units are left, an ordinary one, and one with the largest counts.
pub fn stock_day_forms(medicine: &MedicineName, day: Date) -> Vec<StockDay> {
    let nothing = StockDay::new(medicine.clone(), day);
    let usual = StockDay {
        receipts: 1,
        received: 20,
        dispensed: 5,
        returned: 1,
        dispensed_regular: 2,
        removed: -3,
        adjusted: -1,
        on_hand: legal(Amount::try_from(16)),
        usable: legal(Amount::try_from(9)),
        usable_until: Some(date("31/12/2026")),
        ..nothing.clone()
    };
    let largest = i64::MAX as u64;
    let most = StockDay {
        receipts: i64::MIN,
        received: i64::MAX,
        dispensed: largest,
        returned: largest,
        dispensed_regular: largest,
        returned_regular: largest,
        removed: i64::MIN,
        adjusted: i64::MAX,
        on_hand: legal(Amount::try_from(Amount::MAX)),
        usable: legal(Amount::try_from(Amount::MAX)),
        usable_until: Some(last_day()),
        ..nothing.clone()
    };
    vec![nothing, usual, most]
}

/// Returns what the invoice with this number took: nothing, an ordinary amount, and units of as many lots as it may.
pub fn dispensing_forms(number: i64, medicine: &MedicineName) -> Vec<Dispensing> {
    let taken = |id, returned| DispensedLot { id, units: legal(Units::try_from(5)), returned };
    let of = |is_regular, lots| Dispensing {
        invoice_id: invoice_id(number),
        medicine: medicine.clone(),
        is_regular,
        tracked_since: Some(movement_id(number)).filter(|_| is_regular),
        lots,
    };
    let all = (0..Dispensing::MAX_LOTS).map(|n| taken(lot("x", Some(days_on(n))), legal(Amount::try_from(5))));
    vec![
        of(false, Vec::new()),
        of(true, vec![taken(LotId::default(), Amount::ZERO), taken(lot("A1", None), legal(Amount::try_from(2)))]),
        of(false, all.collect()),
    ]
}
