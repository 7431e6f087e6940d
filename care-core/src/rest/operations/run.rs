//! Running an operation: from what the request says, through the service, to the answer.

use http::StatusCode;

use super::{
    changes::{change, register, update_supply},
    events,
    lists::{self, reports, today},
    request::Request,
    singles::{prescription_as_of, single, supply, supply_as_of},
};
use crate::{
    rest::{
        contract::{Contract, answer::Answer, bodies, operation::Operation, problem::Problem},
        http::media::Format,
    },
    service::{self, CareService},
    wire::KeyFacts,
};

/// Defines the dispatch to the handlers in the table.
macro_rules! dispatch {
    ($($(#[$doc:meta])+ $operation:ident $id:literal $method:ident $path:literal $facts:tt
        run { |$request:ident| $run:expr } client $client:tt)*) => {
        /// Runs the operation.
        pub(crate) async fn run(request: &Request<'_>) -> Result<Answer, Problem> {
            match request.operation {
                $(Operation::$operation => {
                    let $request = request;
                    $run.await
                })*
            }
        }
    };
}

crate::operations!(dispatch);

/// Returns the OpenAPI document, for which no key is needed.
pub(crate) fn document(contract: &Contract) -> Answer {
    Answer::new(StatusCode::OK).with_body(Format::Json.media_type(), contract.document())
}

async fn openapi(request: &Request<'_>) -> Result<Answer, Problem> {
    Ok(document(request.contract))
}

async fn key(request: &Request<'_>) -> Result<Answer, Problem> {
    Ok(request.answer(StatusCode::OK, "Key", &KeyFacts::new(request.principal, request.care.facility())))
}
