//! Reading and writing the cells of a row one after the other.

use care_core::model::{Date, Invalid, MedicineKey, MedicineName};
use rusqlite::{
    CachedStatement, Row, ToSql,
    types::{FromSql, ValueRef},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::error::Fault;

/// The cells of a row that is read, from left to right. Every value enters the model through its constructor.
pub(crate) struct Cells<'a, 'r> {
    table: &'static str,
    row: &'a Row<'r>,
    next: usize,
}

impl<'a, 'r> Cells<'a, 'r> {
    pub(crate) const fn new(table: &'static str, row: &'a Row<'r>) -> Self {
        Self { table, row, next: 0 }
    }

    /// Returns the next cell in SQLite's type.
    pub(crate) fn raw<T: FromSql>(&mut self) -> Result<T, Fault> {
        let column = self.next;
        self.next += 1;
        // The library's own error could contain the value.
        self.row.get(column).map_err(|error| match error {
            rusqlite::Error::SqliteFailure(..) => error.into(),
            _ => self.damaged(),
        })
    }

    /// Returns a number of the model.
    pub(crate) fn number<T: TryFrom<i64, Error = Invalid>>(&mut self) -> Result<T, Fault> {
        let number = self.raw::<i64>()?;
        self.model(T::try_from(number))
    }

    /// Returns a text of the model.
    pub(crate) fn text<T: TryFrom<String, Error = Invalid>>(&mut self) -> Result<T, Fault> {
        self.maybe_text()?.ok_or_else(|| self.damaged())
    }

    /// Returns an optional number of the model.
    pub(crate) fn maybe_number<T: TryFrom<i64, Error = Invalid>>(&mut self) -> Result<Option<T>, Fault> {
        let number = self.raw::<Option<i64>>()?;
        self.model(number.map(T::try_from).transpose())
    }

    /// Returns an optional text of the model.
    pub(crate) fn maybe_text<T: TryFrom<String, Error = Invalid>>(&mut self) -> Result<Option<T>, Fault> {
        let column = self.next;
        self.next += 1;
        // This is written by hand, since most cells are texts and the library's conversion takes twice as long.
        let text = match self.row.get_ref(column)? {
            ValueRef::Null => return Ok(None),
            ValueRef::Text(text) => str::from_utf8(text).ok(),
            _ => None,
        };
        let text = text.ok_or_else(|| self.damaged())?;
        self.model(T::try_from(text.to_owned()).map(Some))
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

    /// Returns a medicine from its key and its spelling, which must agree.
    pub(crate) fn medicine(&mut self) -> Result<MedicineName, Fault> {
        let key = MedicineKey::from_stored(self.raw::<String>()?);
        let name = self.text::<MedicineName>()?;
        if *name.key() != key {
            return Err(self.damaged());
        }
        Ok(name)
    }

    /// Returns a list or another compound value, stored as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&mut self) -> Result<T, Fault> {
        let column = self.next;
        self.next += 1;
        match self.row.get_ref(column)? {
            ValueRef::Text(text) => serde_json::from_slice(text).map_err(|_| self.damaged()),
            _ => Err(self.damaged()),
        }
    }

    /// Returns the state of a word.
    pub(crate) fn word<T: Copy>(&mut self, words: &[(&str, T)]) -> Result<T, Fault> {
        let column = self.next;
        self.next += 1;
        let word = self.row.get_ref(column)?.as_str().unwrap_or_default();
        words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning).ok_or_else(|| self.damaged())
    }

    /// Turns a refusal of the model into damage of the cell that was read last.
    pub(crate) fn model<T>(&self, checked: Result<T, Invalid>) -> Result<T, Fault> {
        checked.map_err(|_| self.damaged())
    }

    /// Returns the fault for damage in the cell that was read last.
    pub(crate) fn damaged(&self) -> Fault {
        Fault::Damaged { table: self.table, column: self.next - 1 }
    }
}

/// The values of a row that is written, from left to right.
pub(crate) struct Values<'a, 'c> {
    statement: &'a mut CachedStatement<'c>,
    next: usize,
}

impl<'a, 'c> Values<'a, 'c> {
    pub(crate) fn new(statement: &'a mut CachedStatement<'c>) -> Self {
        Self { statement, next: 1 }
    }

    pub(crate) fn put(&mut self, value: impl ToSql) -> Result<(), Fault> {
        self.statement.raw_bind_parameter(self.next, value)?;
        self.next += 1;
        Ok(())
    }

    pub(crate) fn count(&mut self, count: u64) -> Result<(), Fault> {
        self.put(i64::try_from(count).map_err(|_| Fault::TooMany)?)
    }

    pub(crate) fn maybe_count(&mut self, count: Option<u64>) -> Result<(), Fault> {
        self.put(count.map(i64::try_from).transpose().map_err(|_| Fault::TooMany)?)
    }

    pub(crate) fn medicine(&mut self, name: &MedicineName) -> Result<(), Fault> {
        self.put(name.key().as_str())?;
        self.put(name.as_str())
    }

    /// Appends a list or another compound value as JSON.
    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Fault> {
        self.put(serde_json::to_string(value).map_err(Fault::Encode)?)
    }
}
