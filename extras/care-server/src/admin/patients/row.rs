//! The meaning of a row's cells.

use care_core::{
    error::{Error, FieldError},
    model::{Invalid, Patch, PatientDetails, PatientId, Scalar},
    patient_fields,
};
use serde_json::from_str;

/// A complaint about a cell, as the rest of a sentence about its field.
type Complaint = &'static str;

/// Returns the patient in a row's cells, or all faults of the row.
pub(super) fn patient(cells: &[(&'static str, &[u8])]) -> Result<(Option<PatientId>, PatientDetails), Error> {
    let (mut id, mut details) = (None, PatientDetails::default());
    let mut faults = Vec::new();
    for (field, cell) in cells {
        if let Err(fault) = enter(field, cell, &mut id, &mut details) {
            faults.push(FieldError::new(*field, fault));
        }
    }
    match faults.is_empty() {
        true => Ok((id, details)),
        false => Err(Error::Invalid(faults)),
    }
}

/// Enters a cell into the field of its column.
macro_rules! enter {
    (
        $name:ident, $cell:ident, $id:ident, $details:ident;
        $($(#[$doc:meta])+ $field:ident $wire:literal: $ty:ty = $example:literal;)*
        key $(#[$key_doc:meta])+ $key:ident $key_wire:literal: $key_ty:ty = $key_example:literal;
        $($(#[$more_doc:meta])+ $more:ident $more_wire:literal: $more_ty:ty = $more_example:literal;)*
    ) => {
        match $name {
            $($wire => $details.$field = Patch::Set(value($cell)?),)*
            $key_wire => *$id = Some(value($cell)?),
            $($more_wire => $details.$more = Patch::Set(value($cell)?),)*
            _ => {}
        }
    };
}

fn enter(field: &str, cell: &[u8], id: &mut Option<PatientId>, details: &mut PatientDetails) -> Result<(), Complaint> {
    if cell.is_empty() {
        return Ok(());
    }
    let cell = str::from_utf8(cell).map_err(|_| "must be UTF-8")?;
    patient_fields!(enter field, cell, id, details;);
    Ok(())
}

fn value<T: Scalar<Raw: Readable>>(cell: &str) -> Result<T, Complaint> {
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
