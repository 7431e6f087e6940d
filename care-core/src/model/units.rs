//! Units of a medicine, and the numbers of days that planning speaks of.

use serde::{Deserialize, Serialize};

use super::{Invalid, numbers::ranged};

ranged! {
    /// A number of units that moves or lies in one place, 1 to 10^9.
    Units, 1..=1_000_000_000, "must be 1 to 1000000000"
}
ranged! {
    /// A number of units that may be none, 0 to 10^9: what a medicine has in all, a count, a bound.
    Amount, 0..=1_000_000_000, "must be 0 to 1000000000"
}
ranged! {
    /// The units of one supply, 1 to 10^5.
    Quantity, 1..=100_000, "must be 1 to 100000"
}
ranged! {
    /// The units of a pack, by which orders are rounded, 1 to 10^6.
    PackUnits, 1..=1_000_000, "must be 1 to 1000000"
}
ranged! {
    /// How often a regular prescription is supplied, in days, 1 to 365.
    EveryDays, 1..=365, "must be 1 to 365"
}
ranged! {
    /// How long before its expiry a lot is no longer handed out, in days, 0 to 365.
    KeepDays, 0..=365, "must be 0 to 365"
}
ranged! {
    /// How long an order is on its way, in days, 0 to 365.
    LeadDays, 0..=365, "must be 0 to 365"
}
ranged! {
    /// How long an order is to last, in days, 1 to 365.
    ReviewDays, 1..=365, "must be 1 to 365"
}
ranged! {
    /// How many days of demand are to be left when an order is due, 0 to 730.
    MinDays, 0..=730, "must be 0 to 730"
}
ranged! {
    /// How many days of demand an order fills up to, 1 to 1095.
    MaxDays, 1..=1095, "must be 1 to 1095"
}

/// What a movement adds to a lot, or takes from it when it is negative: never 0, at most 10^9 in size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64")]
pub struct Delta(i64);

impl Delta {
    /// The number itself.
    pub const fn value(self) -> i64 {
        self.0
    }

    /// Its size, without the sign.
    pub const fn units(self) -> Units {
        Units(self.0.abs())
    }

    /// The opposite, which undoes it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self(-self.0)
    }
}

impl Units {
    /// These units added.
    pub const fn added(self) -> Delta {
        Delta(self.0)
    }

    /// These units taken away.
    pub const fn taken(self) -> Delta {
        Delta(-self.0)
    }

    /// The number as an amount.
    pub const fn amount(self) -> Amount {
        Amount(self.0)
    }
}

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);
}

impl Quantity {
    /// The number as units that move.
    pub const fn units(self) -> Units {
        Units(self.0)
    }
}

impl TryFrom<i64> for Delta {
    type Error = Invalid;

    fn try_from(value: i64) -> Result<Self, Invalid> {
        if value == 0 || !(-Units::MAX..=Units::MAX).contains(&value) {
            return Err(Invalid("must be -1000000000 to 1000000000 and not 0"));
        }
        Ok(Self(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_movement_moves_something() {
        for refused in [0, i64::MIN, i64::MAX, Units::MAX + 1, -Units::MAX - 1] {
            assert!(Delta::try_from(refused).is_err(), "{refused}");
        }
        for accepted in [1, -1, Units::MAX, -Units::MAX] {
            let delta = Delta::try_from(accepted).unwrap();
            assert_eq!((delta.value(), delta.units().value()), (accepted, accepted.abs()));
            assert_eq!(delta.reversed().value(), -accepted);
        }
    }

    #[test]
    fn units_change_their_form_and_not_their_number() {
        let units = Units::try_from(12).unwrap();
        assert_eq!((units.added().value(), units.taken().value(), units.amount().value()), (12, -12, 12));
        assert_eq!(Quantity::try_from(30).unwrap().units().value(), 30);
    }
}
