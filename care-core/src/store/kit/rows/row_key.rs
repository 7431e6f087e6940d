//! The identifiers of records, as the values of their table's primary key.

use super::Value;
use crate::{
    model::{Date, EveryDays, KeyId, LotId, LotKey, MedicineKey, TakingsKey, each_identifier},
    store::{ReplyId, Series},
};

/// The identifier of a record in its table.
pub trait RowKey {
    /// Returns the values of the key's columns, in the table's order.
    fn values(&self) -> impl Iterator<Item = Value<'_>>;
}

macro_rules! one_column {
    ($($id:ty, $key:ident => $of:expr;)*) => {
        $(impl RowKey for $id {
            fn values(&self) -> impl Iterator<Item = Value<'_>> {
                let $key = self;
                std::iter::once(Value::from($of))
            }
        })*
    };
}

one_column! {
    MedicineKey, key => key.as_str();
    Date, date => date.unix_days();
    EveryDays, days => days.value();
    Series, series => series.as_str();
    ReplyId, id => id.as_str();
    KeyId, id => id.as_str();
}

macro_rules! identifiers {
    ($($id:ident $series:ident $name:literal $of:literal)*) => {
        one_column! { $(crate::model::$id, id => id.value();)* }
    };
}

each_identifier!(identifiers);

impl<A: RowKey, B: RowKey> RowKey for (A, B) {
    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        self.0.values().chain(self.1.values())
    }
}

/// A lot without a date comes behind all dates, and one without a text before all texts.
impl RowKey for LotId {
    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        let expires = self.expires.map_or(UNDATED, Date::unix_days);
        [Value::from(expires), Value::from(self.lot_key().map_or("", LotKey::as_str))].into_iter()
    }
}

/// Takings without a currency come before those of all currencies.
impl RowKey for TakingsKey {
    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        let currency = self.currency.as_ref().map_or("", |currency| currency.as_str());
        [Value::from(self.day.unix_days()), Value::from(&*self.holder), Value::from(currency)].into_iter()
    }
}

/// The day of a lot without one in a primary key: the day after [`Date::MAX`].
pub(super) const UNDATED: i64 = 2_932_897;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_without_a_date_come_last() {
        assert_eq!(UNDATED, Date::MAX.unix_days() + 1);
        assert!(LotId::default().values().eq([Value::from(UNDATED), Value::from("")]));
    }
}
