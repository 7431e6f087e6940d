//! Earlier versions: one of them, and all of them.

use care_core::{
    error::Error,
    model::{
        Consultation, ConsultationId, Diagnosis, Dispensing, Invoice, Item, Movement, MovementId, Patient,
        Prescription, Scope,
    },
    operation::JournalOperation,
    rest::{FacadeAnswer, FacadeRequest},
    service::Past,
    store::{Entity, Seq, Versioned},
};

use super::page::{Pace, Page, Paging, RESOURCES, below};
use crate::{
    kind::{Kind, Row},
    outcome::{Failure, Fault},
    read::{Identifier, Lookup, number, parts, read},
    source::{Instance, Source, version_id},
};

/// An earlier version of a resource, and the version before it; [`Seq::ZERO`] when it is the first.
type Earlier = (Instance, Seq);

/// Returns the version of a resource with this name.
///
/// # Errors
/// [`Failure`].
pub(crate) async fn version(
    source: Source<'_>,
    request: &FacadeRequest<'_>,
    (row, id, name): (&Row, &str, &str),
) -> Result<Instance, Failure> {
    let epoch = format!("{}-", source.care.epoch());
    let wanted = name.strip_prefix(&epoch).and_then(seq);
    let is_admin = request.scopes.contains(Scope::Admin);
    let (found, id) = read(source, row.kind, id).await?;
    let current = match found {
        Lookup::There(found) if wanted == Some(found.version) => return Ok(found),
        Lookup::There(found) => found.version,
        Lookup::Gone => return Err(Fault::Gone.into()),
        // An earlier version of the record may have had the resource.
        Lookup::Unknown if is_admin => Seq::new(u64::MAX),
        Lookup::Unknown => return Err(Fault::NotFound.into()),
    };
    let wanted = wanted.filter(|wanted| *wanted < current).ok_or(Fault::NotFound)?;
    if !is_admin {
        return Err(Fault::Forbidden.into());
    }
    let found = source.versions(row.kind, &id, (wanted, 1)).await?.pop();
    let found = found.map(|(instance, _)| instance).filter(|instance| instance.version == wanted);
    Ok(found.ok_or(Fault::NotFound)?)
}

/// Answers with the versions of a resource, the newest first.
///
/// # Errors
/// [`Failure`].
pub(crate) async fn history(
    source: Source<'_>,
    request: &FacadeRequest<'_>,
    (row, id): (&Row, &str),
    is_lenient: bool,
) -> Result<FacadeAnswer, Failure> {
    let paging = Paging::read(request, is_lenient)?;
    let mut page = Page::new(request, source.form, "history", (&paging, Vec::new()));
    let begin = page.begins()?;
    let at = begin.map_or(Some(Seq::new(u64::MAX)), |begin| seq(&begin)).ok_or(Fault::Invalid("_cursor"))?;
    let (found, named) = read(source, row.kind, id).await?;
    found.found()?;
    let (mut at, mut next, mut reads, mut pace) = (at, None, Vec::new(), Pace::default());
    'full: while at != Seq::ZERO {
        let piece = source.versions(row.kind, &named, (at, page.room().min(RESOURCES))).await?;
        let versions: Vec<_> = piece.iter().map(|(instance, _)| instance.version).collect();
        let instants = source.care.store().instants(&versions).await?;
        at = piece.last().map_or(Seq::ZERO, |(_, before)| *before);
        for ((instance, before), instant) in piece.into_iter().zip(instants) {
            let (version, read, is_first) = (instance.version, instance.read.clone(), before == Seq::ZERO);
            let name = version_id(source.care.epoch(), version);
            let etag = format!("W/\"{name}\"");
            let (method, status) = if is_first { ("POST", "201") } else { ("PUT", "200") };
            let path = format!("{}/{id}", row.name);
            let before_it = page.len();
            let is_added = page.add(|entry| {
                entry.text("fullUrl", &below(request, &path));
                instance.write(entry, "resource", &name, instant);
                entry.object("request", |request| {
                    request.text("method", method);
                    request.text("url", if is_first { row.name } else { &path });
                });
                entry.object("response", |response| {
                    response.text("status", status);
                    response.text("etag", &etag);
                    response.text("lastModified", &instant.to_string());
                });
            });
            if !is_added {
                next = Some(version.to_string());
                break 'full;
            }
            reads = read.into_iter().collect();
            pace.count(page.len() - before_it).await;
        }
    }
    let reads = (!reads.is_empty()).then_some((JournalOperation::FhirHistory, reads));
    Ok(FacadeAnswer { response: page.answer(next), reads })
}

/// Returns the number of a journal entry.
fn seq(text: &str) -> Option<Seq> {
    number::<i64>(text).map(|seq| Seq::new(seq.unsigned_abs()))
}

impl Source<'_> {
    /// Returns the versions of a resource, the newest first, from the one that it had after this journal entry, and at
    /// most this number of them.
    async fn versions(self, kind: Kind, named: &Identifier, range: (Seq, usize)) -> Result<Vec<Earlier>, Error> {
        let id = named.id.as_str();
        let nothing = Ok(Vec::new());
        match kind {
            Kind::Patient => {
                let id = parts(kind, id).map(|(id, _)| id);
                self.earlier(id, range, |version, found: &Patient| self.patient(version, found)).await
            }
            Kind::AllergyIntolerance => {
                let id = parts(kind, id).map(|(id, _)| id);
                self.earlier(id, range, |version, found: &Patient| self.allergies(version, found)).await
            }
            Kind::Observation => {
                let Some((id, what)) = parts(kind, id) else { return nothing };
                self.earlier(Some(id), range, |version, found: &Patient| self.observation(what, version, found)).await
            }
            Kind::Encounter => {
                let Some((id, _)) = parts(kind, id) else { return nothing };
                // A diagnosis is recorded with its consultation and never changes.
                let diagnosis = self.record::<Diagnosis>(id).await?;
                let diagnosis = diagnosis.as_ref().map(|found| &found.record);
                let show = |version, found: &Consultation| self.encounter(version, found, diagnosis);
                self.earlier(Some(id), range, show).await
            }
            Kind::Condition => {
                let Some((id, nth)) = parts::<ConsultationId>(kind, id) else { return nothing };
                let visit = self.record::<Consultation>(id).await?;
                let Some((visit, nth)) = visit.zip(number(nth)) else { return nothing };
                // Its visit is counted once it is completed, which makes another version with the same diseases.
                let show = |version, found: &Diagnosis| self.condition(version, found, nth, visit.date);
                self.earlier(Some(id), range, show).await
            }
            Kind::MedicationRequest => {
                let id = parts(kind, id).map(|(id, _)| id);
                let show = |version, found: &Prescription| self.medication_request(version, found);
                self.earlier(id, range, show).await
            }
            Kind::MedicationDispense => {
                let Some((id, _)) = parts::<MovementId>(kind, id) else { return nothing };
                let Some(movement) = self.record::<Movement>(id).await? else { return nothing };
                let Some(of) = movement.invoice_id else { return nothing };
                let Some(invoice) = self.record::<Invoice>(of).await? else { return nothing };
                let show = |version: Seq, found: &Dispensing| {
                    self.medication_dispense(version.max(movement.version), (&movement, found, &invoice))
                };
                self.earlier(Some(of), range, show).await
            }
            Kind::Medication => {
                self.earlier(named.medicine.clone(), range, |version, found: &Item| self.medication(version, found))
                    .await
            }
            Kind::Invoice => {
                let id = parts(kind, id).map(|(id, _)| id);
                self.earlier(id, range, |version, found: &Invoice| self.invoice(version, found)).await
            }
        }
    }

    /// Returns the versions of the resource that is made of a record.
    async fn earlier<E: Entity>(
        self,
        id: Option<E::Id>,
        (at, most): (Seq, usize),
        show: impl Fn(Seq, &E) -> Option<Instance>,
    ) -> Result<Vec<Earlier>, Error> {
        let Some(id) = id else { return Ok(Vec::new()) };
        let found = self.care.versions::<E>(id, at, most).await?.into_iter();
        let shown = found.filter_map(|Past { found: Versioned { version, record }, before }| {
            show(version, &record).map(|instance| (instance, before))
        });
        Ok(shown.collect())
    }
}
