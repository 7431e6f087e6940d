//! Changes: from the path and the body, through the use case, to the answer that the table says.

use http::{StatusCode, header};

use super::{
    request::Request,
    shown::{Shown, Supplied},
};
use crate::{
    error::Error,
    model::{Patient, PrescriptionId},
    operation::{Effect, Nature},
    rest::{
        contract::{
            answer::Answer,
            bodies::{NewPatient, SupplyUpdate},
            input::{Body, InPath},
            problem::Problem,
        },
        http::etag,
    },
    service::{CareService, ExpectedVersion, IssuedInvoice},
    store::Versioned,
};

/// The outcome of a use case, which is answered.
pub(super) trait Outcome {
    /// Returns the answer.
    fn answer(self, request: &Request<'_>) -> Answer;
}

/// Does a change: reads the parameter of the path and the body, or collects the faults of both, and calls the use case.
pub(super) async fn change<'a, Id: InPath, T: Body, R: Outcome, F: Future<Output = Result<R, Error>>>(
    request: &Request<'a>,
    act: impl FnOnce(&'a CareService, Id, T, ExpectedVersion) -> F,
) -> Result<Answer, Problem> {
    let (id, body) = request.path_and_body()?;
    let expected = match matches!(request.operation.nature(), Nature::VersionedChange(_)) {
        true => etag::expected(request.care.epoch(), &request.head.headers),
        false => ExpectedVersion::Any,
    };
    Ok(act(request.care, id, body, expected).await?.answer(request))
}

/// Registers a patient, under a number of its own if the body names one.
pub(super) async fn register(
    care: &CareService,
    NewPatient { patient_id, details }: NewPatient,
) -> Result<Versioned<Patient>, Error> {
    match patient_id {
        Some(id) => care.register_patient_as(id, details).await,
        None => care.register_patient(details).await,
    }
}

/// Updates the supply of a prescription.
pub(super) async fn update_supply(
    care: &CareService,
    id: PrescriptionId,
    new: SupplyUpdate,
    expected: ExpectedVersion,
) -> Result<Versioned<Supplied>, Error> {
    Ok(care.update_supply(id, new.details, expected).await?.map(Supplied))
}

impl Outcome for () {
    fn answer(self, _request: &Request<'_>) -> Answer {
        Answer::new(StatusCode::NO_CONTENT)
    }
}

impl<T: Shown> Outcome for Versioned<T> {
    fn answer(self, request: &Request<'_>) -> Answer {
        let effect = request.operation.nature().effect();
        changed(request, &self, effect.unwrap_or(Effect::Changed))
    }
}

impl Outcome for IssuedInvoice {
    fn answer(self, request: &Request<'_>) -> Answer {
        changed(request, &self.invoice, if self.is_new { Effect::Made } else { Effect::Placed })
    }
}

/// Returns the answer with a record after a change that has this effect, with the tag of its `GET`.
fn changed<T: Shown>(request: &Request<'_>, changed: &Versioned<T>, effect: Effect) -> Answer {
    let status = if effect == Effect::Made { StatusCode::CREATED } else { StatusCode::OK };
    let tag = changed.record.tag(changed.version).header(request.care.epoch(), request.variant());
    let answer = request.shown(status, &changed.record).with_header(header::ETAG, tag);
    match effect {
        Effect::Made => {
            let place = request.place(&changed.record);
            answer.with_header(header::CONTENT_LOCATION, place.clone()).with_header(header::LOCATION, place)
        }
        Effect::Placed => answer.with_header(header::CONTENT_LOCATION, request.place(&changed.record)),
        Effect::MadeOrFound | Effect::Changed | Effect::Removed => answer,
    }
}
