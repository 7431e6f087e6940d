//! The records of a hand-written server: read from rows, written as JSON.

use care_core::model::Date;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// The statements about patients.
const SELECT: &str = "SELECT name, phone, insurance, patient_id, age, address, gender, weight, email, location, \
     lastvisit FROM patient WHERE patient_id = ?1";
const UPDATE: &str = "UPDATE patient SET name = ?1, folded_name = lower(?1), phone = ?2, insurance = ?3, age = ?4, \
     address = ?5, gender = ?6, weight = ?7, email = ?8, location = ?9, lastvisit = ?10 WHERE patient_id = ?11";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Patient {
    name: Option<String>,
    phone: Option<i64>,
    insurance: Option<bool>,
    patient_id: i64,
    age: Option<i32>,
    address: Option<String>,
    gender: Option<String>,
    weight: Option<f64>,
    email: Option<String>,
    location: Option<String>,
    lastvisit: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Prescription {
    patient_id: i64,
    medicine: String,
    is_available: bool,
    dosage: Option<String>,
    is_regular: Option<bool>,
    price: Option<i64>,
    currency: Option<String>,
}

impl Patient {
    pub(super) fn read(conn: &Connection, id: i64) -> Result<Option<Self>, rusqlite::Error> {
        conn.prepare_cached(SELECT)?
            .query_row([id], |row| {
                Ok(Self {
                    name: row.get(0)?,
                    phone: row.get(1)?,
                    insurance: row.get(2)?,
                    patient_id: row.get(3)?,
                    age: row.get(4)?,
                    address: row.get(5)?,
                    gender: row.get(6)?,
                    weight: row.get(7)?,
                    email: row.get(8)?,
                    location: row.get(9)?,
                    lastvisit: date(row.get(10)?),
                })
            })
            .optional()
    }

    /// Writes the patient, and returns whether there was one.
    pub(super) fn write(&self, conn: &Connection) -> Result<bool, rusqlite::Error> {
        let changed = conn.prepare_cached(UPDATE)?.execute(params![
            self.name,
            self.phone,
            self.insurance,
            self.age,
            self.address,
            self.gender,
            self.weight,
            self.email,
            self.location,
            self.day(),
            self.patient_id,
        ])?;
        Ok(changed == 1)
    }

    /// Returns the day of the last visit, as it is stored.
    fn day(&self) -> Option<i32> {
        let date = self.lastvisit.as_ref()?.parse::<Date>().ok()?;
        i32::try_from(date.unix_days()).ok()
    }
}

impl Prescription {
    /// Returns a prescription with two reads: its row, and the availability of its medicine.
    pub(super) fn read(conn: &Connection, id: i64) -> Result<Option<Self>, rusqlite::Error> {
        let found = conn
            .prepare_cached(
                "SELECT patient_id, medicine, dosage, is_regular, price, currency, medicine_key FROM prescription \
                 WHERE prescription_id = ?",
            )?
            .query_row([id], |row| {
                let prescription = Self {
                    patient_id: row.get(0)?,
                    medicine: row.get(1)?,
                    is_available: false,
                    dosage: row.get(2)?,
                    is_regular: row.get(3)?,
                    price: row.get(4)?,
                    currency: row.get(5)?,
                };
                Ok((prescription, row.get::<_, String>(6)?))
            })
            .optional()?;
        let Some((prescription, key)) = found else {
            return Ok(None);
        };
        let is_available = conn
            .prepare_cached("SELECT is_available FROM item WHERE medicine_key = ?")?
            .query_row([key], |row| row.get(0))
            .optional()?;
        Ok(Some(Self { is_available: is_available.unwrap_or(false), ..prescription }))
    }
}

/// Returns a stored day as it is answered.
fn date(day: Option<i32>) -> Option<String> {
    day.and_then(|day| Date::from_unix_days(day.into()).ok()).map(|date| date.to_string())
}
