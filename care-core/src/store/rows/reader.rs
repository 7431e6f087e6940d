//! Reading the cells of a row one after the other.

use std::str::FromStr;

use serde::de::DeserializeOwned;

use super::RowError;
use crate::model::{Date, Invalid, MedicineKey, MedicineName, Timestamp};

/// The cells of a row that is read, from left to right. A store implements the cells as its database has them; every
/// value enters the model through its constructor.
///
/// Each method reads one cell, unless it says otherwise. A cell that is absent or of another type is damaged.
pub trait RowReader {
    /// The error of the store.
    type Error: From<RowError>;

    /// Returns an integer of 32 or 64 bits, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_integer(&mut self) -> Result<Option<i64>, Self::Error>;

    /// Returns a truth value, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_boolean(&mut self) -> Result<Option<bool>, Self::Error>;

    /// Returns a floating-point number, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_double(&mut self) -> Result<Option<f64>, Self::Error>;

    /// Returns a text, if there is one, for as long as the row is not read further.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_str(&mut self) -> Result<Option<&str>, Self::Error>;

    /// Returns bytes, if there are any, for as long as the row is not read further.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_bytes(&mut self) -> Result<Option<&[u8]>, Self::Error>;

    /// Returns the error for damage in the cell that was read last, a [`RowError::Damaged`].
    fn damaged(&self) -> Self::Error;

    /// Returns an integer without a rule of the model.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn integer(&mut self) -> Result<i64, Self::Error> {
        self.maybe_integer()?.ok_or_else(|| self.damaged())
    }

    /// Returns a truth value.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn boolean(&mut self) -> Result<bool, Self::Error> {
        self.maybe_boolean()?.ok_or_else(|| self.damaged())
    }

    /// Returns a text without a rule of the model.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn string(&mut self) -> Result<String, Self::Error> {
        self.maybe_str()?.map(str::to_owned).ok_or_else(|| self.damaged())
    }

    /// Returns this number of bytes.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Self::Error> {
        self.maybe_bytes()?.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| self.damaged())
    }

    /// Returns a number of the model.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn number<T: TryFrom<i64, Error = Invalid>>(&mut self) -> Result<T, Self::Error> {
        let number = self.integer()?;
        self.model(T::try_from(number))
    }

    /// Returns a number of the model, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_number<T: TryFrom<i64, Error = Invalid>>(&mut self) -> Result<Option<T>, Self::Error> {
        let number = self.maybe_integer()?;
        self.model(number.map(T::try_from).transpose())
    }

    /// Returns a text of the model.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn text<T: TryFrom<String, Error = Invalid>>(&mut self) -> Result<T, Self::Error> {
        self.maybe_text()?.ok_or_else(|| self.damaged())
    }

    /// Returns a text of the model, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_text<T: TryFrom<String, Error = Invalid>>(&mut self) -> Result<Option<T>, Self::Error> {
        let text = self.maybe_str()?.map(str::to_owned);
        self.model(text.map(T::try_from).transpose())
    }

    /// Returns the meaning of a word.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn word<T: FromStr>(&mut self) -> Result<T, Self::Error> {
        self.maybe_str()?.and_then(|word| word.parse().ok()).ok_or_else(|| self.damaged())
    }

    /// Returns a date, stored as days since 1970-01-01.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn date(&mut self) -> Result<Date, Self::Error> {
        self.maybe_date()?.ok_or_else(|| self.damaged())
    }

    /// Returns a date, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_date(&mut self) -> Result<Option<Date>, Self::Error> {
        let days = self.maybe_integer()?;
        self.model(days.map(Date::from_unix_days).transpose())
    }

    /// Returns an instant, stored as milliseconds since 1970-01-01.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn instant(&mut self) -> Result<Timestamp, Self::Error> {
        self.maybe_instant()?.ok_or_else(|| self.damaged())
    }

    /// Returns an instant, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_instant(&mut self) -> Result<Option<Timestamp>, Self::Error> {
        let millis = self.maybe_integer()?;
        self.model(millis.map(Timestamp::from_unix_millis).transpose())
    }

    /// Returns a count.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn count(&mut self) -> Result<u64, Self::Error> {
        self.maybe_count()?.ok_or_else(|| self.damaged())
    }

    /// Returns a count, if there is one.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn maybe_count(&mut self) -> Result<Option<u64>, Self::Error> {
        self.maybe_integer()?.map(u64::try_from).transpose().map_err(|_| self.damaged())
    }

    /// Returns a medicine from two cells, its key and its spelling, which must agree.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of a cell, or the store's failure.
    fn medicine(&mut self) -> Result<MedicineName, Self::Error> {
        let key = MedicineKey::from_stored(self.string()?);
        let name = MedicineName::with_key(self.string()?, key);
        self.model(name)
    }

    /// Returns a list or another compound value, stored as JSON.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn json<T: DeserializeOwned>(&mut self) -> Result<T, Self::Error> {
        self.maybe_str()?.and_then(|text| serde_json::from_str(text).ok()).ok_or_else(|| self.damaged())
    }

    /// Returns a value that the model accepts, and otherwise [damage](Self::damaged) of the cell that was read last.
    ///
    /// # Errors
    /// The damage.
    fn model<T>(&self, checked: Result<T, Invalid>) -> Result<T, Self::Error> {
        checked.map_err(|_| self.damaged())
    }
}
