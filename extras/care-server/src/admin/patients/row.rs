//! The meaning of a row's cells.

use care_core::{
    error::{Error, FieldError},
    model::{Fill, Invalid, Patch, PatientDetails, PatientId, Scalar},
};
use serde_json::from_str;

/// A complaint about a cell, as the rest of a sentence about its field.
type Complaint = &'static str;

/// Returns the patient in a row's cells, or all faults of the row.
pub(super) fn patient(cells: &[(&'static str, &[u8])]) -> Result<(Option<PatientId>, PatientDetails), Error> {
    let mut row = Row { cells, faults: Vec::new() };
    let id: Patch<PatientId> = row.value("patientId");
    let details = PatientDetails::filled(&mut row);
    if row.faults.is_empty() {
        return Ok((id.value(), details));
    }
    // Faults are told in the order of the columns.
    row.faults.sort_by_key(|fault| cells.iter().position(|(field, _)| *field == fault.field));
    Err(Error::Invalid(row.faults))
}

/// The cells of a row, and what is wrong with them.
struct Row<'a> {
    cells: &'a [(&'static str, &'a [u8])],
    faults: Vec<FieldError>,
}

impl<T: Scalar<Raw: Readable>> Fill<Patch<T>> for Row<'_> {
    fn value(&mut self, field: &'static str) -> Patch<T> {
        let cell = self.cells.iter().find(|(name, cell)| *name == field && !cell.is_empty());
        cell.and_then(|(_, cell)| value(cell).map_err(|fault| self.faults.push(FieldError::new(field, fault))).ok())
            .into()
    }
}

fn value<T: Scalar<Raw: Readable>>(cell: &[u8]) -> Result<T, Complaint> {
    let cell = str::from_utf8(cell).map_err(|_| "must be UTF-8")?;
    T::of(Readable::read(cell)?).map_err(Invalid::rule)
}

/// A raw value of a cell.
trait Readable: Sized {
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
