//! The lists that bundles are made of: the core's own, read in pieces from a place on.

use std::{collections::BTreeSet, fmt};

use bytes::Bytes;
use care_core::{
    error::Error,
    model::{
        Consultation, ConsultationId, Diagnosis, Dispensing, Invoice, InvoiceId, InvoiceState, Item, MedicineKey,
        Movement, MovementKind, Patient, PatientId, Prescription, PrescriptionId,
    },
    rest::FacadeRequest,
    service::Page as Records,
    store::{
        ConsultationFilter, Entity, InvoiceFilter, Limit, List as Listing, MovementFilter, PatientFilter,
        PrescriptionFilter, RecordKey, Seq, Versioned, Voided,
    },
};
use http::Response;

use super::page::{Pace, Page, RESOURCES, below};
use crate::{
    kind::{ALLERGIES, Kind},
    outcome::{Failure, Fault},
    read::{Identifier, Lookup, read_all},
    source::{Instance, Source, version_id},
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
    Keyed(Kind, Vec<Identifier>),
    Patients(PatientFilter),
    /// Consultations: the encounter of each, the conditions of each, or both.
    Visits {
        filter: ConsultationFilter,
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
    let begin = page.begins()?.map(|begin| parse(&begin, lists.len())).transpose()?;
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
                    let full_url = below(request, &instance.path());
                    let version = version_id(source.care.epoch(), instance.version);
                    let before = page.len();
                    let is_added = page.add(|entry| {
                        entry.text("fullUrl", &full_url);
                        instance.write(entry, "resource", &version, instant);
                        entry.object("search", |search| search.text("mode", "match"));
                    });
                    if !is_added {
                        return Ok((page.answer(Some(cursor(at, place.as_ref()))), reads));
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
    let next = (at < lists.len()).then(|| cursor(at, place.as_ref()));
    Ok((page.answer(next), reads))
}

impl List {
    /// Returns the list of a consultation's conditions.
    pub(crate) fn conditions(consultation: ConsultationId) -> Self {
        let ids = (1..=Consultation::MAX_DISEASES).map(|nth| format!("{consultation}-{nth}").into());
        Self::Keyed(Kind::Condition, ids.collect())
    }

    /// Returns the list of a patient's allergies, which are one resource.
    pub(crate) fn allergies(patient: PatientId) -> Self {
        Self::Keyed(Kind::AllergyIntolerance, vec![format!("{patient}-{ALLERGIES}").into()])
    }

    /// Returns the list of a patient's observations.
    pub(crate) fn observations(patient: PatientId) -> Self {
        Self::Keyed(Kind::Observation, ["age", "weight"].map(|what| format!("{patient}-{what}").into()).into())
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
                let found = source.list(Patient::list(filter, number(after)), room).await?;
                let place = |patient: &Patient| Place::Number(patient.patient_id.value(), 0);
                piece(pace, found, place, |version, patient| source.patient(version, patient)).await
            }
            Self::Visits { filter, encounters, conditions } => {
                visits((source, pace), filter, (*encounters, *conditions), (after, room)).await
            }
            Self::Requests(filter) => {
                let found = source.list(Prescription::list(filter, number(after)), room).await?;
                let place = |prescription: &Prescription| Place::Number(prescription.prescription_id.value(), 0);
                piece(pace, found, place, |version, found| source.medication_request(version, found)).await
            }
            Self::Dispenses { patient, prescription } => {
                dispenses((source, pace), (*patient, *prescription), (after, room)).await
            }
            Self::Medications => {
                let name = after.and_then(|after| match after {
                    Place::Name(name) => Some(name.clone()),
                    Place::Number(..) => None,
                });
                let found = source.list(Listing::<Item>::all(name), room).await?;
                let place = |item: &Item| Place::Name(item.medicine.key().clone());
                piece(pace, found, place, |version, item| source.medication(version, item)).await
            }
            Self::Invoices(filters) => {
                let found = invoices(source, filters, (number(after), room)).await?;
                let place = |invoice: &Invoice| Place::Number(invoice.invoice_id.value(), 0);
                piece(pace, found, place, |version, invoice| source.invoice(version, invoice)).await
            }
        }
    }
}

impl Source<'_> {
    /// Returns the first records of a list.
    async fn list<E: Entity>(self, list: Listing<E>, items: usize) -> Result<Records<E>, Error> {
        self.care.page(list, Limit::items(items).bytes(PIECE_BYTES)).await
    }

    /// Returns the records with these identifiers, read some at a time.
    async fn each<E: Entity + Send>(self, pace: &mut Pace, ids: &[E::Id]) -> Result<Vec<Option<Versioned<E>>>, Error> {
        let mut found = Vec::with_capacity(ids.len());
        for some in ids.chunks(RESOURCES) {
            found.extend(self.records::<E>(some).await?);
            pace.end_piece().await;
        }
        Ok(found)
    }
}

/// Returns a piece of a list of which each record is one resource, given the place behind it and how it is shown.
async fn piece<E: Send + Sync>(
    pace: &mut Pace,
    found: Records<E>,
    place: impl Fn(&E) -> Place + Send,
    show: impl Fn(Seq, &E) -> Option<Instance> + Send,
) -> Result<Piece, Error> {
    let mut items = Vec::with_capacity(found.items.len());
    for Versioned { version, record } in &found.items {
        let Some(instance) = show(*version, record) else { continue };
        pace.count(instance.len()).await;
        items.push((instance, place(record)));
    }
    let next = found.items.last().filter(|_| found.more).map(|last| place(&last.record));
    Ok(Piece { items, next })
}

/// Returns the resources with these identifiers, some at a time. A place is the number of those that were passed.
async fn keyed(source: Source<'_>, kind: Kind, ids: &[Identifier], after: Option<&Place>) -> Result<Piece, Error> {
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
    filter: &ConsultationFilter,
    (encounters, conditions): (bool, bool),
    (after, room): (Option<&Place>, usize),
) -> Result<Piece, Error> {
    let (first, passed) = numbers(after);
    let after = ConsultationId::try_from(first.saturating_sub(1)).ok();
    let Records { items: found, more } = source.list(Consultation::list(filter, after), room.min(PIECE / 2)).await?;
    let ids: Vec<_> = found.iter().map(|found| found.consultation_id).collect();
    let diagnoses = source.each::<Diagnosis>(pace, &ids).await?;
    let mut piece = Piece::default();
    for (consultation, diagnosis) in found.iter().zip(&diagnoses) {
        let id = consultation.consultation_id;
        let passed = if id.value() == first { passed } else { 0 };
        let of = diagnosis.as_ref().map(|found| &found.record);
        let encounter = || source.encounter(consultation.version, consultation, of);
        let condition = |nth| {
            let found = diagnosis.as_ref()?;
            source.condition(found.version, found, nth, consultation.date)
        };
        let diseases = of.map_or(0, |found| found.diseases.len());
        let all = encounters.then(encounter).flatten().into_iter();
        let all = all.chain((1..).take(diseases).filter(|_| conditions).filter_map(condition));
        for (instance, nth) in all.zip(1..).filter(|(_, nth)| *nth > passed) {
            pace.count(instance.len()).await;
            piece.items.push((instance, Place::Number(id.value(), nth)));
            if piece.items.len() >= room {
                piece.next = piece.items.last().map(|(_, place)| place.clone());
                return Ok(piece);
            }
        }
    }
    let last = found.last().filter(|_| more);
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
    if source.record::<Voided>(patient).await?.is_some() {
        return Ok(Piece::default());
    }
    let (first, passed) = numbers(after);
    let filter = InvoiceFilter { patient_id: Some(patient), ..InvoiceFilter::default() };
    let after = InvoiceId::try_from(first.saturating_sub(1)).ok();
    let Records { items: found, more } = source.list(Invoice::list(&filter, after), PIECE).await?;
    // Only invoices of tracked medicines took units, and only once they were paid.
    let took = found.iter().filter(|invoice| {
        let is_of = prescription.is_none_or(|id| id == invoice.prescription_id);
        is_of && invoice.quantity.is_some() && invoice.state != InvoiceState::Unpaid
    });
    let took: Vec<_> = took.collect();
    let ids: Vec<_> = took.iter().map(|invoice| invoice.invoice_id).collect();
    let dispensings = source.each::<Dispensing>(pace, &ids).await?;
    let mut piece = Piece::default();
    for (invoice, dispensing) in took.into_iter().zip(&dispensings) {
        let Some(dispensing) = dispensing else { continue };
        let id = invoice.invoice_id;
        let passed = if id.value() == first { passed } else { 0 };
        let filter =
            MovementFilter { invoice_id: Some(id), kind: Some(MovementKind::Dispense), ..MovementFilter::default() };
        let query = Movement::list(&filter, passed.try_into().ok());
        let movements = source.list(query, room - piece.items.len()).await?.items;
        for movement in movements {
            let version = movement.version.max(dispensing.version);
            let shown = source.medication_dispense(version, (&movement, dispensing, invoice));
            let Some(instance) = shown else { continue };
            pace.count(instance.len()).await;
            piece.items.push((instance, Place::Number(id.value(), movement.movement_id.value())));
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
    source: Source<'_>,
    filters: &[InvoiceFilter],
    (after, room): (Option<InvoiceId>, usize),
) -> Result<Records<Invoice>, Error> {
    let (mut items, mut end) = (Vec::new(), None::<InvoiceId>);
    for filter in filters {
        let found = source.list(Invoice::list(filter, after), room).await?;
        // Behind the end of the shortest list, others may not be complete.
        end = [end, found.cursor()].into_iter().flatten().min();
        items.extend(found.items);
    }
    items.sort_by_key(|invoice| (invoice.invoice_id, std::cmp::Reverse(invoice.version)));
    items.dedup_by_key(|invoice| invoice.invoice_id);
    items.retain(|invoice| end.is_none_or(|end| invoice.invoice_id <= end));
    Ok(Records { items, more: end.is_some() })
}

/// The place in a list behind one of its resources.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Behind the number of a record; or, where a record has several resources, behind some of those of this record.
    Number(i64, i64),
    /// Behind the name of a medicine.
    Name(MedicineKey),
}

impl Place {
    fn parse(text: &str) -> Option<Self> {
        if let Some(name) = text.strip_prefix('=') {
            return Some(Self::Name(MedicineKey::from_stored(name)));
        }
        let (number, some) = text.split_once('-')?;
        Some(Self::Number(number.parse().ok()?, some.parse().ok()?))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number, some) => write!(f, "{number}-{some}"),
            Self::Name(name) => write!(f, "={}", name.as_str()),
        }
    }
}

/// Returns the cursor of a place in one of some lists, which stand one behind the other.
fn cursor(at: usize, place: Option<&Place>) -> String {
    place.map_or_else(|| at.to_string(), |place| format!("{at}.{place}"))
}

/// Returns the place of a cursor.
fn parse(cursor: &str, lists: usize) -> Result<(usize, Option<Place>), Fault> {
    let (at, place) = cursor.split_once('.').map_or((cursor, None), |(at, place)| (at, Some(place)));
    let at = at.parse().ok().filter(|at| *at < lists);
    let place = place.map(|place| Place::parse(place).ok_or(())).transpose();
    at.zip(place.ok()).ok_or(Fault::Invalid("_cursor"))
}

/// Returns the record behind which a list goes on.
fn number<T: TryFrom<i64>>(after: Option<&Place>) -> Option<T> {
    let (number, _) = numbers(after);
    T::try_from(number).ok()
}

/// Returns the two numbers of a place; 0 at the beginning of a list.
const fn numbers(after: Option<&Place>) -> (i64, i64) {
    match after {
        Some(Place::Number(number, some)) => (*number, *some),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use care_core::model::MedicineName;

    use super::*;

    #[test]
    fn a_cursor_reads_back() {
        let name = MedicineName::new("\u{c9}ther-1").unwrap().key().clone();
        for place in [None, Some(Place::Number(i64::MAX, 3)), Some(Place::Name(name))] {
            assert_eq!(parse(&cursor(2, place.as_ref()), 3), Ok((2, place)));
        }
        for other in ["", "3", "-1", "1.", "1.x", "1.1-", "1.abc", "1.1-2-3", "1.\u{e9}\u{e9}"] {
            assert_eq!(parse(other, 3), Err(Fault::Invalid("_cursor")), "{other}");
        }
    }
}
