//! The lists that bundles are made of: the core's own, read in pieces from a place on.

use std::collections::BTreeSet;

use bytes::Bytes;
use care_core::{
    error::Error,
    model::{
        Consultation, ConsultationId, Diagnosis, Dispensing, Invoice, InvoiceId, InvoiceState, Item, Movement,
        MovementKind, Patient, PatientId, Prescription, PrescriptionId,
    },
    rest::FacadeRequest,
    store::{
        self, ConsultationFilter, Entity, InvoiceFilter, Limit, MovementFilter, PatientFilter, PrescriptionFilter,
        RecordKey, Versioned, Voided,
    },
};
use http::Response;

use super::{
    pace::{Pace, RESOURCES},
    page::{Page, below},
    place::{self, Place, number, numbers},
};
use crate::{
    kind::Kind,
    medication_id,
    outcome::Failure,
    read::{Lookup, Source, read_all, version_id},
    resource::Instance,
    resources,
    writer::Writer,
};

/// The most records that are read at once, in number and in bytes.
const PIECE: usize = 100;
const PIECE_BYTES: usize = 256 * 1024;
/// The most pieces of one page. A page of a list that is searched in vain ends early.
const PIECES: usize = 16;

/// Says whether a resource of a list is shown.
type Admission<'a> = dyn Fn(&Instance) -> bool + Sync + 'a;

/// A list of resources.
#[derive(Debug)]
pub(crate) enum List {
    /// Those with these identifiers, as far as there are any.
    Keyed(Kind, Vec<String>),
    Patients(PatientFilter),
    /// Consultations, one of them or many: the encounter of each, the conditions of each, or both.
    Visits {
        filter: ConsultationFilter,
        only: Option<ConsultationId>,
        encounters: bool,
        conditions: bool,
    },
    Requests(PrescriptionFilter),
    Dispenses {
        patient: PatientId,
        prescription: Option<PrescriptionId>,
    },
    Medications,
    /// The invoices of each filter, together by number.
    Invoices(Vec<InvoiceFilter>),
}

/// A piece of a list.
#[derive(Debug, Default)]
struct Piece {
    /// The resources, and the place behind each.
    items: Vec<(Instance, Place)>,
    /// The place behind the piece; `None` at the end of the list.
    next: Option<Place>,
}

/// Fills a page with those resources of the lists, one list after the other, that are admitted, and returns the answer
/// with the patients' records that it shows.
///
/// # Errors
/// [`Failure`].
pub(crate) async fn fill(
    mut page: Page<'_>,
    source: Source<'_>,
    request: &FacadeRequest<'_>,
    (lists, admits): (&[List], &Admission<'_>),
) -> Result<(Response<Bytes>, BTreeSet<RecordKey>), Failure> {
    let begin = page.begins()?.map(|begin| place::parse(&begin, lists.len())).transpose()?;
    let (mut at, mut place) = begin.unwrap_or_default();
    let (mut reads, mut pace) = (BTreeSet::new(), Pace::default());
    for _ in 0..PIECES {
        let Some(list) = lists.get(at) else { return Ok((page.answer(None), reads)) };
        let Piece { mut items, next } = list.piece(source, &mut pace, (place.as_ref(), page.room().min(PIECE))).await?;
        while !items.is_empty() {
            let behind = items.split_off(items.len().min(RESOURCES));
            let versions: Vec<_> = items.iter().map(|(instance, _)| instance.version).collect();
            let instants = source.care.store().instants(&versions).await?;
            for ((instance, behind), instant) in items.into_iter().zip(instants) {
                if admits(&instance) {
                    let full_url = below(request, &[instance.resource.kind(), "/", &instance.id].concat());
                    let version = version_id(source.care.epoch(), instance.version);
                    let before = page.len();
                    let is_added = page.add(|entry| {
                        entry.text("fullUrl", &full_url);
                        instance.write(entry, "resource", &version, instant);
                        entry.object("search", |search| search.text("mode", "match"));
                    });
                    if !is_added {
                        return Ok((page.answer(Some(place::cursor(at, place.as_ref()))), reads));
                    }
                    reads.extend(instance.read);
                    pace.count(page.len() - before).await;
                }
                place = Some(behind);
            }
            items = behind;
        }
        match next {
            Some(next) => place = Some(next),
            None => (at, place) = (at + 1, None),
        }
    }
    let next = (at < lists.len()).then(|| place::cursor(at, place.as_ref()));
    Ok((page.answer(next), reads))
}

impl List {
    /// Returns the list of a patient's observations.
    pub(crate) fn observations(patient: PatientId) -> Self {
        Self::Keyed(Kind::Observation, ["age", "weight"].map(|what| format!("{patient}-{what}")).to_vec())
    }

    /// Returns the resources behind a place, as many as there is room for.
    async fn piece(
        &self,
        source: Source<'_>,
        pace: &mut Pace,
        (after, room): (Option<&Place>, usize),
    ) -> Result<Piece, Error> {
        match self {
            Self::Keyed(kind, ids) => keyed(source, *kind, ids, after).await,
            Self::Patients(filter) => {
                let query = Patient::list(filter, number(after));
                source
                    .mapped(
                        pace,
                        (Kind::Patient, query, room),
                        |patient: &Patient| {
                            let id = patient.patient_id;
                            (id.to_string(), Some(RecordKey::Patient(id)), Place::Number(id.value(), 0))
                        },
                        |out, patient| resources::patient(out, patient, source.namespace),
                    )
                    .await
            }
            Self::Visits { filter, only, encounters, conditions } => {
                let shown = (*encounters, *conditions);
                visits((source, pace), (filter, *only), shown, (after, room)).await
            }
            Self::Requests(filter) => {
                let query = Prescription::list(filter, number(after));
                source
                    .mapped(
                        pace,
                        (Kind::MedicationRequest, query, room),
                        |prescription: &Prescription| {
                            let id = prescription.prescription_id;
                            (id.to_string(), Some(RecordKey::Prescription(id)), Place::Number(id.value(), 0))
                        },
                        resources::medication_request,
                    )
                    .await
            }
            Self::Dispenses { patient, prescription } => {
                dispenses((source, pace), (*patient, *prescription), (after, room)).await
            }
            Self::Medications => {
                let name = after.and_then(|after| match after {
                    Place::Name(name) => Some(name.clone()),
                    Place::Number(..) => None,
                });
                let query = Item::list(name);
                source
                    .mapped(
                        pace,
                        (Kind::Medication, query, room),
                        |item: &Item| {
                            let key = item.medicine.key();
                            (medication_id::of(key), None, Place::Name(key.clone()))
                        },
                        resources::medication,
                    )
                    .await
            }
            Self::Invoices(filters) => invoices((source, pace), filters, (after, room)).await,
        }
    }
}

impl Source<'_> {
    /// Returns the records of one kind from a list, and whether it goes on.
    async fn list<E: Entity>(self, list: store::List<E>, items: usize) -> Result<(Vec<Versioned<E>>, bool), Error> {
        let found = self.care.store().list(&list, Limit::items(items).bytes(PIECE_BYTES)).await?;
        let typed = |found: Versioned<_>| {
            E::try_from_record(found.record).map(|record| Versioned { version: found.version, record })
        };
        Ok((found.items.into_iter().filter_map(typed).collect(), found.more))
    }

    /// Returns the records with these keys, read some at a time.
    async fn each<E: Entity + Send>(
        self,
        pace: &mut Pace,
        keys: &[RecordKey],
    ) -> Result<Vec<Option<Versioned<E>>>, Error> {
        let mut found = Vec::with_capacity(keys.len());
        for some in keys.chunks(RESOURCES) {
            found.extend(self.records::<E>(some).await?);
            pace.end_piece().await;
        }
        Ok(found)
    }

    /// Returns a piece of a list of which each record is one resource, given how that is named and how it is written.
    async fn mapped<E: Entity + Send + Sync>(
        self,
        pace: &mut Pace,
        (kind, list, room): (Kind, store::List<E>, usize),
        name: impl Fn(&E) -> (String, Option<RecordKey>, Place) + Send,
        write: impl Fn(&mut Writer, &E) + Send,
    ) -> Result<Piece, Error> {
        let (found, more) = self.list(list, room).await?;
        let mut items = Vec::with_capacity(found.len());
        for found in &found {
            let Some(resource) = self.resource(kind, |out| write(out, &found.record)) else { continue };
            let (id, read, place) = name(&found.record);
            pace.count(resource.len()).await;
            items.push((Instance { id, resource, version: found.version, read }, place));
        }
        let next = items.last().filter(|_| more).map(|(_, place)| place.clone());
        Ok(Piece { items, next })
    }
}

/// Returns the resources with these identifiers, some at a time. A place is the number of those that were passed.
async fn keyed(source: Source<'_>, kind: Kind, ids: &[String], after: Option<&Place>) -> Result<Piece, Error> {
    let passed = usize::try_from(numbers(after).0).unwrap_or_default();
    let place = |nth| i64::try_from(passed + nth).ok().map(|passed| Place::Number(passed, 0));
    let ids = ids.get(passed..).unwrap_or_default();
    let found = read_all(source, kind, ids.get(..RESOURCES).unwrap_or(ids)).await?;
    let next = if found.len() < ids.len() { place(found.len()) } else { None };
    let items = (1..).zip(found).filter_map(|(nth, found)| match found {
        Lookup::There(instance) => Some((instance, place(nth)?)),
        Lookup::Gone | Lookup::Unknown => None,
    });
    Ok(Piece { items: items.collect(), next })
}

/// Returns the encounters of consultations, and their conditions. A place is the first consultation that is not done,
/// and the number of its resources that were passed.
async fn visits(
    (source, pace): (Source<'_>, &mut Pace),
    (filter, only): (&ConsultationFilter, Option<ConsultationId>),
    (encounters, conditions): (bool, bool),
    (after, room): (Option<&Place>, usize),
) -> Result<Piece, Error> {
    let (first, passed) = numbers(after);
    let first = only.map_or(first, |only| only.value().max(first));
    let after = ConsultationId::try_from(first.saturating_sub(1)).ok();
    let query = Consultation::list(filter, after);
    let (mut found, more) = source.list(query, room.min(PIECE / 2)).await?;
    if let Some(only) = only {
        found.retain(|consultation| consultation.consultation_id == only);
    }
    let keys: Vec<_> = found.iter().map(|found| Diagnosis::key(found.consultation_id)).collect();
    let diagnoses = source.each::<Diagnosis>(pace, &keys).await?;
    let mut piece = Piece::default();
    for (consultation, diagnosis) in found.iter().zip(&diagnoses) {
        let id = consultation.consultation_id;
        let passed = if id.value() == first { passed } else { 0 };
        let diagnosis = diagnosis.as_ref();
        let read = Some(RecordKey::Consultation(id));
        let encounter = || {
            let of = diagnosis.map(|found| &found.record);
            let resource = source.resource(Kind::Encounter, |out| resources::encounter(out, consultation, of))?;
            Some(Instance { id: id.to_string(), resource, version: consultation.version, read: read.clone() })
        };
        let of = |(nth, disease)| {
            let found = diagnosis?;
            let write = |out: &mut Writer| resources::condition(out, found, disease, consultation.date);
            let resource = source.resource(Kind::Condition, write)?;
            Some(Instance { id: format!("{id}-{nth}"), resource, version: found.version, read: read.clone() })
        };
        let diseases = diagnosis.map_or(&[][..], |found| &found.diseases);
        let all = encounters.then(encounter).flatten().into_iter();
        let all = all.chain((1..).zip(diseases).filter(|_| conditions).filter_map(of));
        for (instance, nth) in all.zip(1..).filter(|(_, nth)| *nth > passed) {
            pace.count(instance.resource.len()).await;
            piece.items.push((instance, Place::Number(id.value(), nth)));
            if piece.items.len() >= room {
                piece.next = piece.items.last().map(|(_, place)| place.clone());
                return Ok(piece);
            }
        }
    }
    let last = found.last().filter(|_| more && only.is_none());
    piece.next = last.map(|last| Place::Number(last.consultation_id.value().saturating_add(1), 0));
    Ok(piece)
}

/// Returns what was dispensed to a patient, for one prescription or for all. A place is the first invoice that is not
/// done, and its last movement that was passed.
async fn dispenses(
    (source, pace): (Source<'_>, &mut Pace),
    (patient, prescription): (PatientId, Option<PrescriptionId>),
    (after, room): (Option<&Place>, usize),
) -> Result<Piece, Error> {
    // Nothing is shown of a patient who was voided, of whom the paid invoices stay.
    if source.record::<Voided>(RecordKey::Voided(patient)).await?.is_some() {
        return Ok(Piece::default());
    }
    let (first, passed) = numbers(after);
    let filter = InvoiceFilter { patient_id: Some(patient), ..InvoiceFilter::default() };
    let after = InvoiceId::try_from(first.saturating_sub(1)).ok();
    let (found, more) = source.list(Invoice::list(&filter, after), PIECE).await?;
    // Only invoices of tracked medicines took units, and only once they were paid.
    let took = found.iter().filter(|invoice| {
        let is_of = prescription.is_none_or(|id| id == invoice.prescription_id);
        is_of && invoice.quantity.is_some() && invoice.state != InvoiceState::Unpaid
    });
    let took: Vec<_> = took.collect();
    let keys: Vec<_> = took.iter().map(|invoice| Dispensing::key(invoice.invoice_id)).collect();
    let dispensings = source.each::<Dispensing>(pace, &keys).await?;
    let mut piece = Piece::default();
    for (invoice, dispensing) in took.into_iter().zip(&dispensings) {
        let Some(dispensing) = dispensing else { continue };
        let id = invoice.invoice_id;
        let passed = if id.value() == first { passed } else { 0 };
        let filter =
            MovementFilter { invoice_id: Some(id), kind: Some(MovementKind::Dispense), ..MovementFilter::default() };
        let query = Movement::list(&filter, passed.try_into().ok());
        let (movements, _) = source.list(query, room - piece.items.len()).await?;
        for movement in movements {
            let number = movement.movement_id;
            let write = |out: &mut Writer| resources::medication_dispense(out, &movement, dispensing, invoice);
            let Some(resource) = source.resource(Kind::MedicationDispense, write) else { continue };
            pace.count(resource.len()).await;
            let version = movement.version.max(dispensing.version);
            let instance = Instance { id: number.to_string(), resource, version, read: Some(RecordKey::Invoice(id)) };
            piece.items.push((instance, Place::Number(id.value(), number.value())));
        }
        if piece.items.len() >= room {
            piece.next = piece.items.last().map(|(_, place)| place.clone());
            return Ok(piece);
        }
    }
    let last = found.last().filter(|_| more);
    piece.next = last.map(|last| Place::Number(last.invoice_id.value().saturating_add(1), 0));
    Ok(piece)
}

/// Returns the invoices of each filter, together by number. The filters are read in the order in which an invoice moves
/// from one to the next, so one that does so meanwhile is in the later list, or in both.
async fn invoices(
    (source, pace): (Source<'_>, &mut Pace),
    filters: &[InvoiceFilter],
    (after, room): (Option<&Place>, usize),
) -> Result<Piece, Error> {
    let (mut all, mut end) = (Vec::new(), None::<InvoiceId>);
    for filter in filters {
        let query = Invoice::list(filter, number(after));
        let (found, more) = source.list(query, room).await?;
        let last = found.last().filter(|_| more).map(|last| last.invoice_id);
        // Behind the end of the shortest list, others may not be complete.
        end = [end, last].into_iter().flatten().min();
        all.extend(found);
    }
    all.sort_by_key(|invoice| (invoice.invoice_id, std::cmp::Reverse(invoice.version)));
    all.dedup_by_key(|invoice| invoice.invoice_id);
    all.retain(|invoice| end.is_none_or(|end| invoice.invoice_id <= end));
    let mut items = Vec::with_capacity(all.len());
    for invoice in &all {
        let id = invoice.invoice_id;
        let write = |out: &mut Writer| resources::invoice(out, invoice, source.namespace);
        let Some(resource) = source.resource(Kind::Invoice, write) else { continue };
        pace.count(resource.len()).await;
        let instance =
            Instance { id: id.to_string(), resource, version: invoice.version, read: Some(RecordKey::Invoice(id)) };
        items.push((instance, Place::Number(id.value(), 0)));
    }
    Ok(Piece { items, next: end.map(|end| Place::Number(end.value(), 0)) })
}
