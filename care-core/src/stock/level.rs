//! The units of a shelf by their state, from which availability follows.

use serde::{Deserialize, Serialize};

use crate::model::{Amount, Date, KeepDays, Lot, Shelf, Stock};

/// The units of a medicine on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Levels {
    /// All units.
    pub on_hand: i64,
    /// The expired units.
    pub expired: i64,
    /// The units that may be handed out.
    pub usable: i64,
    /// The units reserved by unpaid invoices.
    pub reserved: i64,
    /// The units for further invoices: the usable ones that are not reserved, at least 0.
    pub available: i64,
}

/// Returns the units of a shelf by their state on this day.
pub fn levels(shelf: &Shelf, reserved: Amount, keep: KeepDays, today: Date) -> Levels {
    let sum = |wanted: &dyn Fn(&Lot) -> bool| {
        shelf.lots().iter().filter(|lot| wanted(lot)).map(|lot| lot.on_hand.value()).sum::<i64>()
    };
    let usable = sum(&|lot| is_usable(lot, keep, today));
    Levels {
        on_hand: sum(&|_| true),
        expired: sum(&|lot| lot.id.expires.is_some_and(|expires| expires < today)),
        usable,
        reserved: reserved.value(),
        available: (usable - reserved.value()).max(0),
    }
}

/// Returns whether a lot may be handed out on a day: it has no expiry date, or at least `keep` days until then.
pub fn is_usable(lot: &Lot, keep: KeepDays, today: Date) -> bool {
    lot.id.expires.is_none_or(|expires| last_usable_day(expires, keep) >= today.unix_days())
}

/// Returns the units of a stock that may be handed out on a day, if it says so without its lots: all of them, while
/// those that expire first may be.
pub fn usable_of_all(stock: &Stock, today: Date) -> Option<i64> {
    let is_whole =
        stock.expires.is_none_or(|first| last_usable_day(first, stock.settings.keep_days) >= today.unix_days());
    is_whole.then(|| stock.on_hand.value())
}

/// Returns the last day on which any lot of a shelf may be handed out: [`Date::MAX`] when some lot has no expiry date,
/// `None` when the shelf is empty.
pub fn usable_until(shelf: &Shelf, keep: KeepDays) -> Option<Date> {
    // Lots are sorted by date, those without one last.
    let last = shelf.lots().last()?;
    let Some(expires) = last.id.expires else {
        return Some(Date::MAX);
    };
    // A day before the first one of the range is in the past, like the first one.
    Some(Date::from_unix_days(last_usable_day(expires, keep)).unwrap_or(Date::MIN))
}

/// Returns the last day on which a lot with this expiry date may be handed out, in days since 1970.
pub(super) fn last_usable_day(expires: Date, keep: KeepDays) -> i64 {
    expires.unix_days() - keep.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LotId, MedicineName, StockSettings, UnitName, Units};

    fn settings() -> StockSettings {
        StockSettings::new(UnitName::new("tablet").unwrap())
    }

    fn shelf(lots: &[(Option<&str>, i64)]) -> Shelf {
        let mut shelf = Shelf::default();
        for (expires, units) in lots {
            let expires = expires.map(|day| day.parse().unwrap());
            shelf.add(LotId { lot: None, expires }, Units::try_from(*units).unwrap()).unwrap();
        }
        shelf
    }

    #[test]
    fn a_lot_is_good_through_its_last_day() {
        let shelf = shelf(&[(Some("10/03/2026"), 5), (Some("20/03/2026"), 7), (None, 2)]);
        let on = |day: &str, keep| {
            let found = levels(&shelf, Amount::clamped(4), KeepDays::clamped(keep), day.parse().unwrap());
            (found.on_hand, found.expired, found.usable, found.available)
        };
        assert_eq!(on("10/03/2026", 0), (14, 0, 14, 10));
        assert_eq!(on("11/03/2026", 0), (14, 5, 9, 5));
        assert_eq!(on("10/03/2026", 1), (14, 0, 9, 5));
        assert_eq!(on("10/03/2026", 10), (14, 0, 9, 5));
        assert_eq!(on("21/03/2026", 0), (14, 12, 2, 0));
    }

    #[test]
    fn a_stock_needs_no_lots_while_the_first_to_expire_is_usable() {
        let usable = |lots: &[_], keep, day: &str| {
            let settings = StockSettings { keep_days: KeepDays::clamped(keep), ..settings() };
            let mut stock = Stock::new(MedicineName::new("Ibuprofen").unwrap(), settings, None);
            stock.note(&shelf(lots));
            usable_of_all(&stock, day.parse().unwrap())
        };
        let dated = [(None, 2), (Some("10/03/2026"), 5), (Some("20/03/2026"), 7)];
        assert_eq!(usable(&dated, 0, "10/03/2026"), Some(14));
        assert_eq!(usable(&dated, 0, "11/03/2026"), None);
        assert_eq!(usable(&dated, 1, "10/03/2026"), None);
        assert_eq!(usable(&dated[..1], 365, "31/12/9999"), Some(2));
        assert_eq!(usable(&[], 0, "10/03/2026"), Some(0));
    }

    #[test]
    fn what_is_there_is_usable_until_its_latest_day() {
        let until = |lots: &[_], keep| usable_until(&shelf(lots), KeepDays::clamped(keep)).map(|day| day.to_string());
        assert_eq!(until(&[], 0), None);
        let dated = [(Some("10/03/2026"), 5), (Some("20/03/2026"), 7)];
        assert_eq!(until(&dated, 5).as_deref(), Some("15/03/2026"));
        assert_eq!(until(&[dated[0], (None, 1)], 5).as_deref(), Some("31/12/9999"));
        assert_eq!(until(&[(Some("02/01/1900"), 1)], 5).as_deref(), Some("01/01/1900"));
    }
}
