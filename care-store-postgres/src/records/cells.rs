//! The cells of one row, one after the other, in and out.

use care_core::model::{Date, Invalid, MedicineKey, MedicineName};
use serde::{Serialize, de::DeserializeOwned};
use tokio_postgres::{Row, types::FromSql};

use super::{Cell, cell::Int};
use crate::error::Fault;

/// The cells of a row that is read, left to right. Every value enters the model through its constructor.
pub(crate) struct Cells<'a> {
    table: &'static str,
    row: &'a Row,
    next: usize,
}

/// A type that a cell can be read as without a rule of the model.
pub(crate) trait Raw: Sized {
    fn of(cells: &mut Cells<'_>) -> Result<Self, Fault>;
}

impl<'a> Cells<'a> {
    pub(crate) const fn new(table: &'static str, row: &'a Row) -> Self {
        Self { table, row, next: 0 }
    }

    /// Returns the next cell as it is.
    pub(crate) fn raw<T: Raw>(&mut self) -> Result<T, Fault> {
        T::of(self)
    }

    fn take<T: FromSql<'a>>(&mut self) -> Result<Option<T>, Fault> {
        let column = self.next;
        self.next += 1;
        // The library's own error for this could name the value.
        self.row.try_get(column).map_err(|_| self.damaged())
    }

    fn required<T: FromSql<'a>>(&mut self) -> Result<T, Fault> {
        self.take()?.ok_or_else(|| self.damaged())
    }

    /// Returns a number of the model.
    pub(crate) fn number<T: TryFrom<i64, Error = Invalid>>(&mut self) -> Result<T, Fault> {
        let number = self.raw::<i64>()?;
        self.model(T::try_from(number))
    }

    /// Returns a text of the model.
    pub(crate) fn text<T: TryFrom<String, Error = Invalid>>(&mut self) -> Result<T, Fault> {
        let text = self.raw::<String>()?;
        self.model(T::try_from(text))
    }

    /// Returns an optional number of the model.
    pub(crate) fn maybe_number<T: TryFrom<i64, Error = Invalid>>(&mut self) -> Result<Option<T>, Fault> {
        let number = self.raw::<Option<i64>>()?;
        self.model(number.map(T::try_from).transpose())
    }

    /// Returns an optional text of the model.
    pub(crate) fn maybe_text<T: TryFrom<String, Error = Invalid>>(&mut self) -> Result<Option<T>, Fault> {
        let text = self.raw::<Option<String>>()?;
        self.model(text.map(T::try_from).transpose())
    }

    pub(crate) fn date(&mut self) -> Result<Date, Fault> {
        let days = self.raw::<i64>()?;
        self.model(Date::from_unix_days(days))
    }

    pub(crate) fn maybe_date(&mut self) -> Result<Option<Date>, Fault> {
        let days = self.raw::<Option<i64>>()?;
        self.model(days.map(Date::from_unix_days).transpose())
    }

    pub(crate) fn count(&mut self) -> Result<u64, Fault> {
        let count = self.raw::<i64>()?;
        u64::try_from(count).map_err(|_| self.damaged())
    }

    pub(crate) fn maybe_count(&mut self) -> Result<Option<u64>, Fault> {
        let count = self.raw::<Option<i64>>()?;
        count.map(u64::try_from).transpose().map_err(|_| self.damaged())
    }

    /// Returns a medicine's key and then its spelling, which must agree.
    pub(crate) fn medicine(&mut self) -> Result<MedicineName, Fault> {
        let key = MedicineKey::from_stored(self.raw::<String>()?);
        let name = self.text::<MedicineName>()?;
        if *name.key() != key {
            return Err(self.damaged());
        }
        Ok(name)
    }

    /// Returns a list or another compound value, kept as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&mut self) -> Result<T, Fault> {
        let text = self.required::<&str>()?;
        serde_json::from_str(text).map_err(|_| self.damaged())
    }

    /// Returns one of the words for a state.
    pub(crate) fn word<T: Copy>(&mut self, words: &[(&str, T)]) -> Result<T, Fault> {
        let word = self.required::<&str>()?;
        words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning).ok_or_else(|| self.damaged())
    }

    /// Returns a digest of 32 bytes.
    pub(crate) fn digest(&mut self) -> Result<[u8; 32], Fault> {
        let bytes = self.required::<&[u8]>()?;
        bytes.try_into().map_err(|_| self.damaged())
    }

    /// Takes what the model says of the cell that was read last.
    pub(crate) fn model<T>(&self, checked: Result<T, Invalid>) -> Result<T, Fault> {
        checked.map_err(|_| self.damaged())
    }

    /// Returns the cell that was read last is damaged.
    pub(crate) fn damaged(&self) -> Fault {
        Fault::Damaged { table: self.table, column: self.next - 1 }
    }
}

impl Raw for i64 {
    fn of(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        cells.required::<Int>().map(|number| number.0)
    }
}

impl Raw for Option<i64> {
    fn of(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(cells.take::<Int>()?.map(|number| number.0))
    }
}

/// The types that the library reads as they are.
macro_rules! raw {
    ($($ty:ty)*) => {$(
        impl Raw for $ty {
            fn of(cells: &mut Cells<'_>) -> Result<Self, Fault> {
                cells.required()
            }
        }

        impl Raw for Option<$ty> {
            fn of(cells: &mut Cells<'_>) -> Result<Self, Fault> {
                cells.take()
            }
        }
    )*};
}

raw! { bool f64 String }

/// The values of a row that is written, left to right.
#[derive(Debug, Default)]
pub(crate) struct Values(Vec<Cell>);

impl Values {
    pub(crate) fn put(&mut self, value: impl Into<Cell>) {
        self.0.push(value.into());
    }

    pub(crate) fn count(&mut self, count: u64) -> Result<(), Fault> {
        self.put(i64::try_from(count).map_err(|_| Fault::TooMany)?);
        Ok(())
    }

    pub(crate) fn maybe_count(&mut self, count: Option<u64>) -> Result<(), Fault> {
        self.put(count.map(i64::try_from).transpose().map_err(|_| Fault::TooMany)?);
        Ok(())
    }

    pub(crate) fn medicine(&mut self, name: &MedicineName) {
        self.put(name.key().as_str());
        self.put(name.as_str());
    }

    /// Puts a list or another compound value, as JSON.
    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.put(serde_json::to_string(value).map_err(Fault::Encode)?);
        Ok(())
    }

    /// Returns the cells.
    pub(crate) fn into_cells(self) -> Vec<Cell> {
        self.0
    }
}
