//! Records with every field at its upper or lower limit, and without optional fields.

use care_core::model::{
    Address, Age, CreditNoteId, Currency, Date, Email, Fill, InvoiceId, Name, Note, PatientId, PaymentMethod, Phone,
    Price, ReceiptId, ReceiptKind, RefundReason, ShortText, Weight,
};

use super::{
    texts::every_plane,
    values::{first_day, last_day, legal},
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

macro_rules! ranged {
    ($($ty:ty)*) => {
        extremes! { $($ty: legal(Self::try_from(Self::MIN)), legal(Self::try_from(Self::MAX));)* }
    };
}

macro_rules! numbers {
    ($($ty:ty)*) => {
        extremes! { $($ty: Self::FIRST, legal(Self::try_from(i64::MAX));)* }
    };
}

macro_rules! words {
    ($($ty:ty)*) => {
        extremes! { $($ty: Self::ALL[0], Self::ALL[Self::ALL.len() - 1];)* }
    };
}

extremes! {
    Name: legal(Self::new("a")), legal(Self::new(every_plane(Self::MAX)));
    bool: false, true;
    Address: legal(Self::new("")), legal(Self::new(every_plane(Self::MAX)));
    ShortText: legal(Self::new("")), legal(Self::new(every_plane(Self::MAX)));
    Weight: legal(Self::try_from(f64::from_bits(1))), legal(Self::try_from(Self::MAX));
    Email: legal(Self::new("a@b")), legal(Self::new(format!("{}@{}", every_plane(200), every_plane(53))));
    Note: legal(Self::new("a")), legal(Self::new(every_plane(Self::MAX)));
    Box<str>: "a".into(), every_plane(64).into();
    Currency: legal(Self::new("AED")), legal(Self::new("ZWG"));
    Date: first_day(), last_day();
}
ranged! { Phone Age Price }
numbers! { PatientId InvoiceId ReceiptId CreditNoteId }
words! { ReceiptKind PaymentMethod RefundReason }
