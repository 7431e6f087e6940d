//! Earlier versions: one of them, and all of them.

use care_core::{
    error::Error,
    model::{Consultation, Diagnosis, Dispensing, Invoice, Item, Movement, Patient, Prescription, Scope},
    operation::JournalOperation,
    rest::{FacadeAnswer, FacadeRequest},
    service::Past,
    store::{Entity, RecordKey, Seq, Versioned},
};

use super::{
    pace::{Pace, RESOURCES},
    page::{Page, Paging, below},
};
use crate::{
    kind::{Kind, Row},
    medication_id,
    outcome::{Failure, Fault},
    read::{Lookup, Source, disease, number, read, version_id},
    resource::Instance,
    resources,
    writer::Writer,
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
    let current = match read(source, row.kind, id).await? {
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
    let found = source.versions(row.kind, id, (wanted, 1)).await?.pop();
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
    read(source, row.kind, id).await?.found()?;
    let (mut at, mut next, mut reads, mut pace) = (at, None, Vec::new(), Pace::default());
    'full: while at != Seq::ZERO {
        let piece = source.versions(row.kind, id, (at, page.room().min(RESOURCES))).await?;
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
    async fn versions(self, kind: Kind, id: &str, (at, most): (Seq, usize)) -> Result<Vec<Earlier>, Error> {
        let (plain, part) = id.split_once('-').map_or((id, None), |(plain, part)| (plain, Some(part)));
        let nothing = Ok(Vec::new());
        match (kind, part) {
            (Kind::Patient, None) => {
                let map = |out: &mut Writer, patient: &Patient| resources::patient(out, patient, self.namespace);
                self.earlier(kind, (id, number(plain)), (at, most), map).await
            }
            (Kind::Observation, Some(what)) => match resources::observation(what) {
                Some(map) => self.earlier(kind, (id, number(plain)), (at, most), map).await,
                None => nothing,
            },
            (Kind::Encounter, None) => {
                let Some(consultation) = number(plain) else { return nothing };
                // A diagnosis is recorded with its consultation and never changes.
                let diagnosis = self.record::<Diagnosis>(RecordKey::Diagnosis(consultation)).await?;
                let diagnosis = diagnosis.as_ref().map(|found| &found.record);
                let map = |out: &mut Writer, found: &Consultation| resources::encounter(out, found, diagnosis);
                self.earlier(kind, (id, Some(consultation)), (at, most), map).await
            }
            (Kind::MedicationRequest, None) => {
                let map = |out: &mut Writer, found: &Prescription| resources::medication_request(out, found);
                self.earlier(kind, (id, number(plain)), (at, most), map).await
            }
            (Kind::MedicationDispense, None) => {
                let Some(movement) = number(plain) else { return nothing };
                let Some(movement) = self.record::<Movement>(RecordKey::Movement(movement)).await? else {
                    return nothing;
                };
                let Some(of) = movement.invoice_id else { return nothing };
                let Some(invoice) = self.record::<Invoice>(RecordKey::Invoice(of)).await? else { return nothing };
                let map = |out: &mut Writer, dispensing: &Dispensing| {
                    resources::medication_dispense(out, &movement, dispensing, &invoice);
                };
                let mut found = self.earlier(kind, (id, Some(of)), (at, most), map).await?;
                for (instance, _) in &mut found {
                    instance.version = instance.version.max(movement.version);
                    instance.read = Some(RecordKey::Invoice(of));
                }
                Ok(found)
            }
            (Kind::Medication, None) => {
                let medicine = medication_id::find(self.care, &[id.to_owned()]).await?.pop().flatten();
                let map = |out: &mut Writer, item: &Item| resources::medication(out, item);
                let mut found = self.earlier(kind, (id, medicine), (at, most), map).await?;
                found.iter_mut().for_each(|(instance, _)| instance.read = None);
                Ok(found)
            }
            (Kind::Invoice, None) => {
                let map = |out: &mut Writer, invoice: &Invoice| resources::invoice(out, invoice, self.namespace);
                self.earlier(kind, (id, number(plain)), (at, most), map).await
            }
            (Kind::Condition, Some(nth)) => {
                let Some((of, nth)) = number(plain).zip(number::<i64>(nth)) else { return nothing };
                let Some(visit) = self.record::<Consultation>(RecordKey::Consultation(of)).await? else {
                    return nothing;
                };
                // Its visit is counted once it is completed, which makes another version with the same diseases.
                let map = |out: &mut Writer, found: &Diagnosis| {
                    if let Some(disease) = disease(found, nth) {
                        resources::condition(out, found, disease, visit.date);
                    }
                };
                let mut found = self.earlier(kind, (id, Some(of)), (at, most), map).await?;
                found.iter_mut().for_each(|(instance, _)| instance.read = Some(RecordKey::Consultation(of)));
                Ok(found)
            }
            _ => nothing,
        }
    }

    /// Returns the versions of the record that the resource with this identifier is made of.
    async fn earlier<E: Entity>(
        self,
        kind: Kind,
        (id, of): (&str, Option<E::Id>),
        (at, most): (Seq, usize),
        map: impl Fn(&mut Writer, &E),
    ) -> Result<Vec<Earlier>, Error>
    where
        E::Id: Clone,
    {
        let Some(of) = of else { return Ok(Vec::new()) };
        let read = Some(E::key(of.clone()));
        let found = self.care.versions::<E>(of, at, most).await?;
        let instances = found.into_iter().filter_map(|Past { found: Versioned { version, record }, before }| {
            let resource = self.resource(kind, |out| map(out, &record))?;
            Some((Instance { id: id.to_owned(), resource, version, read: read.clone() }, before))
        });
        Ok(instances.collect())
    }
}
