//! Reading resources by their identifiers: the records that they are made of, from one snapshot.

use care_core::{
    CareService,
    error::{Error, StoreErrorKind},
    model::{
        Consultation, ConsultationId, Diagnosis, Disease, Dispensing, Invoice, InvoiceId, Item, MedicineKey, Movement,
        MovementId, MovementKind, Patient, PatientId, Prescription, PrescriptionId,
    },
    store::{Counter, Entity, Epoch, Key, RecordKey, Seen, Seq, Series, Stop, Versioned, Voided},
};

use crate::{
    form::Form,
    kind::{Kind, Row},
    medication_id,
    outcome::Fault,
    resource::{Instance, Resource},
    resources,
    writer::{Path, Writer},
};

/// The service that resources are read from, and how they are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) care: &'a CareService,
    /// The namespace of the facility's identifiers.
    pub(crate) namespace: Option<&'a str>,
    pub(crate) form: Form,
    /// The paths of the texts that a search looks at.
    sought: &'a [Path],
}

impl<'a> Source<'a> {
    pub(crate) const fn new(care: &'a CareService, namespace: Option<&'a str>, form: Form) -> Self {
        Self { care, namespace, form, sought: &[] }
    }

    /// Returns a source of resources that keep the texts at these paths.
    pub(crate) const fn seeking(self, sought: &'a [Path]) -> Self {
        Self { sought, ..self }
    }

    /// Returns the resource of this type that a mapping writes, or nothing if it writes nothing.
    pub(crate) fn resource(self, kind: Kind, write: impl FnOnce(&mut Writer)) -> Option<Resource> {
        let mut writer = Writer::seeking(self.form, self.sought);
        write(&mut writer);
        Resource::new(Row::of(kind).name, writer)
    }

    /// Reads records by their keys, from one snapshot.
    ///
    /// # Errors
    /// The store's failures.
    pub(crate) async fn records<E: Entity + Send>(
        self,
        keys: &[RecordKey],
    ) -> Result<Vec<Option<Versioned<E>>>, Error> {
        let mut found = Vec::new();
        let mut ask = |seen: &mut Seen| {
            seen.need(keys.iter().cloned().map(Into::into))?;
            let all = keys.iter().map(|key| Ok(seen.one::<E>(key.clone())?.map(Versioned::<&E>::cloned)));
            found = all.collect::<Result<_, Stop>>()?;
            Ok(())
        };
        self.care.store().read(&mut ask).await?;
        Ok(found)
    }

    /// Reads a record by its key.
    ///
    /// # Errors
    /// The store's failures.
    pub(crate) async fn record<E: Entity + Send>(self, key: RecordKey) -> Result<Option<Versioned<E>>, Error> {
        Ok(self.records(&[key]).await?.pop().flatten())
    }
}

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

/// Returns the name of a version, which is that of no other store's.
pub(crate) fn version_id(epoch: Epoch, version: Seq) -> String {
    format!("{epoch}-{version}")
}

/// Reads the resource of this kind and identifier.
///
/// # Errors
/// The store's failures.
pub(crate) async fn read(source: Source<'_>, kind: Kind, id: &str) -> Result<Lookup, Error> {
    let found = read_all(source, kind, &[id.to_owned()]).await?.pop();
    found.ok_or_else(|| Error::Store(StoreErrorKind::Broken.into()))
}

/// Reads resources of one kind from one snapshot, in the order of their identifiers.
///
/// # Errors
/// The store's failures.
pub(crate) async fn read_all(source: Source<'_>, kind: Kind, ids: &[String]) -> Result<Vec<Lookup>, Error> {
    let medicines = match kind {
        Kind::Medication => medication_id::find(source.care, ids).await?,
        _ => vec![None; ids.len()],
    };
    let mut found = Vec::new();
    let mut ask = |seen: &mut Seen| {
        let keys = ids.iter().zip(&medicines).flat_map(|(id, medicine)| needed(kind, id, medicine.as_ref()));
        seen.need(keys.flatten().map(Key::Record))?;
        let all =
            ids.iter().zip(&medicines).map(|(id, medicine)| Reading { seen, source, id }.one(kind, medicine.as_ref()));
        found = all.collect::<Result<_, _>>()?;
        Ok(())
    };
    source.care.store().read(&mut ask).await?;
    Ok(found)
}

/// Returns the keys that a resource is read with, as far as its identifier tells them.
fn needed(kind: Kind, id: &str, medicine: Option<&MedicineKey>) -> [Option<RecordKey>; 2] {
    let plain = id.split_once('-').map_or(id, |(number, _)| number);
    match kind {
        Kind::Patient | Kind::Observation => [number(plain).map(RecordKey::Patient), None],
        Kind::Encounter | Kind::Condition => {
            [number(plain).map(RecordKey::Consultation), number(plain).map(RecordKey::Diagnosis)]
        }
        Kind::MedicationRequest => [number(plain).map(RecordKey::Prescription), None],
        Kind::MedicationDispense => [number(plain).map(RecordKey::Movement), None],
        Kind::Invoice => [number(plain).map(RecordKey::Invoice), None],
        Kind::Medication => [medicine.cloned().map(RecordKey::Item), None],
    }
}

/// Returns the number in an identifier, which has one spelling.
pub(crate) fn number<T: TryFrom<i64>>(id: &str) -> Option<T> {
    let is_plain = !id.starts_with('0') && id.bytes().all(|byte| byte.is_ascii_digit());
    T::try_from(id.parse().ok().filter(|_| is_plain)?).ok()
}

/// Returns the disease of this number, counted from 1.
pub(crate) fn disease(diagnosis: &Diagnosis, nth: i64) -> Option<&Disease> {
    usize::try_from(nth - 1).ok().and_then(|nth| diagnosis.diseases.get(nth))
}

/// The reading of one resource.
struct Reading<'a> {
    seen: &'a Seen,
    source: Source<'a>,
    id: &'a str,
}

impl Reading<'_> {
    fn one(&self, kind: Kind, medicine: Option<&MedicineKey>) -> Result<Lookup, Stop> {
        let namespace = self.source.namespace;
        let found = match kind {
            Kind::Patient => {
                let map = |out: &mut Writer, patient: &Patient| resources::patient(out, patient, namespace);
                number(self.id).map(|id| self.patient(id, kind, map))
            }
            Kind::Observation => {
                let of =
                    self.id.split_once('-').and_then(|(id, what)| Some((number(id)?, resources::observation(what)?)));
                of.map(|(id, map)| self.patient(id, kind, map))
            }
            Kind::Encounter => number(self.id).map(|id| self.encounter(id)),
            Kind::Condition => {
                let of = self.id.split_once('-').and_then(|(id, nth)| Some((number(id)?, number::<i64>(nth)?)));
                of.map(|(id, nth)| self.condition(id, nth))
            }
            Kind::MedicationRequest => number(self.id).map(|id| self.request(id)),
            Kind::MedicationDispense => number(self.id).map(|id| self.dispense(id)),
            Kind::Medication => medicine.map(|medicine| self.medication(medicine)),
            Kind::Invoice => number(self.id).map(|id| self.invoice(id)),
        };
        found.unwrap_or(Ok(Lookup::Unknown))
    }

    fn patient(&self, id: PatientId, kind: Kind, map: impl FnOnce(&mut Writer, &Patient)) -> Result<Lookup, Stop> {
        Ok(match self.seen.get::<Patient>(id)? {
            Some(found) => {
                let resource = self.source.resource(kind, |out| map(out, &found));
                self.there(resource, found.version, Some(RecordKey::Patient(id)))
            }
            None if self.seen.get::<Voided>(id)?.is_some() => Lookup::Gone,
            None => Lookup::Unknown,
        })
    }

    fn encounter(&self, id: ConsultationId) -> Result<Lookup, Stop> {
        let Some(found) = self.seen.get::<Consultation>(id)? else {
            return self.missing(Series::Consultation, id.value());
        };
        let diagnosis = self.seen.get::<Diagnosis>(id)?;
        let diagnosis = diagnosis.as_ref().map(|found| found.record);
        let resource = self.source.resource(Kind::Encounter, |out| resources::encounter(out, &found, diagnosis));
        Ok(self.there(resource, found.version, Some(RecordKey::Consultation(id))))
    }

    fn condition(&self, id: ConsultationId, nth: i64) -> Result<Lookup, Stop> {
        let Some(consultation) = self.seen.get::<Consultation>(id)? else {
            return self.missing(Series::Consultation, id.value());
        };
        let Some(found) = self.seen.get::<Diagnosis>(id)? else {
            return Ok(Lookup::Unknown);
        };
        Ok(disease(&found, nth).map_or(Lookup::Unknown, |disease| {
            let write = |out: &mut Writer| resources::condition(out, &found, disease, consultation.date);
            let resource = self.source.resource(Kind::Condition, write);
            self.there(resource, found.version, Some(RecordKey::Consultation(id)))
        }))
    }

    fn request(&self, id: PrescriptionId) -> Result<Lookup, Stop> {
        match self.seen.get::<Prescription>(id)? {
            Some(found) => {
                let write = |out: &mut Writer| resources::medication_request(out, &found);
                let resource = self.source.resource(Kind::MedicationRequest, write);
                Ok(self.there(resource, found.version, Some(RecordKey::Prescription(id))))
            }
            None => self.missing(Series::Prescription, id.value()),
        }
    }

    fn dispense(&self, id: MovementId) -> Result<Lookup, Stop> {
        let Some(found) = self.seen.get::<Movement>(id)? else {
            return self.missing(Series::Movement, id.value());
        };
        let (MovementKind::Dispense, Some(of)) = (found.kind, found.invoice_id) else {
            return Ok(Lookup::Unknown);
        };
        let (Some(dispensing), Some(invoice)) = (self.seen.get::<Dispensing>(of)?, self.seen.get::<Invoice>(of)?)
        else {
            return Ok(Lookup::Gone);
        };
        if self.seen.get::<Voided>(invoice.patient_id)?.is_some() {
            return Ok(Lookup::Gone);
        }
        let write = |out: &mut Writer| resources::medication_dispense(out, &found, &dispensing, &invoice);
        let resource = self.source.resource(Kind::MedicationDispense, write);
        let version = found.version.max(dispensing.version);
        Ok(self.there(resource, version, Some(RecordKey::Invoice(of))))
    }

    fn medication(&self, medicine: &MedicineKey) -> Result<Lookup, Stop> {
        let found = self.seen.get::<Item>(medicine.clone())?;
        Ok(found.map_or(Lookup::Unknown, |found| {
            let resource = self.source.resource(Kind::Medication, |out| resources::medication(out, &found));
            self.there(resource, found.version, None)
        }))
    }

    fn invoice(&self, id: InvoiceId) -> Result<Lookup, Stop> {
        match self.seen.get::<Invoice>(id)? {
            Some(found) => {
                let write = |out: &mut Writer| resources::invoice(out, &found, self.source.namespace);
                let resource = self.source.resource(Kind::Invoice, write);
                Ok(self.there(resource, found.version, Some(RecordKey::Invoice(id))))
            }
            None => self.missing(Series::Invoice, id.value()),
        }
    }

    /// Returns whether a number without a record was ever given.
    fn missing(&self, series: Series, number: i64) -> Result<Lookup, Stop> {
        let counter = self.seen.get::<Counter>(series)?;
        Ok(if counter.is_some_and(|counter| number <= counter.last) { Lookup::Gone } else { Lookup::Unknown })
    }

    fn there(&self, resource: Option<Resource>, version: Seq, read: Option<RecordKey>) -> Lookup {
        resource.map_or(Lookup::Unknown, |resource| {
            Lookup::There(Instance { id: self.id.to_owned(), resource, version, read })
        })
    }
}
