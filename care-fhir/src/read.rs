//! Reading one resource: the records that it is made of, from one snapshot.

use care_core::{
    CareService,
    error::{Error, StoreErrorKind},
    model::{
        Consultation, ConsultationId, Diagnosis, Dispensing, Invoice, InvoiceId, Item, MedicineKey, Movement,
        MovementId, MovementKind, Patient, PatientId, Prescription, PrescriptionId,
    },
    store::{Counter, RecordKey, Seen, Seq, Series, Stop, Voided},
};

use crate::{kind::Kind, medication_id, resources, tree::Resource};

/// The result of looking for a resource.
#[derive(Debug)]
pub(crate) enum Found {
    /// The resource, the number of the entry that put it last, and the patient's records that it shows.
    Resource { resource: Resource, version: Seq, reads: Vec<RecordKey> },
    /// Its number was given, and has no record any longer.
    Gone,
    /// Its number was never given.
    Nothing,
}

/// Reads the resource of this kind and identifier.
///
/// # Errors
/// The store's failures.
pub(crate) async fn read(care: &CareService, kind: Kind, id: &str, namespace: Option<&str>) -> Result<Found, Error> {
    match kind {
        Kind::Patient => match number(id) {
            Some(id) => {
                ask(care, |seen| patient(seen, id, |patient| Some(resources::patient(patient, namespace)))).await
            }
            None => Ok(Found::Nothing),
        },
        Kind::Observation => {
            let (id, map): (_, fn(&Patient) -> Option<Resource>) = match id.rsplit_once('-') {
                Some((id, "weight")) => (id, resources::weight),
                Some((id, "age")) => (id, resources::age),
                _ => return Ok(Found::Nothing),
            };
            match number(id) {
                Some(id) => ask(care, |seen| patient(seen, id, map)).await,
                None => Ok(Found::Nothing),
            }
        }
        Kind::Encounter => match number(id) {
            Some(id) => ask(care, |seen| encounter(seen, id)).await,
            None => Ok(Found::Nothing),
        },
        Kind::Condition => {
            let parts = id.split_once('-').and_then(|(of, nth)| Some((number::<i64>(of)?, number::<i64>(nth)?)));
            match parts {
                Some((of, nth)) => ask(care, |seen| condition(seen, of, nth)).await,
                None => Ok(Found::Nothing),
            }
        }
        Kind::MedicationRequest => match number(id) {
            Some(id) => ask(care, |seen| request(seen, id)).await,
            None => Ok(Found::Nothing),
        },
        Kind::MedicationDispense => match number(id) {
            Some(id) => ask(care, |seen| dispense(seen, id)).await,
            None => Ok(Found::Nothing),
        },
        Kind::Medication => match medication_id::find(care, id).await? {
            Some(medicine) => ask(care, |seen| medication(seen, &medicine)).await,
            None => Ok(Found::Nothing),
        },
        Kind::Invoice => match number(id) {
            Some(id) => ask(care, |seen| invoice(seen, id, namespace)).await,
            None => Ok(Found::Nothing),
        },
    }
}

/// Returns the number in an identifier, which has one spelling.
fn number<T: TryFrom<i64>>(id: &str) -> Option<T> {
    let is_plain = !id.starts_with('0') && id.bytes().all(|byte| byte.is_ascii_digit());
    T::try_from(id.parse().ok().filter(|_| is_plain)?).ok()
}

async fn ask(
    care: &CareService,
    mut question: impl FnMut(&mut Seen) -> Result<Found, Stop> + Send,
) -> Result<Found, Error> {
    let mut found = None;
    let mut ask = |seen: &mut Seen| {
        found = Some(question(seen)?);
        Ok(())
    };
    care.store().read(&mut ask).await?;
    found.ok_or_else(|| Error::Store(StoreErrorKind::Broken.into()))
}

fn patient(seen: &Seen, id: PatientId, map: impl FnOnce(&Patient) -> Option<Resource>) -> Result<Found, Stop> {
    match seen.get::<Patient>(id)? {
        Some(found) => Ok(match map(&found) {
            Some(resource) => shown(resource, found.version, vec![RecordKey::Patient(id)]),
            None => Found::Nothing,
        }),
        None => Ok(if seen.get::<Voided>(id)?.is_some() { Found::Gone } else { Found::Nothing }),
    }
}

fn encounter(seen: &Seen, id: ConsultationId) -> Result<Found, Stop> {
    let Some(found) = seen.get::<Consultation>(id)? else {
        return missing(seen, Series::Consultation, id.value());
    };
    let diagnosis = seen.get::<Diagnosis>(id)?;
    let resource = resources::encounter(&found, diagnosis.as_ref().map(|found| found.record));
    Ok(shown(resource, found.version, vec![RecordKey::Consultation(id)]))
}

fn condition(seen: &Seen, of: i64, nth: i64) -> Result<Found, Stop> {
    let Ok(id) = ConsultationId::try_from(of) else {
        return Ok(Found::Nothing);
    };
    let Some(consultation) = seen.get::<Consultation>(id)? else {
        return missing(seen, Series::Consultation, of);
    };
    let Some(found) = seen.get::<Diagnosis>(id)? else {
        return Ok(Found::Nothing);
    };
    let disease = usize::try_from(nth - 1).ok().and_then(|nth| found.diseases.get(nth));
    Ok(disease.map_or(Found::Nothing, |disease| {
        let resource = resources::condition(&found, disease, consultation.date);
        shown(resource, found.version, vec![RecordKey::Diagnosis(id)])
    }))
}

fn request(seen: &Seen, id: PrescriptionId) -> Result<Found, Stop> {
    match seen.get::<Prescription>(id)? {
        Some(found) => {
            let resource = resources::medication_request(&found);
            Ok(shown(resource, found.version, vec![RecordKey::Prescription(id)]))
        }
        None => missing(seen, Series::Prescription, id.value()),
    }
}

fn dispense(seen: &Seen, id: MovementId) -> Result<Found, Stop> {
    let Some(found) = seen.get::<Movement>(id)? else {
        return missing(seen, Series::Movement, id.value());
    };
    let (MovementKind::Dispense, Some(of)) = (found.kind, found.invoice_id) else {
        return Ok(Found::Nothing);
    };
    let (Some(dispensing), Some(invoice)) = (seen.get::<Dispensing>(of)?, seen.get::<Invoice>(of)?) else {
        return Ok(Found::Gone);
    };
    let resource = resources::medication_dispense(&found, &dispensing, &invoice);
    let version = found.version.max(dispensing.version);
    Ok(shown(resource, version, vec![RecordKey::Invoice(of)]))
}

fn medication(seen: &Seen, medicine: &MedicineKey) -> Result<Found, Stop> {
    let found = seen.get::<Item>(medicine.clone())?;
    Ok(found.map_or(Found::Nothing, |found| shown(resources::medication(&found), found.version, Vec::new())))
}

fn invoice(seen: &Seen, id: InvoiceId, namespace: Option<&str>) -> Result<Found, Stop> {
    match seen.get::<Invoice>(id)? {
        Some(found) => {
            let resource = resources::invoice(&found, namespace);
            Ok(shown(resource, found.version, vec![RecordKey::Invoice(id)]))
        }
        None => missing(seen, Series::Invoice, id.value()),
    }
}

/// Returns whether a number without a record was ever given.
fn missing(seen: &Seen, series: Series, number: i64) -> Result<Found, Stop> {
    let counter = seen.get::<Counter>(series)?;
    Ok(if counter.is_some_and(|counter| number <= counter.last) { Found::Gone } else { Found::Nothing })
}

const fn shown(resource: Resource, version: Seq, reads: Vec<RecordKey>) -> Found {
    Found::Resource { resource, version, reads }
}
