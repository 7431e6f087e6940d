//! Records with every field at its upper or lower limit, and without optional fields.

use care_core::model::{
    Address, Age, Amount, Basis, ConsultationId, CreditNoteId, Currency, Date, Delta, Email, EveryDays, Fill,
    InvoiceId, InvoiceState, KeepDays, LeadDays, LongText, LotText, MaxDays, MedicineName, MinDays, MovementId,
    MovementKind, MovementReason, Name, Note, PackUnits, PatientId, PaymentMethod, Phone, Policy, PrescriptionId,
    PrescriptionState, Price, Quantity, ReceiptId, ReceiptKind, RefundReason, ReviewDays, ServiceLevel, ShortText,
    StockSettings, UnitName, Units, Weight,
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
    LongText: legal(Self::new("")), legal(Self::new(every_plane(Self::MAX)));
    ShortText: legal(Self::new("")), legal(Self::new(every_plane(Self::MAX)));
    Weight: legal(Self::try_from(f64::from_bits(1))), legal(Self::try_from(Self::MAX));
    Email: legal(Self::new("a@b")), legal(Self::new(format!("{}@{}", every_plane(200), every_plane(53))));
    UnitName: legal(Self::new("a")), legal(Self::new(every_plane(Self::MAX)));
    LotText: legal(Self::new("a")), legal(Self::new(every_plane(Self::MAX)));
    Delta: legal(Self::try_from(-Units::MAX)), legal(Self::try_from(Units::MAX));
    ServiceLevel: Self::P80, Self::P99;
    // Not every store has integers above the signed 64-bit range.
    u64: 0, i64::MAX as u64;
    i64: i64::MIN, i64::MAX;
    Note: legal(Self::new("a")), legal(Self::new(every_plane(Self::MAX)));
    Box<str>: "a".into(), every_plane(64).into();
    Currency: legal(Self::new("AED")), legal(Self::new("ZWG"));
    Date: first_day(), last_day();
    MedicineName: medicine("a"), medicine(&every_plane(Self::MAX));
    StockSettings: Self::filled(&mut Least), Self::filled(&mut Most);
}
ranged! { Phone Age Price Units Amount Quantity EveryDays PackUnits KeepDays MinDays MaxDays LeadDays ReviewDays }
numbers! { PatientId ConsultationId PrescriptionId InvoiceId MovementId ReceiptId CreditNoteId }
words! {
    ReceiptKind PaymentMethod RefundReason PrescriptionState InvoiceState Policy Basis MovementKind MovementReason
}
