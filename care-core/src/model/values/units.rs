//! Units of a medicine, and numbers of days in planning.

use serde::{Deserialize, Serialize};

use super::{
    conversions::{as_number, as_scalar},
    numbers::ranged,
};
use crate::model::Invalid;

/// Defines the types, each with its range, the words for it, and the example in documents.
macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident $min:literal..=$max:literal $rule:literal $example:literal;)*) => {
        $(ranged! { $(#[$doc])* $name, $min..=$max, $rule })*

        /// Calls a macro with all these types, each with its example.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! each_count {
            ($with:ident) => { $with! { $($name $example)* } };
        }
        pub(crate) use each_count;
    };
}

counts! {
    /// A number of units in a movement or a lot, 1 to 10^9.
    Units 1..=1_000_000_000 "must be 1 to 1000000000" 100;
    /// A number of units that may be 0, up to 10^9: a total, a count, a bound.
    Amount 0..=1_000_000_000 "must be 0 to 1000000000" 0;
    /// The units of one supply, 1 to 10^5.
    Quantity 1..=100_000 "must be 1 to 100000" 30;
    /// The units of a pack, by which orders are rounded, 1 to 10^6.
    PackUnits 1..=1_000_000 "must be 1 to 1000000" 20;
    /// The interval between supplies of a regular prescription, in days, 1 to 365.
    EveryDays 1..=365 "must be 1 to 365" 28;
    /// The number of days before its expiry on which a lot is no longer handed out, 0 to 365.
    KeepDays 0..=365 "must be 0 to 365" 7;
    /// The lead time of an order, in days, 0 to 365.
    LeadDays 0..=365 "must be 0 to 365" 14;
    /// The number of days for which an order is meant to last, 1 to 365.
    ReviewDays 1..=365 "must be 1 to 365" 30;
    /// The reorder level in days of demand, 0 to 730.
    MinDays 0..=730 "must be 0 to 730" 30;
    /// The level to which an order fills up, in days of demand, 1 to 1095.
    MaxDays 1..=1095 "must be 1 to 1095" 90;
    /// The highest number of medicines in a restock report, 1 to 5000.
    RestockLimit 1..=5_000 "must be 1 to 5000" 100;
}

impl RestockLimit {
    /// Returns the number of medicines.
    pub const fn items(self) -> usize {
        self.0 as usize
    }
}

/// The change of a lot by a movement: units added, or taken when negative; never 0, at most 10^9 in size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64")]
pub struct Delta(i64);

impl Delta {
    /// Returns the number itself.
    pub const fn value(self) -> i64 {
        self.0
    }

    /// Returns its size, without the sign.
    pub const fn units(self) -> Units {
        Units(self.0.abs())
    }

    /// Returns the opposite change.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self(-self.0)
    }
}

impl Units {
    /// Returns the change that adds these units.
    pub const fn added(self) -> Delta {
        Delta(self.0)
    }

    /// Returns the change that takes these units.
    pub const fn taken(self) -> Delta {
        Delta(-self.0)
    }

    /// Returns the number as an amount.
    pub const fn amount(self) -> Amount {
        Amount(self.0)
    }
}

impl Amount {
    /// No units.
    pub const ZERO: Self = Self(0);
}

impl Quantity {
    /// Returns the number as units of a movement, or `None` for 0.
    pub const fn units(self) -> Units {
        Units(self.0)
    }
}

impl TryFrom<i64> for Delta {
    type Error = Invalid;

    fn try_from(value: i64) -> Result<Self, Invalid> {
        if value == 0 || !(-Units::MAX..=Units::MAX).contains(&value) {
            return Err(Invalid(DELTA));
        }
        Ok(Self(value))
    }
}

const DELTA: &str = "must be -1000000000 to 1000000000 and not 0";

as_number!(Delta, i64, DELTA, delta => delta.0);
as_scalar!(Delta, i64);

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
