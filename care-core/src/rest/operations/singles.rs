//! Single records: as they are, and as they were after an entry of the journal.

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{request::Request, tags, versions::VERSION};
use crate::{
    error::{Error, Kind},
    model::{Invoice, Movement, Patient, Prescription, PrescriptionId, Receipt},
    rest::{
        contract::{answer::Answer, problem::Problem},
        http::etag::Tag,
    },
    service::Past,
    store::{Entity, Seq, Versioned},
    wire,
};

/// A record, and where it is one of the past, the version before it.
struct Single<T> {
    version: Seq,
    record: T,
    before: Option<Seq>,
}

impl<T> From<Versioned<T>> for Single<T> {
    fn from(now: Versioned<T>) -> Self {
        Self { version: now.version, record: now.record, before: None }
    }
}

impl<T> From<Past<T>> for Single<T> {
    fn from(past: Past<T>) -> Self {
        Self { before: Some(past.before), ..past.found.into() }
    }
}

impl<T> Single<T> {
    /// Returns the answer with this document, as which the record is shown.
    fn answer(&self, request: &Request<'_>, root: &str, document: &impl Serialize, tag: Tag) -> Answer {
        let answer = request.found(root, document, tag);
        match self.before {
            Some(before) if answer.status() == StatusCode::OK => linked(request, answer, tag.version, before),
            _ => answer,
        }
    }

    /// Returns the answer with the record itself.
    fn whole(&self, request: &Request<'_>, root: &str) -> Answer
    where
        T: Serialize,
    {
        self.answer(request, root, &self.record, Tag::of(self.version))
    }
}

// A read of the past is boxed, since otherwise the future of every read would be as large.

pub(super) async fn invoice(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let id = request.identifier("invoiceId")?;
    let invoice = match at {
        None => request.care.invoice(id).await?.into(),
        Some(at) => Box::pin(past::<Invoice>(request, id, at, Kind::Invoice)).await?,
    };
    Ok(invoice.answer(request, "Invoice", &wire::Invoice::single(&invoice.record), Tag::of(invoice.version)))
}

pub(super) async fn patient(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let id = request.identifier("patientId")?;
    let patient = match at {
        None => request.care.patient(id).await?.into(),
        Some(at) => Box::pin(past::<Patient>(request, id, at, Kind::Patient)).await?,
    };
    Ok(patient.whole(request, "Patient"))
}

pub(super) async fn history(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let id = request.identifier("patientId")?;
    let history: Single<_> = match at {
        None => request.care.history(id).await?.into(),
        Some(at) => Box::pin(request.care.history_as_of(id, at)).await?.into(),
    };
    Ok(history.whole(request, "History"))
}

pub(super) async fn prescription(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let (prescription, is_available) = prescribed(request, at).await?;
    let view = wire::Prescription::single(&prescription.record, is_available);
    let tag = Tag::with_availability(prescription.version, is_available);
    Ok(prescription.answer(request, "Prescription", &view, tag))
}

pub(super) async fn supply(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let (prescription, is_available) = prescribed(request, at).await?;
    let tag = Tag::with_availability(prescription.version, is_available);
    Ok(prescription.answer(request, "Supply", &prescription.record.supply(), tag))
}

/// Returns a prescription, and whether its medicine is available: that is no part of the record, and always that of
/// now.
async fn prescribed(request: &Request<'_>, at: Option<Seq>) -> Result<(Single<Prescription>, bool), Problem> {
    let id: PrescriptionId = request.identifier("prescriptionId")?;
    let past = match at {
        None => None,
        Some(at) => Some(Box::pin(past::<Prescription>(request, id, at, Kind::Prescription)).await?),
    };
    let live = request.care.prescription(id).await?;
    let is_available = live.record.is_available;
    Ok((past.unwrap_or_else(|| live.map(|live| live.prescription).into()), is_available))
}

pub(super) async fn consultation(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let id = request.identifier("consultationId")?;
    let consultation: Single<_> = match at {
        None => request.care.consultation(id).await?.into(),
        Some(at) => {
            let past = Box::pin(request.care.consultation_as_of(id, at)).await?;
            past.ok_or(Problem::Domain(Error::NotFound(Kind::Consultation)))?.into()
        }
    };
    Ok(consultation.whole(request, "Consultation"))
}

pub(super) async fn medicine(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let name = request.medicine()?;
    let item: Single<_> = match at {
        None => request.care.item(name).await?.into(),
        Some(at) => Box::pin(request.care.item_as_of(name, at)).await?.into(),
    };
    Ok(item.answer(request, "Inventory", &item.record.item, tags::of_item(item.version, &item.record)))
}

pub(super) async fn stock(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let name = request.medicine()?;
    let stock: Single<_> = match at {
        None => request.care.stock(name).await?.into(),
        Some(at) => Box::pin(request.care.stock_as_of(name, at)).await?.into(),
    };
    Ok(stock.answer(request, "Stock", &wire::Stock::from(&stock.record), tags::of_stock(stock.version, &stock.record)))
}

pub(super) async fn movement(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let id = request.identifier("movementId")?;
    let movement = match at {
        None => request.care.movement(id).await?.into(),
        Some(at) => Box::pin(past::<Movement>(request, id, at, Kind::Movement)).await?,
    };
    Ok(movement.whole(request, "Movement"))
}

pub(super) async fn receipt(request: &Request<'_>, at: Option<Seq>) -> Result<Answer, Problem> {
    let id = request.identifier("receiptId")?;
    let receipt = match at {
        None => request.care.receipt(id).await?.into(),
        Some(at) => Box::pin(past::<Receipt>(request, id, at, Kind::Receipt)).await?,
    };
    Ok(receipt.whole(request, "Receipt"))
}

async fn past<E: Entity>(request: &Request<'_>, id: E::Id, at: Seq, kind: Kind) -> Result<Single<E>, Problem> {
    let past = request.care.as_of::<E>(id, at).await?;
    Ok(past.ok_or(Problem::Domain(Error::NotFound(kind)))?.into())
}

/// Returns an answer with links to this version and to the one before (RFC 5829).
fn linked(request: &Request<'_>, answer: Answer, version: Seq, before: Seq) -> Answer {
    let place = |version: Seq| format!("{}?{VERSION}={version}", request.head.uri.path());
    let answer = match HeaderValue::try_from(place(version)) {
        Ok(here) => answer.with_header(header::CONTENT_LOCATION, here),
        Err(_) => answer,
    };
    match HeaderValue::try_from(format!("<{}>; rel=\"predecessor-version\"", place(before))) {
        Ok(link) if before != Seq::ZERO => answer.with_header(header::LINK, link),
        _ => answer,
    }
}
