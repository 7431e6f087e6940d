//! Each value type of the model, as a column holds it.

use serde::{Serialize, de::DeserializeOwned};

use super::{Cell, RowError, RowReader, Type, Value};
use crate::{
    model::{
        Age, Basis, ConsultationState, Currency, Date, Delta, InvoiceState, KeyId, KeyName, LotKey, LotText,
        MedicineKey, MedicineName, MovementKind, MovementReason, PaymentMethod, Phone, Policy, PrescriptionState,
        Price, ReceiptKind, RefundReason, Scalar, Scopes, ServiceLevel, Timestamp, Weight, each_count, each_identifier,
        each_text,
    },
    store::{ReplyId, Series},
};

/// Cells of a column: the type, how a value is made of what `RowReader` reads, and what of it is written.
macro_rules! cells {
    ($($column:ident by $reader:ident: $($ty:ty)+ = |$raw:ident| $made:expr, |$value:ident| $of:expr;)*) => {$($(
        impl Cell for $ty {
            const TYPE: Type = Type::$column;

            fn read<R: RowReader>(cells: &mut R) -> Result<Option<Self>, R::Error> {
                match cells.$reader()? {
                    Some($raw) => $made.map(Some).map_err(|_| cells.damaged()),
                    None => Ok(None),
                }
            }

            fn value(this: Option<&Self>) -> Result<Value<'_>, RowError> {
                Ok(Value::from(this.map(|$value| $of)))
            }
        }
    )+)*};
}

cells! {
    Text by maybe_str: LotText MedicineName Currency KeyId KeyName
        = |text| Self::from_stored(text.to_owned()), |value| value.as_str();
    Text by maybe_str: MedicineKey LotKey = |text| Ok::<_, RowError>(Self::from_stored(text)), |value| value.as_str();
    Text by maybe_str: ReplyId = |text| Self::try_from(text.to_owned()), |value| value.as_str();
    Text by maybe_str: Box<str> = |text| Ok::<_, RowError>(Self::from(text)), |value| &**value;
    Text by maybe_str: String = |text| Ok::<_, RowError>(text.to_owned()), |value| value.as_str();
    Text by maybe_str: Policy Basis MovementKind MovementReason PrescriptionState InvoiceState
        ConsultationState ReceiptKind PaymentMethod RefundReason Series = |word| word.parse(), |value| value.as_str();
    Text by maybe_str: Scopes = |words| words.parse(), |value| value.to_string();
    Int by maybe_integer: Age Delta ServiceLevel = |number| Self::from_stored(number), |value| i64::from(*value);
    Int by maybe_integer: Date = |days| Self::from_unix_days(days), |value| value.unix_days();
    BigInt by maybe_integer: Phone Price = |number| Self::from_stored(number), |value| i64::from(*value);
    BigInt by maybe_integer: Timestamp = |millis| Self::from_unix_millis(millis), |value| value.unix_millis();
    BigInt by maybe_integer: i64 = |number| Ok::<_, RowError>(number), |value| *value;
    Bool by maybe_boolean: bool = |value| Ok::<_, RowError>(value), |value| *value;
    Double by maybe_double: Weight = |number| Self::from_stored(number), |value| value.kilograms();
}

macro_rules! identifiers {
    ($($id:ident $series:ident $name:literal $of:literal)*) => {
        cells! { BigInt by maybe_integer: $(crate::model::$id)* = |number| Self::from_stored(number), |id| id.value(); }
    };
}

each_identifier!(identifiers);

macro_rules! texts {
    ($($text:ident $rule:ident $example:literal)*) => {
        cells! {
            Text by maybe_str: $(crate::model::$text)*
                = |text| Self::from_stored(text.to_owned()), |value| value.as_str();
        }
    };
}

each_text!(texts);

macro_rules! counts {
    ($($count:ident $example:literal)*) => {
        cells! {
            Int by maybe_integer: $(crate::model::$count)* = |number| Self::from_stored(number), |value| value.value();
        }
    };
}

each_count!(counts);

/// A count. A column of 64 bits holds half of them.
impl Cell for u64 {
    const TYPE: Type = Type::BigInt;

    fn read<R: RowReader>(cells: &mut R) -> Result<Option<Self>, R::Error> {
        cells.maybe_integer()?.map(Self::try_from).transpose().map_err(|_| cells.damaged())
    }

    fn value(this: Option<&Self>) -> Result<Value<'_>, RowError> {
        Ok(this.copied().map(i64::try_from).transpose().map_err(|_| RowError::TooMany)?.into())
    }
}

/// Cells of compound values, as JSON.
macro_rules! json {
    ($($ty:ty $(, $of:ident)?;)*) => {$(
        impl$(<$of: Serialize + DeserializeOwned>)? Cell for $ty {
            const TYPE: Type = Type::Text;

            fn read<R: RowReader>(cells: &mut R) -> Result<Option<Self>, R::Error> {
                let read = cells.maybe_str()?.map(serde_json::from_str).transpose();
                read.map_err(|_| cells.damaged())
            }

            fn value(this: Option<&Self>) -> Result<Value<'_>, RowError> {
                Ok(this.map(serde_json::to_string).transpose().map_err(RowError::Encode)?.into())
            }
        }
    )*};
}

json! {
    Vec<T>, T;
    serde_json::Value;
}
