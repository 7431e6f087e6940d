//! Requests whose method Rocket does not know.

use bytes::Bytes;
use care_core::rest::{Api, Begun, Received};
use rocket::http::Status;
use rocket::http::uri::Origin;
use rocket::{Build, Catcher, Request, Rocket, async_trait, catcher};

use crate::translate::{head, response};

/// The catcher for 400 at this base, unless the host has one there: two at one place would keep
/// Rocket from starting.
pub(crate) fn catcher(rocket: &Rocket<Build>, base: &Origin<'_>, api: &Api) -> Option<Catcher> {
    let segments = base.path().segments();
    // The catcher that a 400 at our base goes to now, chosen as Rocket chooses.
    let other = rocket
        .catchers()
        .filter(|other| matches!(other.code, None | Some(400)))
        .filter(|other| other.base.path().segments().prefix_of(segments.clone()))
        .max_by_key(|other| (other.base.path().segments().len(), other.code))
        .cloned()
        .unwrap_or_default();
    (other.code.is_none() || other.base != *base).then(|| {
        let api = api.clone();
        Catcher::new(400, UnknownMethod { api, other })
    })
}

/// Rocket does not route a request whose method it does not know. It makes it a GET and asks the
/// catcher for 400, past all fairings.
#[derive(Clone)]
struct UnknownMethod {
    api: Api,
    /// For the host's own routes below our base path, when they fail with 400.
    other: Catcher,
}

#[async_trait]
impl catcher::Handler for UnknownMethod {
    async fn handle<'r>(&self, status: Status, request: &'r Request<'_>) -> catcher::Result<'r> {
        if request.route().is_some() {
            return self.other.handler.handle(status, request).await;
        }
        // TRACE stands for the lost method: the service has neither.
        let answer = match self.api.begin(head(request, http::Method::TRACE)) {
            Begun::Answer(answer) => answer,
            Begun::Body(pending) => pending.finish(Received::Whole(Bytes::new())).await,
        };
        Ok(response(answer))
    }
}
