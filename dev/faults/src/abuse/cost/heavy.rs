//! A clinic in which some patients have as much as a patient can have.

use std::path::Path;

use crate::{Inside, Port, Request, Result, abuse::Sizes, ask, at_once, bodies, post};

/// An ordinary patient, with the first prescription, invoice and consultation.
pub(crate) const ORDINARY: u64 = 1;
/// A patient with many visits, and the second prescription, invoice and consultation.
pub(crate) const VISITED: u64 = 2;
/// A patient with many prescriptions, paid and active.
pub(crate) const PRESCRIBED: u64 = 3;
/// A patient with many journal entries.
pub(crate) const CHANGED: u64 = 4;
/// The number of the first other patient.
pub(crate) const OTHERS: u64 = 1000;
/// The first number for the requests that are measured.
pub(crate) const FREE: u64 = 10_000_000;
/// Most prescriptions of one consultation.
pub(crate) const AT_ONCE: u64 = 30;
/// Fewest visits and active prescriptions that must still fit after the filling.
const ROOM: u64 = 100;
/// Most active prescriptions that a patient may have.
const ACTIVE: u64 = 1000;

impl Sizes {
    /// Returns how many active prescriptions the patient with many has when the measurement begins.
    pub(crate) fn active(&self) -> u64 {
        (self.prescriptions / 2).min(ACTIVE - ROOM)
    }
}

/// A task that fills a part of the clinic.
type Task = fn(Inside, &Sizes) -> Result<()>;

/// Fills a new database.
pub(crate) fn fill(database: &Path, sizes: &Sizes) -> Result<()> {
    let inside = Inside::open(database)?;
    let mut first = inside.clone();
    for (patient, body) in [(ORDINARY, ordinary_patient(ORDINARY)), (VISITED, bodies::patient(VISITED))] {
        post(&mut first, "/patient", body)?;
        let visit = match patient {
            ORDINARY => ordinary_visit(ORDINARY, 1),
            _ => bodies::consultation(patient, 1, 1, 20),
        };
        post(&mut first, "/consultations", visit)?;
        post(&mut first, &format!("/prescriptions/{patient}/invoice"), "{}")?;
        post(&mut first, &format!("/invoice/{patient}/payment"), "{}")?;
    }
    let tasks: [Task; 5] = [visits, prescriptions, entries, patients, items];
    at_once(tasks.len(), |number| tasks[number as usize](inside.clone(), sizes)).map(drop)
}

/// Returns the record of an ordinary patient.
pub(crate) fn ordinary_patient(id: u64) -> String {
    format!(r#"{{"patientId":{id},"name":"Ada Example","phone":4416{id},"address":"1 Sample Street","age":36}}"#)
}

/// Returns an ordinary visit.
pub(crate) fn ordinary_visit(patient: u64, number: u64) -> String {
    format!(r#"{{"patientId":{patient},"diseases":["Gout"],"prescriptions":[{{"medicine":"Ibuprofen {number}"}}]}}"#)
}

/// Withdraws active prescriptions of a patient until this many are left.
pub(crate) fn trim(port: &mut dyn Port, patient: u64, left: u64) -> Result<()> {
    let mut active = Vec::new();
    let mut path = format!("/prescriptions?patientId={patient}&state=active&limit=500");
    loop {
        let page = ask(port, Request::get(&path))?.document()?;
        let items = page["items"].as_array().map_or(&[][..], Vec::as_slice);
        active.extend(items.iter().filter_map(|item| item["prescriptionId"].as_u64()));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        path = format!("/prescriptions?patientId={patient}&state=active&limit=500&after={next}");
    }
    for id in active.into_iter().skip(usize::try_from(left).unwrap_or(usize::MAX)) {
        ask(port, Request::new("DELETE", format!("/prescriptions/{id}")))?;
    }
    Ok(())
}

fn visits(mut port: Inside, sizes: &Sizes) -> Result<()> {
    let mut left = sizes.visits.saturating_sub(ROOM.max(sizes.visits / 10));
    while left > 0 {
        let diseases = left.min(if sizes.visits > 1000 { 1 } else { 20 });
        let body = bodies::consultation(VISITED, 0, 0, diseases);
        post(&mut port, "/consultations", body)?;
        left -= diseases;
    }
    Ok(())
}

fn prescriptions(mut port: Inside, sizes: &Sizes) -> Result<()> {
    post(&mut port, "/patient", bodies::patient(PRESCRIBED))?;
    let (mut done, active) = (0, sizes.active());
    while done < sizes.prescriptions {
        let count = (sizes.prescriptions - done).min(AT_ONCE);
        let visit = post(&mut port, "/consultations", bodies::consultation(PRESCRIBED, 100_000 + done, count, 0))?;
        let visit = visit.document()?;
        for id in visit["prescriptionIds"].as_array().map_or(&[][..], Vec::as_slice) {
            done += 1;
            if done + active <= sizes.prescriptions {
                let invoice = ask(&mut port, Request::new("POST", format!("/prescriptions/{id}/invoice")))?.number();
                post(&mut port, &format!("/invoice/{}/payment", invoice.unwrap_or_default()), "{}")?;
            }
        }
    }
    Ok(())
}

fn entries(mut port: Inside, sizes: &Sizes) -> Result<()> {
    post(&mut port, "/patient", ordinary_patient(CHANGED))?;
    for phone in 1..=sizes.entries {
        let body = format!(r#"{{"patientId":{CHANGED},"phone":{phone}}}"#);
        ask(&mut port, Request::new("PUT", "/patient").body(body))?;
    }
    Ok(())
}

fn patients(mut port: Inside, sizes: &Sizes) -> Result<()> {
    for id in OTHERS..OTHERS + sizes.patients {
        post(&mut port, "/patient", bodies::patient(id))?;
    }
    Ok(())
}

fn items(mut port: Inside, sizes: &Sizes) -> Result<()> {
    post(&mut port, "/inventory/Ibuprofen", r#"{"price":4,"currency":"EUR"}"#)?;
    post(&mut port, "/inventory/Tracked", "{}")?;
    post(&mut port, "/inventory/Tracked/stock", r#"{"unit":"tablets"}"#)?;
    for _ in 0..sizes.prescriptions {
        post(&mut port, "/inventory/Tracked/movements", r#"{"kind":"receipt","units":1,"lot":"A"}"#)?;
    }
    for number in 0..sizes.patients.min(5000) {
        let body = format!(r#"{{"dosage":"{}","price":9,"currency":"EUR"}}"#, bodies::wide(256, 9));
        post(&mut port, &bodies::item(number), &body)?;
    }
    Ok(())
}
