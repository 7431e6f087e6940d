//! Reading the cells of a row one after the other.

use serde::de::DeserializeOwned;

use super::{Field, RowError};
use crate::model::{Invalid, MedicineKey, MedicineName};

/// The cells of a row that is read, from left to right. A store implements the cells as its database has them; every
/// value enters the model through its constructor, as its [`Cell`](super::Cell) says.
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

    /// Returns the value of a field.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn get<F: Field>(&mut self) -> Result<F, Self::Error>
    where
        Self: Sized,
    {
        F::read(self)
    }

    /// Returns this number of bytes.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of the cell, or the store's failure.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Self::Error> {
        self.maybe_bytes()?.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| self.damaged())
    }

    /// Returns a medicine from two cells, its key and its spelling, which must agree.
    ///
    /// # Errors
    /// [`Damage`](Self::damaged) of a cell, or the store's failure.
    fn medicine(&mut self) -> Result<MedicineName, Self::Error>
    where
        Self: Sized,
    {
        let key = MedicineKey::from_stored(self.get::<Box<str>>()?);
        let name = MedicineName::with_key(self.get()?, key);
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
