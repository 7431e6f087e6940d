//! One request and its answer.

use std::time::Instant;

use bytes::Bytes;
use http::{Method, Response, request::Parts};

use super::{
    admission::{self, Admitted},
    check::{self, Length, Screened},
    files,
    settings::Api,
};
use crate::{
    keys::{Principal, Scopes},
    rest::{
        contract::{
            answer::{self, Answer},
            operation::{Input, Operation},
            problem::Problem,
            route, status,
        },
        http::{media, negotiate, request_id::RequestId},
    },
};

/// What every answer to a request needs to know of it.
#[derive(Debug)]
pub(crate) struct Exchange {
    admitted: Admitted,
    head: Parts,
    request_id: RequestId,
    since: Instant,
    /// Whether the answer says how long it is.
    has_length: bool,
}

/// What the head of a request asks for.
pub(crate) enum Asked {
    Operation(Accepted),
    Options { allow: String },
    File(Answer),
}

/// An operation that may be run.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) operation: Operation,
    /// The raw segment that the path's parameter stands in; empty when it has none.
    pub(crate) parameter: Box<str>,
    pub(crate) principal: Principal,
    /// What was found out about the two forms, if that needs no body.
    pub(crate) screened: Option<Screened>,
}

impl Exchange {
    /// A request under way, and whether there is room for it.
    pub(crate) fn new(api: Api, mut head: Parts, has_length: bool) -> (Self, Result<(), Problem>) {
        let (admitted, room) = Admitted::to(api);
        check::drop_undecodable(&mut head.headers);
        let verdict = room.and_then(|()| admission::measure(&head, admitted.api().contract().limits()));
        let request_id = RequestId::of(&head.headers);
        // Hosts send the length of a body that is there; to a `HEAD` there is none.
        let has_length = has_length || head.method == Method::HEAD;
        (Self { admitted, head, request_id, since: Instant::now(), has_length }, verdict)
    }

    pub(crate) fn api(&self) -> &Api {
        self.admitted.api()
    }

    pub(crate) const fn head(&self) -> &Parts {
        &self.head
    }

    /// How many headers the answer usually has.
    pub(crate) const fn room(&self) -> usize {
        if self.has_length { answer::USUAL + 1 } else { answer::USUAL }
    }

    /// The checks of decisions 1 to 7, in their one order.
    pub(crate) fn begin(&self) -> Result<Asked, Problem> {
        let (api, head) = (self.api(), &self.head);
        let route = route::find(api.contract(), head.uri.path())?;
        if head.method == Method::OPTIONS && route.is_known() {
            return Ok(Asked::Options { allow: route.allow() });
        }
        if !route.is_known()
            && let Some(answer) = files::answer(api, head)
        {
            return answer.map(Asked::File);
        }
        let principal = match route.needs_key() {
            true => check::key(api, head)?,
            false => Principal { name: "nobody".into(), scopes: Scopes::NONE },
        };
        let operation = route.operation(&head.method);
        if let Some(scope) = operation.and_then(Operation::scope)
            && !principal.scopes.contains(scope)
        {
            return Err(Problem::Forbidden);
        }
        if !route.is_known() {
            return Err(route.unknown());
        }
        // Before the method is judged: Rocket takes a method out of a form's body, so only this answer can be the same
        // everywhere.
        let length = check::declared_length(head);
        if length != Length::Known(0) && media::is_form(check::lines(&head.headers, http::header::CONTENT_TYPE)) {
            return Err(Problem::UnsupportedType);
        }
        let operation = operation.ok_or_else(|| Problem::MethodNotAllowed { allow: route.allow() })?;
        let screened = match (operation.input(), length) {
            // Whether there is a body at all is only known once it was read.
            (Input::Nothing | Input::Query(_), Length::Unknown) => None,
            (_, length) => Some(check::screen(operation, head, length, api.contract().limits().body)?),
        };
        Ok(Asked::Operation(Accepted { operation, parameter: route.parameter().into(), principal, screened }))
    }

    /// The answer, with a line in the log: what was refused where one looks first, what went well one level below.
    pub(crate) fn answer(&self, outcome: Result<Answer, Problem>, operation: &str, actor: &str) -> Response<Bytes> {
        let response = match outcome {
            Ok(answer) => self.finish(answer),
            Err(problem) => self.refuse(problem),
        };
        let (request_id, status) = (self.request_id.as_str(), response.status().as_u16());
        let micros = || u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        match status {
            500.. => tracing::error!(request_id, operation, actor, status, micros = micros(), "failed"),
            400.. => tracing::info!(request_id, operation, actor, status, micros = micros(), "refused"),
            _ => tracing::debug!(request_id, operation, actor, status, micros = micros(), "answered"),
        }
        response
    }

    fn refuse(&self, problem: Problem) -> Response<Bytes> {
        if let Problem::Domain(error) = &problem
            && status::status(error).is_server_error()
        {
            let request_id = self.request_id.as_str();
            let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
            let cause = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
            tracing::error!(request_id, %error, cause, "the store failed");
        }
        let format = negotiate::negotiate_error(check::lines(&self.head.headers, http::header::ACCEPT));
        self.finish(problem.answer(format, self.request_id.as_str()))
    }

    fn finish(&self, answer: Answer) -> Response<Bytes> {
        answer.finish(&self.request_id, self.head.method == Method::HEAD, self.has_length)
    }
}
