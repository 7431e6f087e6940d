//! Reading resources by their identifiers, from one snapshot.

use care_core::{
    error::{Error, StoreErrorKind},
    model::{
        Consultation, ConsultationId, Diagnosis, Dispensing, Invoice, Item, MedicineKey, Movement, MovementKind,
        Patient, PatientId, Prescription,
    },
    store::{Counter, Key, RecordKey, Seen, Series, Stop, Voided},
};

use crate::{
    kind::{ALLERGIES, Kind},
    medication_id,
    outcome::Fault,
    resources,
    source::{Instance, Source},
};

/// The result of looking for a resource.
#[derive(Debug)]
pub(crate) enum Lookup {
    /// There it is.
    There(Instance),
    /// Its number was given, and has no record any longer.
    Gone,
    /// Its number was never given.
    Unknown,
}

impl Lookup {
    /// Returns the resource, or why it cannot be answered.
    pub(crate) fn found(self) -> Result<Instance, Fault> {
        match self {
            Self::There(found) => Ok(found),
            Self::Gone => Err(Fault::Gone),
            Self::Unknown => Err(Fault::NotFound),
        }
    }
}

/// An identifier, with the medicine that it names if it is one's. A request looks for that once: it may take a walk.
#[derive(Debug)]
pub(crate) struct Identifier {
    pub(crate) id: String,
    pub(crate) medicine: Option<MedicineKey>,
}

/// An identifier that names no medicine.
impl From<String> for Identifier {
    fn from(id: String) -> Self {
        Self { id, medicine: None }
    }
}

/// Returns these identifiers of resources of a kind, with the medicines that they name.
///
/// # Errors
/// [`medication_id::find`]'s.
pub(crate) async fn identified(source: Source<'_>, kind: Kind, ids: &[String]) -> Result<Vec<Identifier>, Error> {
    let medicines = match kind {
        Kind::Medication => medication_id::find(source.care, ids).await?,
        Kind::Patient
        | Kind::AllergyIntolerance
        | Kind::Observation
        | Kind::Encounter
        | Kind::Condition
        | Kind::MedicationRequest
        | Kind::MedicationDispense
        | Kind::Invoice => vec![None; ids.len()],
    };
    let pairs = ids.iter().cloned().zip(medicines);
    Ok(pairs.map(|(id, medicine)| Identifier { id, medicine }).collect())
}

/// Reads the resource of this kind and identifier, which comes back for further reads.
///
/// # Errors
/// Those of [`identified`], and the store's failures.
pub(crate) async fn read(source: Source<'_>, kind: Kind, id: &str) -> Result<(Lookup, Identifier), Error> {
    let mut ids = identified(source, kind, &[id.to_owned()]).await?;
    let found = read_all(source, kind, &ids).await?.pop();
    found.zip(ids.pop()).ok_or_else(|| Error::Store(StoreErrorKind::Broken.into()))
}

/// Reads resources of one kind from one snapshot, in the order of their identifiers.
///
/// # Errors
/// The store's failures.
pub(crate) async fn read_all(source: Source<'_>, kind: Kind, ids: &[Identifier]) -> Result<Vec<Lookup>, Error> {
    let look = |seen: &mut Seen| {
        let keys = ids.iter().flat_map(|named| needed(kind, &named.id, named.medicine.as_ref()));
        seen.need(keys.flatten().map(Key::Record))?;
        let look_up = |named: &Identifier| look_up(seen, source, kind, (&named.id, named.medicine.as_ref()));
        ids.iter().map(look_up).collect()
    };
    source.care.ask(look).await
}

/// Returns the number in an identifier, which has one spelling.
pub(crate) fn number<T: TryFrom<i64>>(id: &str) -> Option<T> {
    let is_plain = !id.starts_with('0') && id.bytes().all(|byte| byte.is_ascii_digit());
    T::try_from(id.parse().ok().filter(|_| is_plain)?).ok()
}

/// Returns the number in an identifier of this kind, and what stands behind it: the name of an observation or of the
/// allergies, or the number of a condition.
pub(crate) fn parts<T: TryFrom<i64>>(kind: Kind, id: &str) -> Option<(T, &str)> {
    let (plain, part) = match kind {
        Kind::AllergyIntolerance => id.split_once('-').filter(|(_, what)| *what == ALLERGIES)?,
        Kind::Observation => id.split_once('-').filter(|(_, what)| resources::observation(what).is_some())?,
        Kind::Condition => id.split_once('-').filter(|(_, nth)| number::<i64>(nth).is_some())?,
        Kind::Patient
        | Kind::Encounter
        | Kind::MedicationRequest
        | Kind::MedicationDispense
        | Kind::Medication
        | Kind::Invoice => (id, ""),
    };
    Some((number(plain)?, part))
}

/// Returns the keys that a resource is read with, as far as its identifier tells them.
fn needed(kind: Kind, id: &str, medicine: Option<&MedicineKey>) -> [Option<RecordKey>; 2] {
    fn key<T: TryFrom<i64>>(kind: Kind, id: &str, of: fn(T) -> RecordKey) -> Option<RecordKey> {
        parts(kind, id).map(|(number, _)| of(number))
    }
    match kind {
        Kind::Patient | Kind::AllergyIntolerance | Kind::Observation => [key(kind, id, RecordKey::Patient), None],
        Kind::Encounter | Kind::Condition => {
            [key(kind, id, RecordKey::Consultation), key(kind, id, RecordKey::Diagnosis)]
        }
        Kind::MedicationRequest => [key(kind, id, RecordKey::Prescription), None],
        Kind::MedicationDispense => [key(kind, id, RecordKey::Movement), None],
        Kind::Invoice => [key(kind, id, RecordKey::Invoice), None],
        Kind::Medication => [medicine.cloned().map(RecordKey::Item), None],
    }
}

/// Looks for the resource of this identifier, which names this medicine if it is a medicine's.
fn look_up(
    seen: &Seen,
    source: Source<'_>,
    kind: Kind,
    (id, medicine): (&str, Option<&MedicineKey>),
) -> Result<Lookup, Stop> {
    // A number without a record may have been given before.
    let missing = |series: Series| {
        let last = seen.get::<Counter>(series)?.map_or(0, |counter| counter.last);
        let is_given = parts(kind, id).is_some_and(|(number, _): (i64, _)| number <= last);
        Ok(if is_given { Lookup::Gone } else { Lookup::Unknown })
    };
    let found = match kind {
        Kind::Patient | Kind::AllergyIntolerance | Kind::Observation => {
            let Some((id, what)) = parts::<PatientId>(kind, id) else { return Ok(Lookup::Unknown) };
            match seen.get::<Patient>(id)? {
                Some(found) if kind == Kind::Patient => source.patient(found.version, &found),
                Some(found) if kind == Kind::AllergyIntolerance => source.allergies(found.version, &found),
                Some(found) => source.observation(what, found.version, &found),
                None if seen.get::<Voided>(id)?.is_some() => return Ok(Lookup::Gone),
                None => None,
            }
        }
        Kind::Encounter | Kind::Condition => {
            let Some((id, nth)) = parts::<ConsultationId>(kind, id) else { return Ok(Lookup::Unknown) };
            let Some(found) = seen.get::<Consultation>(id)? else { return missing(Series::Consultation) };
            let diagnosis = seen.get::<Diagnosis>(id)?;
            if kind == Kind::Encounter {
                source.encounter(found.version, &found, diagnosis.map(|found| found.record))
            } else {
                let (diagnosis, nth) = (diagnosis.as_ref(), number(nth));
                diagnosis.zip(nth).and_then(|(of, nth)| source.condition(of.version, of, nth, found.date))
            }
        }
        Kind::MedicationRequest => {
            let Some((id, _)) = parts(kind, id) else { return Ok(Lookup::Unknown) };
            let Some(found) = seen.get::<Prescription>(id)? else { return missing(Series::Prescription) };
            source.medication_request(found.version, &found)
        }
        Kind::MedicationDispense => {
            let Some((id, _)) = parts(kind, id) else { return Ok(Lookup::Unknown) };
            let Some(movement) = seen.get::<Movement>(id)? else { return missing(Series::Movement) };
            let (MovementKind::Dispense, Some(of)) = (movement.kind, movement.invoice_id) else {
                return Ok(Lookup::Unknown);
            };
            let (Some(found), Some(invoice)) = (seen.get::<Dispensing>(of)?, seen.get::<Invoice>(of)?) else {
                return Ok(Lookup::Gone);
            };
            if seen.get::<Voided>(invoice.patient_id)?.is_some() {
                return Ok(Lookup::Gone);
            }
            source.medication_dispense(found.version.max(movement.version), (&movement, &found, &invoice))
        }
        Kind::Medication => {
            let Some(medicine) = medicine else { return Ok(Lookup::Unknown) };
            let found = seen.get::<Item>(medicine.clone())?;
            found.and_then(|found| source.medication(found.version, &found))
        }
        Kind::Invoice => {
            let Some((id, _)) = parts(kind, id) else { return Ok(Lookup::Unknown) };
            let Some(found) = seen.get::<Invoice>(id)? else { return missing(Series::Invoice) };
            source.invoice(found.version, &found)
        }
    };
    Ok(found.map_or(Lookup::Unknown, Lookup::There))
}
