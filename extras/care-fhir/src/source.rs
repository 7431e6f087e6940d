//! Resources with their identity, made of records: one function for each type, for reads, lists and histories alike.

use std::fmt::Display;

use care_core::{
    CareService,
    error::Error,
    model::{Consultation, Date, Diagnosis, Dispensing, Invoice, Item, Movement, Patient, Prescription, Timestamp},
    store::{Entity, Epoch, RecordKey, Seq, Versioned},
};

use crate::{
    form::Form,
    kind::{ALLERGIES, Kind, Row},
    medication_id, resources,
    writer::{Path, Writer, document},
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

/// A resource in one form.
#[derive(Debug)]
pub(crate) struct Instance {
    kind: &'static str,
    pub(crate) id: String,
    /// The number of the entry that put its record last.
    pub(crate) version: Seq,
    /// The patient's record that it shows, as the journal names it: a condition is of its consultation.
    pub(crate) read: Option<RecordKey>,
    /// Its members but for its identifier and version, which stand before them.
    members: String,
    texts: Vec<(Path, String)>,
}

impl<'a> Source<'a> {
    pub(crate) const fn new(care: &'a CareService, namespace: Option<&'a str>, form: Form) -> Self {
        Self { care, namespace, form, sought: &[] }
    }

    /// Returns a source of resources that keep the texts at these paths.
    pub(crate) const fn seeking(self, sought: &'a [Path]) -> Self {
        Self { sought, ..self }
    }

    /// Reads records by their identifiers, from one snapshot.
    ///
    /// # Errors
    /// The store's failures.
    pub(crate) async fn records<E: Entity + Send>(self, ids: &[E::Id]) -> Result<Vec<Option<Versioned<E>>>, Error> {
        self.care
            .ask(|seen| {
                seen.need(ids.iter().cloned().map(|id| E::key(id).into()))?;
                ids.iter().cloned().map(|id| Ok(seen.get::<E>(id)?.map(Versioned::cloned))).collect()
            })
            .await
    }

    /// Reads a record by its identifier.
    ///
    /// # Errors
    /// The store's failures.
    pub(crate) async fn record<E: Entity + Send>(self, id: E::Id) -> Result<Option<Versioned<E>>, Error> {
        Ok(self.records(&[id]).await?.pop().flatten())
    }

    pub(crate) fn patient(self, version: Seq, patient: &Patient) -> Option<Instance> {
        let (id, namespace) = (patient.patient_id, self.namespace);
        let write = |out: &mut Writer| resources::patient(out, patient, namespace);
        self.instance((Kind::Patient, &id), version, Some(RecordKey::Patient(id)), write)
    }

    /// Returns the allergies, if the patient has any.
    pub(crate) fn allergies(self, version: Seq, patient: &Patient) -> Option<Instance> {
        let id = patient.patient_id;
        let named = (Kind::AllergyIntolerance, &format_args!("{id}-{ALLERGIES}") as &dyn Display);
        self.instance(named, version, Some(RecordKey::Patient(id)), |out| resources::allergies(out, patient))
    }

    /// Returns the observation of this name, if the patient has it.
    pub(crate) fn observation(self, what: &str, version: Seq, patient: &Patient) -> Option<Instance> {
        let (id, write) = (patient.patient_id, resources::observation(what)?);
        let named = (Kind::Observation, &format_args!("{id}-{what}") as &dyn Display);
        self.instance(named, version, Some(RecordKey::Patient(id)), |out| write(out, patient))
    }

    pub(crate) fn encounter(
        self,
        version: Seq,
        consultation: &Consultation,
        diagnosis: Option<&Diagnosis>,
    ) -> Option<Instance> {
        let id = consultation.consultation_id;
        let write = |out: &mut Writer| resources::encounter(out, consultation, diagnosis);
        self.instance((Kind::Encounter, &id), version, Some(RecordKey::Consultation(id)), write)
    }

    /// Returns the condition of a disease, counted from 1, of a consultation on this day.
    pub(crate) fn condition(self, version: Seq, diagnosis: &Diagnosis, nth: i64, day: Date) -> Option<Instance> {
        let id = diagnosis.consultation_id;
        let disease = diagnosis.diseases.get(usize::try_from(nth - 1).ok()?)?;
        let named = (Kind::Condition, &format_args!("{id}-{nth}") as &dyn Display);
        let write = |out: &mut Writer| resources::condition(out, diagnosis, disease, day);
        self.instance(named, version, Some(RecordKey::Consultation(id)), write)
    }

    pub(crate) fn medication_request(self, version: Seq, prescription: &Prescription) -> Option<Instance> {
        let id = prescription.prescription_id;
        let write = |out: &mut Writer| resources::medication_request(out, prescription);
        self.instance((Kind::MedicationRequest, &id), version, Some(RecordKey::Prescription(id)), write)
    }

    /// Returns what a movement handed out for an invoice. The version is the later one of movement and dispensing.
    pub(crate) fn medication_dispense(
        self,
        version: Seq,
        (movement, dispensing, invoice): (&Movement, &Dispensing, &Invoice),
    ) -> Option<Instance> {
        let read = Some(RecordKey::Invoice(dispensing.invoice_id));
        let write = |out: &mut Writer| resources::medication_dispense(out, movement, dispensing, invoice);
        let named = (Kind::MedicationDispense, &movement.movement_id as &dyn Display);
        self.instance(named, version, read, write)
    }

    pub(crate) fn medication(self, version: Seq, item: &Item) -> Option<Instance> {
        let id = medication_id::of(item.medicine.key());
        self.instance((Kind::Medication, &id), version, None, |out| resources::medication(out, item))
    }

    pub(crate) fn invoice(self, version: Seq, invoice: &Invoice) -> Option<Instance> {
        let (id, namespace) = (invoice.invoice_id, self.namespace);
        let write = |out: &mut Writer| resources::invoice(out, invoice, namespace);
        self.instance((Kind::Invoice, &id), version, Some(RecordKey::Invoice(id)), write)
    }

    /// Returns the resource that is written; `None` if that is nothing.
    fn instance(
        self,
        (kind, id): (Kind, &dyn Display),
        version: Seq,
        read: Option<RecordKey>,
        write: impl FnOnce(&mut Writer),
    ) -> Option<Instance> {
        let mut writer = Writer::seeking(self.form, self.sought);
        write(&mut writer);
        let (members, texts) = writer.finish();
        let kind = Row::of(kind).name;
        (!members.is_empty()).then(|| Instance { kind, id: id.to_string(), version, read, members, texts })
    }
}

impl Instance {
    /// Returns the path of the resource below the facade.
    pub(crate) fn path(&self) -> String {
        [self.kind, "/", &self.id].concat()
    }

    /// Returns its length in bytes.
    pub(crate) const fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the texts at a path, if a search looks there.
    pub(crate) fn texts(&self, path: Path) -> impl Iterator<Item = &str> {
        self.texts.iter().filter(move |(at, _)| *at == path).map(|(_, text)| text.as_str())
    }

    /// Returns the resource of a version as a document, which was put at this instant.
    pub(crate) fn document(&self, form: Form, version: &str, at: Timestamp) -> String {
        document(form, self.kind, |out| self.write_members(out, version, at))
    }

    /// Writes the resource of a version as a member of this name.
    pub(crate) fn write(&self, out: &mut Writer, name: &'static str, version: &str, at: Timestamp) {
        out.resource(name, self.kind, |resource| self.write_members(resource, version, at));
    }

    fn write_members(&self, out: &mut Writer, version: &str, at: Timestamp) {
        out.text("id", &self.id);
        out.object("meta", |meta| {
            meta.text("versionId", version);
            meta.text("lastUpdated", &at.to_string());
        });
        out.written(&self.members);
    }
}

/// Returns the name of a version, which is that of no other store's.
pub(crate) fn version_id(epoch: Epoch, version: Seq) -> String {
    format!("{epoch}-{version}")
}
