//! The meaning of a row's cells.

use care_core::{
    error::{Error, FieldError},
    model::{Invalid, Patch, PatientDetails, PatientId},
};
use csv::ByteRecord;
use serde_json::from_str;

/// The fields of a patient, in the order of the columns.
#[derive(Debug, Default)]
pub(super) struct Columns(Vec<&'static str>);

const FIELDS: [&str; 11] =
    ["name", "phone", "insurance", "patientId", "age", "address", "gender", "weight", "email", "location", "lastvisit"];

/// The fault of a cell, as a text about its field.
type Complaint = &'static str;

impl Columns {
    /// Returns the columns that a header names. An error does not repeat the header's text: in a file without a header
    /// it is a patient.
    pub(super) fn named(header: &ByteRecord) -> Result<Self, String> {
        let mut columns = Vec::with_capacity(header.len());
        for (cell, number) in header.iter().zip(1..) {
            let field = FIELDS.into_iter().find(|field| field.as_bytes() == cell);
            let Some(field) = field else {
                let fields = FIELDS.join(", ");
                return Err(format!("does not name column {number} as one of the fields {fields}"));
            };
            if columns.contains(&field) {
                return Err(format!("names more than one column {field}"));
            }
            columns.push(field);
        }
        if columns.is_empty() {
            return Err("does not name the columns".to_owned());
        }
        Ok(Self(columns))
    }

    /// Returns the patient in a row, or all faults of the row.
    pub(super) fn patient(&self, row: &ByteRecord) -> Result<(Option<PatientId>, PatientDetails), Error> {
        if row.len() != self.0.len() {
            let fault = "must have as many cells as there are columns";
            return Err(Error::field("row", fault));
        }
        let (mut id, mut details) = (None, PatientDetails::default());
        let mut faults = Vec::new();
        for (field, cell) in self.0.iter().zip(row) {
            if let Err(fault) = enter(field, cell, &mut id, &mut details) {
                faults.push(FieldError::new(*field, fault));
            }
        }
        match faults.is_empty() {
            true => Ok((id, details)),
            false => Err(Error::Invalid(faults)),
        }
    }
}

fn enter(field: &str, cell: &[u8], id: &mut Option<PatientId>, details: &mut PatientDetails) -> Result<(), Complaint> {
    if cell.is_empty() {
        return Ok(());
    }
    let cell = str::from_utf8(cell).map_err(|_| "must be UTF-8")?;
    match field {
        "name" => details.name = text(cell)?,
        "phone" => details.phone = Patch::Set(whole(cell)?),
        "insurance" => details.insurance = Patch::Set(boolean(cell)?),
        "patientId" => *id = Some(whole(cell)?),
        "age" => details.age = Patch::Set(whole(cell)?),
        "address" => details.address = text(cell)?,
        "gender" => details.gender = text(cell)?,
        "weight" => details.weight = Patch::Set(number(cell)?),
        "email" => details.email = text(cell)?,
        "location" => details.location = text(cell)?,
        "lastvisit" => {
            let day = cell.trim().parse();
            details.lastvisit = Patch::Set(day.map_err(Invalid::rule)?);
        }
        _ => {}
    }
    Ok(())
}

fn text<T: TryFrom<String, Error = Invalid>>(cell: &str) -> Result<Patch<T>, Complaint> {
    let value = T::try_from(cell.to_owned());
    value.map(Patch::Set).map_err(Invalid::rule)
}

// JSON's grammar, as everywhere in the service: no `+`, no leading zero.
fn whole<T: TryFrom<i64, Error = Invalid>>(cell: &str) -> Result<T, Complaint> {
    let number: i64 = from_str(cell).map_err(|_| "must be a whole number")?;
    T::try_from(number).map_err(Invalid::rule)
}

fn number<T: TryFrom<f64, Error = Invalid>>(cell: &str) -> Result<T, Complaint> {
    let number: f64 = from_str(cell).map_err(|_| "must be a number")?;
    T::try_from(number).map_err(Invalid::rule)
}

fn boolean(cell: &str) -> Result<bool, Complaint> {
    match cell.trim() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("must be true or false"),
    }
}
