//! Earlier versions of single records: `?version=SEQ`, read from the journal.

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{query::Parameters, request::Request, tags};
use crate::{
    error::{Error, Kind},
    model::{Invalid, Invoice, Movement, Patient, Prescription, Scope},
    rest::{
        contract::{
            answer::Answer,
            operation::Operation,
            problem::Problem,
            stock_view::StockView,
            view::{InvoiceView, PrescriptionView},
        },
        http::{etag::Tag, path},
    },
    service::Past,
    store::{Entity, Seq},
};

/// The name of the parameter.
pub(crate) const VERSION: &str = "version";

/// Returns the version that the request names. Other parameters are ignored.
pub(crate) fn asked(request: &Request<'_>) -> Result<Option<Seq>, Problem> {
    let query = request.head.uri.query().unwrap_or_default();
    if !query.contains(VERSION) || !request.operation.has_versions() || !request.contract.has_extensions() {
        return Ok(None);
    }
    let mut query = Parameters::of_a_record(request.operation, query, VERSION);
    let version = query.parse(VERSION, |text| {
        let number = path::identifier(&text).ok_or(Invalid("must be the number of a journal entry"))?;
        Ok(Seq::new(number.cast_unsigned()))
    });
    query.verdict()?;
    // Only readers of the journal may see values that were corrected or removed.
    match version {
        Some(_) if !request.principal.scopes.contains(Scope::Admin) => Err(Problem::Forbidden),
        version => Ok(version),
    }
}

/// Returns the record after this entry.
pub(crate) async fn run(request: &Request<'_>, at: Seq) -> Result<Answer, Problem> {
    match request.operation {
        Operation::GetInvoice => {
            let past = found::<Invoice>(request, request.identifier("invoiceId")?, at, Kind::Invoice).await?;
            Ok(answer(request, "Invoice", of(&past), &InvoiceView::single(&past.found.record)))
        }
        Operation::GetPatient => {
            let past = found::<Patient>(request, request.identifier("patientId")?, at, Kind::Patient).await?;
            Ok(answer(request, "Patient", of(&past), &past.found.record))
        }
        Operation::GetHistory => {
            let past = request.care.history_as_of(request.identifier("patientId")?, at).await?;
            Ok(answer(request, "History", of(&past), &past.found.record))
        }
        Operation::GetPrescription => {
            let id = request.identifier("prescriptionId")?;
            let past = found::<Prescription>(request, id, at, Kind::Prescription).await?;
            // The availability is not part of the record, and always that of now.
            let available = request.care.prescription(id).await?.record.is_available;
            let view = PrescriptionView::single(&past.found.record, available);
            let tag = Tag::with_availability(past.found.version, available);
            Ok(answer(request, "Prescription", (tag, past.before), &view))
        }
        Operation::GetConsultation => {
            let id = request.identifier("consultationId")?;
            let past = request.care.consultation_as_of(id, at).await?;
            let past = past.ok_or(Problem::Domain(Error::NotFound(Kind::Consultation)))?;
            Ok(answer(request, "Consultation", of(&past), &past.found.record))
        }
        Operation::GetMedicine => {
            let medicine = request.medicine()?;
            let past = request.care.item_as_of(medicine, at).await?;
            let (item, tag) = (&past.found.record.item, tags::of_item(past.found.version, &past.found.record));
            Ok(answer(request, "Inventory", (tag, past.before), item))
        }
        Operation::GetStock => {
            let Past { found: live, before } = request.care.stock_as_of(request.medicine()?, at).await?;
            Ok(answer(request, "Stock", (tags::of_stock(&live), before), &StockView::live(&live.record)))
        }
        Operation::GetMovement => {
            let past = found::<Movement>(request, request.identifier("movementId")?, at, Kind::Movement).await?;
            Ok(answer(request, "Movement", of(&past), &past.found.record))
        }
        Operation::GetSupply => {
            let id = request.identifier("prescriptionId")?;
            let past = found::<Prescription>(request, id, at, Kind::Prescription).await?;
            let available = request.care.prescription(id).await?.record.is_available;
            let tag = Tag::with_availability(past.found.version, available);
            Ok(answer(request, "Supply", (tag, past.before), &past.found.record.supply()))
        }
        _ => Err(Problem::Internal),
    }
}

async fn found<E: Entity>(request: &Request<'_>, id: E::Id, at: Seq, kind: Kind) -> Result<Past<E>, Problem> {
    let past = request.care.as_of::<E>(id, at).await?;
    past.ok_or(Problem::Domain(Error::NotFound(kind)))
}

/// Returns the tag and the earlier version of a past record.
fn of<T>(past: &Past<T>) -> (Tag, Seq) {
    (Tag::of(past.found.version), past.before)
}

/// Returns the answer with a past record, and links to this version and to the one before (RFC 5829).
fn answer(request: &Request<'_>, root: &str, (tag, before): (Tag, Seq), body: &impl Serialize) -> Answer {
    let place = |version: Seq| format!("{}?{VERSION}={version}", request.head.uri.path());
    let answer = request.found(root, body, tag);
    if answer.status() != StatusCode::OK {
        return answer;
    }
    let answer = match HeaderValue::try_from(place(tag.version)) {
        Ok(here) => answer.with_header(header::CONTENT_LOCATION, here),
        Err(_) => answer,
    };
    match HeaderValue::try_from(format!("<{}>; rel=\"predecessor-version\"", place(before))) {
        Ok(link) if before != Seq::ZERO => answer.with_header(header::LINK, link),
        _ => answer,
    }
}
