//! The values in a row's cells, by the fields of a record.

use std::borrow::Cow;

use care_core::{
    error::{Error, FieldError},
    model::{Date, Fill, Invalid, Patch, Scalar, folded_name, phone_digits},
};
use serde_json::from_str;

/// A complaint about a cell, as the rest of a sentence about its field.
type Complaint = &'static str;

/// The cells of a row, and what is wrong with them. A blank cell is an absent field.
pub(in crate::admin) struct Values<'a> {
    cells: &'a [(&'static str, &'a [u8])],
    faults: Vec<FieldError>,
}

impl<'a> Values<'a> {
    pub(in crate::admin) const fn of(cells: &'a [(&'static str, &'a [u8])]) -> Self {
        Self { cells, faults: Vec::new() }
    }

    /// Refuses the row if a cell is wrong, with all faults in the order of the columns.
    pub(in crate::admin) fn verdict(mut self) -> Result<(), Error> {
        self.faults.sort_by_key(|fault| self.cells.iter().position(|(field, _)| *field == fault.field));
        if self.faults.is_empty() { Ok(()) } else { Err(Error::Invalid(self.faults)) }
    }
}

impl<T: Scalar<Raw: Readable>> Fill<Option<T>> for Values<'_> {
    fn value(&mut self, field: &'static str) -> Option<T> {
        <Self as Fill<Patch<T>>>::value(self, field).value()
    }
}

impl<T: Scalar<Raw: Readable>> Fill<Patch<T>> for Values<'_> {
    fn value(&mut self, field: &'static str) -> Patch<T> {
        let cell = self.cells.iter().find(|(name, cell)| *name == field && !is_absent(field, cell));
        cell.and_then(|(_, cell)| {
            value(field, cell).map_err(|fault| self.faults.push(FieldError::new(field, fault))).ok()
        })
        .into()
    }
}

fn value<T: Scalar<Raw: Readable>>(field: &str, cell: &[u8]) -> Result<T, Complaint> {
    let cell = str::from_utf8(cell).map_err(|_| "must be UTF-8")?;
    T::of(Readable::read(&plain(field, cell))?).map_err(Invalid::rule)
}

/// Returns whether nothing but white space and invisible characters is in a cell. Allergies without a letter or digit,
/// such as a dash, are none.
fn is_absent(field: &str, cell: &[u8]) -> bool {
    let is_none = |text: &str| field == "allergies" && !text.chars().any(char::is_alphanumeric);
    str::from_utf8(cell).is_ok_and(|text| is_none(text) || is_blank(text))
}

/// Returns whether nothing but white space and invisible characters is in a text.
pub(super) fn is_blank(text: &str) -> bool {
    text.is_empty() || folded_name(text).is_empty()
}

/// Returns a cell as documents have its value: phone numbers and the days of packages are also written otherwise.
fn plain<'a>(field: &str, cell: &'a str) -> Cow<'a, str> {
    let written = match field {
        "phone" => phone_digits(cell),
        "expires" => Date::last_of_month(cell).map(|day| day.to_string()),
        _ => None,
    };
    written.map_or(cell.into(), Cow::Owned)
}

/// A raw value of a cell.
pub(in crate::admin) trait Readable: Sized {
    fn read(cell: &str) -> Result<Self, Complaint>;
}

impl Readable for String {
    fn read(cell: &str) -> Result<Self, Complaint> {
        Ok(cell.to_owned())
    }
}

// JSON's grammar, as everywhere in the service: no `+`, no leading zero.
impl Readable for i64 {
    fn read(cell: &str) -> Result<Self, Complaint> {
        from_str(cell).map_err(|_| "must be a whole number")
    }
}

impl Readable for f64 {
    fn read(cell: &str) -> Result<Self, Complaint> {
        from_str(cell).map_err(|_| "must be a number")
    }
}

impl Readable for bool {
    fn read(cell: &str) -> Result<Self, Complaint> {
        match cell.trim() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err("must be true or false"),
        }
    }
}
