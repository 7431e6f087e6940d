//! Records with every field at its upper or lower limit, and without optional fields.

use care_core::{
    each_count, each_identifier, each_text,
    model::{
        Age, Basis, Currency, Date, Delta, Fill, InvoiceState, LotText, MedicineName, MovementKind, MovementReason,
        PaymentMethod, Phone, Policy, PrescriptionState, Price, ReceiptKind, RefundReason, ServiceLevel, StockSettings,
        Units, Weight,
    },
};

use super::{
    texts::every_plane,
    values::{first_day, last_day, legal, medicine},
};

/// Gives each field its largest value, or its last one.
pub(super) struct Most;
/// Gives each field its smallest value, or its first one.
pub(super) struct Least;
/// Gives no optional field, and the smallest value to any other.
pub(super) struct Bare;

/// A type of which there is a largest and a smallest value.
pub(super) trait Extreme: Sized {
    fn least() -> Self;
    fn most() -> Self;

    /// Returns the smallest value, or none.
    fn bare() -> Self {
        Self::least()
    }
}

impl<T: Extreme> Extreme for Option<T> {
    fn least() -> Self {
        Some(T::least())
    }

    fn most() -> Self {
        Some(T::most())
    }

    fn bare() -> Self {
        None
    }
}

macro_rules! fill {
    ($($gives:ident by $value:ident;)*) => {
        $(impl<T: Extreme> Fill<T> for $gives {
            fn value(&mut self, _: &'static str) -> T {
                T::$value()
            }
        })*
    };
}

fill! {
    Most by most;
    Least by least;
    Bare by bare;
}

macro_rules! extremes {
    ($($ty:ty: $least:expr, $most:expr;)*) => {
        $(impl Extreme for $ty {
            fn least() -> Self {
                $least
            }

            fn most() -> Self {
                $most
            }
        })*
    };
}

macro_rules! counts {
    ($($ty:ident $example:literal)*) => {
        extremes! { $(care_core::model::$ty: legal(Self::try_from(Self::MIN)), legal(Self::try_from(Self::MAX));)* }
    };
}

macro_rules! identifiers {
    ($($ty:ident $series:ident $name:literal $of:literal)*) => {
        extremes! { $(care_core::model::$ty: Self::FIRST, legal(Self::try_from(i64::MAX));)* }
    };
}

/// Gives the shortest text that a rule allows, and the longest one.
macro_rules! extent {
    (address_of_mail) => {
        (legal(Self::new("a@b")), legal(Self::new(format!("{}@{}", every_plane(200), every_plane(53)))))
    };
    (anything) => {
        (legal(Self::new("")), legal(Self::new(every_plane(Self::MAX))))
    };
    ($other:ident) => {
        (legal(Self::new("a")), legal(Self::new(every_plane(Self::MAX))))
    };
}

macro_rules! texts {
    ($($ty:ident $rule:ident $example:literal)*) => {
        extremes! { $(care_core::model::$ty: extent!($rule).0, extent!($rule).1;)* }
    };
}

macro_rules! words {
    ($($ty:ty)*) => {
        extremes! { $($ty: Self::ALL[0], Self::ALL[Self::ALL.len() - 1];)* }
    };
}

each_count!(counts);
each_identifier!(identifiers);
each_text!(texts);

extremes! {
    bool: false, true;
    Weight: legal(Self::try_from(f64::from_bits(1))), legal(Self::try_from(Self::MAX));
    Phone: legal(Self::try_from(Self::MIN)), legal(Self::try_from(Self::MAX));
    Age: legal(Self::try_from(Self::MIN)), legal(Self::try_from(Self::MAX));
    Price: legal(Self::try_from(Self::MIN)), legal(Self::try_from(Self::MAX));
    Delta: legal(Self::try_from(-Units::MAX)), legal(Self::try_from(Units::MAX));
    ServiceLevel: Self::P80, Self::P99;
    // Not every store has integers above the signed 64-bit range.
    u64: 0, i64::MAX as u64;
    i64: i64::MIN, i64::MAX;
    Box<str>: "a".into(), every_plane(64).into();
    Currency: legal(Self::new("AED")), legal(Self::new("ZWG"));
    Date: first_day(), last_day();
    MedicineName: medicine("a"), medicine(&every_plane(Self::MAX));
    LotText: legal(Self::new("a")), legal(Self::new(every_plane(Self::MAX)));
    StockSettings: Self::filled(&mut Least), Self::filled(&mut Most);
}
words! {
    ReceiptKind PaymentMethod RefundReason PrescriptionState InvoiceState Policy Basis MovementKind MovementReason
}
