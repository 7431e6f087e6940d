//! The conversions that all value types share, so that none has fewer than another.

/// Gives a type with `as_str` what it is written by: `Display` and `AsRef<str>`.
macro_rules! as_shown {
    ($name:ident) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.as_str().fmt(f)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
    };
}

/// Gives a type with `new` and `as_str` what a text has: `FromStr`, `Display`, `AsRef<str>` and `From` into `String`.
macro_rules! as_text {
    ($name:ident) => {
        impl std::str::FromStr for $name {
            type Err = Invalid;

            fn from_str(text: &str) -> Result<Self, Invalid> {
                Self::new(text)
            }
        }

        crate::model::values::conversions::as_shown!($name);

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.as_str().to_owned()
            }
        }
    };
}

/// Gives the identity of a text, which is its folded form, what stores need of it.
macro_rules! as_key {
    ($name:ident) => {
        impl $name {
            /// Returns a key from its stored form, without folding it again. Stores read their own keys with it.
            pub fn from_stored(folded: impl Into<Box<str>>) -> Self {
                Self(folded.into())
            }

            /// Returns the folded text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        crate::model::values::conversions::as_shown!($name);
    };
}

/// Gives a type with `TryFrom` what a number has: `FromStr` from decimal digits, `Display`, and `From` into the number.
macro_rules! as_number {
    ($name:ident, $number:ty, $rule:expr, $value:ident => $of:expr) => {
        impl std::str::FromStr for $name {
            type Err = Invalid;

            fn from_str(text: &str) -> Result<Self, Invalid> {
                text.parse::<$number>().map_err(|_| Invalid($rule)).and_then(Self::try_from)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                <$number>::from(*self).fmt(f)
            }
        }

        impl From<$name> for $number {
            fn from($value: $name) -> Self {
                $of
            }
        }
    };
}

/// Gives a type with `as_str` what a word has: `Display`, `AsRef<str>`, and `From` into `&'static str`.
macro_rules! as_word {
    ($name:ident) => {
        crate::model::values::conversions::as_shown!($name);

        impl From<$name> for &'static str {
            fn from(value: $name) -> Self {
                value.as_str()
            }
        }
    };
}

/// Makes a type with one rule for new and for stored values a [`Scalar`](crate::model::Scalar) by its `TryFrom`.
macro_rules! as_scalar {
    ($name:ident, $raw:ty) => {
        impl $crate::model::Scalar for $name {
            type Raw = $raw;

            fn from_stored(raw: $raw) -> Result<Self, $crate::model::Invalid> {
                Self::try_from(raw)
            }
        }
    };
}

/// Gives a [`Scalar`](crate::model::Scalar) with a rule of its own for new values the conversions of both doors:
/// `TryFrom` for what is new, and `Deserialize` for what was stored.
macro_rules! as_doors {
    ($name:ident, $raw:ty) => {
        impl TryFrom<$raw> for $name {
            type Error = $crate::model::Invalid;

            fn try_from(raw: $raw) -> Result<Self, $crate::model::Invalid> {
                <Self as $crate::model::Scalar>::of(raw)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = <$raw as serde::Deserialize>::deserialize(deserializer)?;
                <Self as $crate::model::Scalar>::from_stored(raw).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use {as_doors, as_key, as_number, as_scalar, as_shown, as_text, as_word};

#[cfg(test)]
mod tests {
    use std::{fmt::Display, str::FromStr};

    use crate::model::{
        Address, Age, Amount, Basis, ConsultationId, ConsultationState, Currency, Delta, Disease, Email, EveryDays,
        Invalid, InvoiceId, InvoiceState, KeyId, KeyName, LotText, MedicineName, MovementId, MovementKind,
        MovementReason, Name, Note, PatientId, Phone, Policy, PrescriptionId, PrescriptionState, Price, Quantity,
        Scope, ServiceLevel, ShortText, UnitName, Units, Weight,
    };

    /// Reads a value from its text and writes it again.
    fn is_read_back<T: FromStr + Display>(text: &str) -> bool {
        text.parse::<T>().is_ok_and(|value| value.to_string() == text)
    }

    #[test]
    fn every_value_is_read_from_what_it_is_shown_as() {
        for text in [is_read_back::<Name>, is_read_back::<Disease>, is_read_back::<ShortText>, is_read_back::<Address>]
        {
            assert!(text("Ada Example"));
        }
        assert!(is_read_back::<Email>("ada@example.org") && is_read_back::<UnitName>("tablet"));
        assert!(is_read_back::<LotText>("A1") && is_read_back::<Note>("shelf 2"));
        assert!(is_read_back::<MedicineName>(" Ibuprofen  400") && is_read_back::<Currency>("EUR"));
        assert!(is_read_back::<KeyId>("0123456789az") && is_read_back::<KeyName>("Front desk"));
        for number in [
            is_read_back::<PatientId>,
            is_read_back::<PrescriptionId>,
            is_read_back::<InvoiceId>,
            is_read_back::<ConsultationId>,
            is_read_back::<MovementId>,
            is_read_back::<Phone>,
            is_read_back::<Age>,
            is_read_back::<Price>,
            is_read_back::<Units>,
            is_read_back::<Amount>,
            is_read_back::<Quantity>,
            is_read_back::<EveryDays>,
            is_read_back::<Weight>,
        ] {
            assert!(number("7") && !number("") && !number("seven") && !number("-7"));
        }
        assert!(is_read_back::<Delta>("-7") && is_read_back::<ServiceLevel>("95") && is_read_back::<Weight>("61.5"));
        assert!(is_read_back::<Scope>("patient:read"));
        assert!(is_read_back::<PrescriptionState>("active") && is_read_back::<InvoiceState>("paid"));
        assert!(is_read_back::<ConsultationState>("open") && is_read_back::<Policy>("minMax"));
        assert!(is_read_back::<Basis>("dispensed") && is_read_back::<MovementKind>("receipt"));
        assert!(is_read_back::<MovementReason>("expired") && !is_read_back::<MovementReason>("Expired"));
    }

    #[test]
    fn every_value_becomes_what_it_is_made_of() -> Result<(), Invalid> {
        let (name, medicine) = (Name::new("Ada")?, MedicineName::new("Ibuprofen")?);
        assert_eq!((name.as_ref(), medicine.as_ref()), ("Ada", "Ibuprofen"));
        assert_eq!((String::from(name), String::from(medicine)), ("Ada".to_owned(), "Ibuprofen".to_owned()));
        let (phone, weight): (i64, f64) = (Phone::try_from(7)?.into(), Weight::try_from(61.5)?.into());
        assert!(phone == 7 && weight > 61.0 && weight < 62.0);
        assert_eq!(<&str>::from(InvoiceState::Paid), "paid");
        assert_eq!((Scope::Admin.as_ref(), PrescriptionState::ALL.len()), ("admin", 2));
        // A width is kept to, as in any text.
        assert_eq!(
            (format!("{:>6}|", Age::try_from(7)?), format!("{:6}|", Scope::Admin)),
            ("     7|".to_owned(), "admin |".to_owned())
        );
        Ok(())
    }
}
