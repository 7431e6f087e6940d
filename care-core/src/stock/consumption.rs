//! Daily demand for a medicine, and the units handed out.

use super::{Fraction, Hundredths, fraction, usable_until};
use crate::model::{Amount, Basis, Date, KeepDays, Movement, MovementKind, Shelf, StockDay};

/// The demand for a medicine and the units handed out on each day of a period, ready to be summed over any part of it.
#[derive(Debug, Clone)]
pub struct Consumption {
    /// The first day of the period, in days since 1970.
    first: i64,
    days: Vec<DayFigures>,
    /// For each day the sums of the days before it, and at the end the sums of all days.
    before: Vec<Sums>,
}

/// The figures of one day.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DayFigures {
    pub(super) is_exposed: bool,
    pub(super) receipts: i64,
    pub(super) received: i64,
    pub(super) adjusted: i64,
    pub(super) dispensed: u64,
    pub(super) returned: u64,
    pub(super) regular: u64,
    pub(super) prescribed: u64,
    /// All units at the end of the day.
    pub(super) on_hand: i64,
}

/// The demand of a period by one basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// The days of the period.
    pub days: u64,
    /// The days on which demand could be observed (E).
    pub exposed: u64,
    /// The days without stock.
    pub stock_out_days: u64,
    /// The units of demand (A).
    pub units: u64,
    /// The sum of the squares of each day's demand.
    pub squares: u128,
    /// The days with demand.
    pub busy_days: u64,
    /// The units handed out to regular prescriptions.
    pub regular: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    exposed: u64,
    dispensed: u64,
    returned: u64,
    regular: u64,
    squares: u128,
    busy: u64,
    prescribed: u64,
    prescribed_squares: u128,
    prescribed_busy: u64,
}

impl Consumption {
    /// Returns the consumption of the days from `first` to `last`. `counts` are sorted by day; one before `first`
    /// supplies the stock at the beginning of the period. `prescribed` are the units of non-recurring prescriptions by
    /// day of prescribing.
    pub fn new(first: Date, last: Date, counts: &[StockDay], prescribed: &[(Date, u64)]) -> Self {
        let (first, last) = (first.unix_days(), last.unix_days());
        let length = usize::try_from(last - first + 1).unwrap_or(0);
        let mut days = vec![DayFigures::default(); length];
        for (day, units) in prescribed {
            let place = usize::try_from(day.unix_days() - first).ok();
            if let Some(figures) = place.and_then(|place| days.get_mut(place)) {
                figures.prescribed += units;
            }
        }
        let mut counts = counts.iter().peekable();
        let mut state: Option<&StockDay> = None;
        while let Some(before) = counts.next_if(|count| count.day.unix_days() < first) {
            state = Some(before);
        }
        for (figures, day) in days.iter_mut().zip(first..) {
            let until = state.and_then(|state| state.usable_until);
            figures.is_exposed = until.is_some_and(|until| until.unix_days() >= day);
            if let Some(count) = counts.next_if(|count| count.day.unix_days() == day) {
                state = Some(count);
                figures.receipts = count.receipts;
                figures.received = count.received;
                figures.adjusted = count.adjusted;
                figures.dispensed = count.dispensed;
                figures.returned = count.returned;
                figures.regular = count.dispensed_regular;
                let handed = count.dispensed + count.dispensed_regular;
                figures.is_exposed |= count.usable.value() > 0 || handed > 0;
            }
            figures.on_hand = state.map_or(0, |state| state.on_hand.value());
        }
        let mut sum = Sums::default();
        let mut before = vec![sum];
        for day in &days {
            sum.enter(day);
            before.push(sum);
        }
        Self { first, days, before }
    }

    /// Returns the demand from day `from` to the day before `to`, in days since 1970. Days outside the period have no
    /// demand.
    pub(super) fn window(&self, from: i64, to: i64, basis: Basis) -> Window {
        let place = |day: i64| usize::try_from(day - self.first).unwrap_or(0).min(self.days.len());
        let (from, to) = (place(from), place(to));
        let (Some(start), Some(end)) = (self.before.get(from), self.before.get(to.max(from))) else {
            return Window::default();
        };
        let days = (to.max(from) - from) as u64;
        let exposed = end.exposed - start.exposed;
        let common =
            Window { days, stock_out_days: days - exposed, regular: end.regular - start.regular, ..Window::default() };
        match basis {
            Basis::Dispensed => Window {
                exposed,
                units: (end.dispensed - start.dispensed).saturating_sub(end.returned - start.returned),
                squares: end.squares - start.squares,
                busy_days: end.busy - start.busy,
                ..common
            },
            Basis::Prescribed => Window {
                exposed: days,
                units: end.prescribed - start.prescribed,
                squares: end.prescribed_squares - start.prescribed_squares,
                busy_days: end.prescribed_busy - start.prescribed_busy,
                ..common
            },
        }
    }

    /// Returns the demand of the whole period.
    pub fn whole(&self, basis: Basis) -> Window {
        self.window(self.first, self.first + self.days.len() as i64, basis)
    }

    /// Returns the figures of a day.
    pub(super) fn day(&self, day: i64) -> DayFigures {
        let place = usize::try_from(day - self.first).ok();
        place.and_then(|place| self.days.get(place)).copied().unwrap_or_default()
    }
}

impl Sums {
    fn enter(&mut self, day: &DayFigures) {
        let net = day.dispensed.saturating_sub(day.returned);
        self.exposed += u64::from(day.is_exposed);
        self.dispensed += day.dispensed;
        self.returned += day.returned;
        self.regular += day.regular;
        self.squares += u128::from(net).pow(2);
        self.busy += u64::from(net > 0);
        self.prescribed += day.prescribed;
        self.prescribed_squares += u128::from(day.prescribed).pow(2);
        self.prescribed_busy += u64::from(day.prescribed > 0);
    }
}

/// Adds a movement to the counts of its day, with the shelf after it. `is_regular` says whether the prescription of a
/// dispensing or a return recurs, `undone` is the kind of movement that a reversal reverses.
pub fn note(
    day: &mut StockDay,
    movement: &Movement,
    is_regular: bool,
    undone: Option<MovementKind>,
    shelf: &Shelf,
    keep: KeepDays,
) {
    let delta = movement.units.value();
    let units = delta.unsigned_abs();
    match (movement.kind, undone) {
        (MovementKind::Receipt, _) => {
            day.receipts += 1;
            day.received += delta;
        }
        (MovementKind::Reversal, Some(MovementKind::Receipt)) => {
            day.receipts -= 1;
            day.received += delta;
        }
        (MovementKind::Removal, _) | (MovementKind::Reversal, _) => day.removed -= delta,
        (MovementKind::Dispense, _) if is_regular => day.dispensed_regular += units,
        (MovementKind::Dispense, _) => day.dispensed += units,
        (MovementKind::Return, _) if is_regular => day.returned_regular += units,
        (MovementKind::Return, _) => day.returned += units,
        (MovementKind::Adjustment, _) => day.adjusted += delta,
    }
    day.on_hand = shelf.on_hand();
    day.usable = Amount::clamped(super::levels(shelf, Amount::ZERO, keep, day.day).usable);
    day.usable_until = usable_until(shelf, keep);
}

/// The demand of regular prescriptions with one interval: units in each interval of days.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recurring {
    pub(super) units: u64,
    pub(super) every_days: u64,
}

impl Recurring {
    /// Returns the demand of this number of days, rounded up.
    pub(super) fn units_in(&self, days: u64) -> u128 {
        Fraction::new(u128::from(self.units) * u128::from(days), self.every_days.into()).ceil()
    }
}

/// Returns the demand of 30 days, 30·ΣU/e, halves upwards.
pub(super) fn monthly<'a>(recurring: impl IntoIterator<Item = &'a Recurring>) -> Hundredths {
    let parts = recurring.into_iter().map(|part| (u128::from(part.units) * 3000, part.every_days));
    let (hundredths, _) = fraction::sum(parts.chain([(1, 2)]));
    Hundredths::new(u64::try_from(hundredths).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Amount, MedicineName};

    fn count(day: i64, on_hand: i64, until: Option<i64>) -> StockDay {
        let until = until.map(|day| Date::from_unix_days(day).unwrap());
        let (on_hand, day) = (Amount::clamped(on_hand), Date::from_unix_days(day).unwrap());
        let usable = if until.is_some_and(|until| until >= day) { on_hand } else { Amount::ZERO };
        StockDay { on_hand, usable, usable_until: until, ..StockDay::new(MedicineName::new("x").unwrap(), day) }
    }

    fn on(first: i64, last: i64, counts: &[StockDay]) -> Window {
        let day = |day| Date::from_unix_days(day).unwrap();
        Consumption::new(day(first), day(last), counts, &[(day(first), 4)]).whole(Basis::Dispensed)
    }

    #[test]
    fn a_day_without_stock_is_no_day_without_demand() {
        // Ten units from day 100 on, usable until day 104.
        let counts = [count(100, 10, Some(104))];
        let found = on(98, 107, &counts);
        assert_eq!((found.days, found.exposed, found.stock_out_days), (10, 5, 5));
        // The stock at the beginning comes from the count before.
        assert_eq!(on(103, 107, &counts).exposed, 2);
        // A unit handed out on the last day makes the day count as exposed, although the shelf is empty in the evening.
        let last = StockDay { dispensed: 10, ..count(102, 0, None) };
        assert_eq!(on(98, 107, &[counts[0].clone(), last]).exposed, 3);
    }

    #[test]
    fn what_comes_back_lowers_the_demand_and_never_below_nothing() {
        let counts = [
            StockDay { dispensed: 6, ..count(100, 10, Some(200)) },
            StockDay { dispensed: 1, returned: 3, ..count(101, 12, Some(200)) },
        ];
        let found = on(100, 103, &counts);
        assert_eq!((found.units, found.squares, found.busy_days), (4, 36, 1));
        let back = [StockDay { returned: 3, ..count(100, 12, Some(200)) }];
        assert_eq!(on(100, 103, &back).units, 0);
    }
}
