//! Single records: as they are, and as they were after an entry of the journal.

use http::{HeaderValue, StatusCode, header};

use super::{
    request::Request,
    shown::{Shown, Supplied},
    versions::{self, VERSION},
};
use crate::{
    error::Error,
    model::{Prescription, PrescriptionId},
    rest::contract::{answer::Answer, input::InPath, problem::Problem},
    service::{CareService, LivePrescription, Past},
    store::{Seq, Versioned},
};

/// Answers a single record as it is now or, with `?version=`, as it was then.
///
/// A read of the past is boxed, since otherwise the future of every read would be as large.
pub(super) async fn single<'a, Id: InPath, T: Shown, N, P>(
    request: &Request<'a>,
    now: impl FnOnce(&'a CareService, Id) -> N,
    then: impl FnOnce(&'a CareService, Id, Seq) -> P,
) -> Result<Answer, Problem>
where
    N: Future<Output = Result<Versioned<T>, Error>>,
    P: Future<Output = Result<Option<Past<T>>, Error>>,
{
    let at = versions::asked(request)?;
    let id = request.in_path()?;
    let (found, before) = match at {
        None => (now(request.care, id).await?, None),
        Some(at) => {
            let past = Box::pin(then(request.care, id, at)).await?.ok_or_else(|| missing(request))?;
            (past.found, Some(past.before))
        }
    };
    let answer = request.found(&found);
    Ok(match before {
        Some(before) if answer.status() == StatusCode::OK => linked(request, answer, found.version, before),
        _ => answer,
    })
}

/// Returns an earlier version of a prescription. Whether its medicine is available is no part of the record, and always
/// that of now.
pub(super) async fn prescription_as_of(
    care: &CareService,
    id: PrescriptionId,
    at: Seq,
) -> Result<Option<Past<LivePrescription>>, Error> {
    let past = care.as_of::<Prescription>(id, at).await?;
    let Some(Past { found, before }) = past else {
        return Ok(None);
    };
    let is_available = care.prescription(id).await?.record.is_available;
    Ok(Some(Past { found: found.map(|prescription| LivePrescription { prescription, is_available }), before }))
}

/// Returns the supply of a prescription.
pub(super) async fn supply(care: &CareService, id: PrescriptionId) -> Result<Versioned<Supplied>, Error> {
    Ok(care.prescription(id).await?.map(Supplied))
}

/// Returns the supply of an earlier version of a prescription.
pub(super) async fn supply_as_of(
    care: &CareService,
    id: PrescriptionId,
    at: Seq,
) -> Result<Option<Past<Supplied>>, Error> {
    let past = prescription_as_of(care, id, at).await?;
    Ok(past.map(|Past { found, before }| Past { found: found.map(Supplied), before }))
}

/// Returns the problem of a request whose record did not exist then.
fn missing(request: &Request<'_>) -> Problem {
    request.operation.missing().map_or(Problem::Internal, |kind| Problem::Domain(Error::NotFound(kind)))
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
