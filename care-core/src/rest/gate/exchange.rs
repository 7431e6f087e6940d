//! One request and its answer.

use std::{cell::LazyCell, sync::Arc, time::Instant};

use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, Version, header, request::Parts};

use super::{
    admission,
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
        http::{media, negotiate, request_id::RequestId, trace::TraceParent},
        operations::run,
    },
};

/// The target of the lines about requests in the log, so that a filter can name them: a line each, and their sum where
/// there is no valid key.
pub(crate) const LOG: &str = "care_core::request";

/// What every answer to a request needs to know of it.
#[derive(Debug)]
pub(crate) struct Exchange {
    api: Api,
    head: Parts,
    request_id: RequestId,
    since: Instant,
    /// Whether the host has the whole request, and the answer says how long it is.
    is_whole: bool,
}

/// What the head of a request asks for.
pub(crate) enum Asked {
    Operation(Accepted),
    /// The head alone was enough.
    Answer(Answer),
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

/// What the head has told by the time it is answered.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) operation: Option<Operation>,
    /// The name of the valid key that was presented.
    pub(crate) actor: Option<Arc<str>>,
}

impl Exchange {
    pub(crate) fn new(api: Api, mut head: Parts, is_whole: bool) -> Self {
        check::drop_undecodable(&mut head.headers);
        let request_id = RequestId::of(&head.headers);
        Self { api, head, request_id, since: Instant::now(), is_whole }
    }

    pub(crate) const fn api(&self) -> &Api {
        &self.api
    }

    pub(crate) const fn head(&self) -> &Parts {
        &self.head
    }

    /// How many headers the answer usually has.
    pub(crate) fn room(&self) -> usize {
        if self.has_length() { answer::USUAL + 1 } else { answer::USUAL }
    }

    /// Whether the answer says how long it is. Hosts send the length of a body that is there; to a `HEAD` there is none.
    fn has_length(&self) -> bool {
        self.is_whole || self.head.method == Method::HEAD
    }

    /// The checks of decisions 1 to 7, in their one order.
    pub(crate) async fn begin(&self, known: &mut Known) -> Result<Asked, Problem> {
        let (api, head) = (&self.api, &self.head);
        admission::measure(head, api.contract().limits())?;
        let route = route::find(api.contract(), head.uri.path())?;
        if head.method == Method::OPTIONS && route.is_known() {
            return Ok(Asked::Answer(check::options(&route.allow())));
        }
        if !route.is_known()
            && let Some(answer) = files::answer(api, head)
        {
            return answer.map(Asked::Answer);
        }
        let principal = match route.needs_key() {
            true => check::key(api, head).await.inspect(|principal| known.actor = Some(Arc::clone(&principal.name)))?,
            false => Principal { name: "nobody".into(), id: "".into(), scopes: Scopes::NONE },
        };
        let operation = route.operation(&head.method);
        known.operation = operation;
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
        if !operation.needs_key() {
            // Nothing is read for a client without a key: what it sends is not known to be a body until then.
            check::screen(operation, head, length, api.contract().limits().body)?;
            return Ok(Asked::Answer(run::document(api.contract())));
        }
        let screened = match (operation.input(), length) {
            // Whether there is a body at all is only known once it was read.
            (Input::Nothing | Input::Query(_), Length::Unknown) => None,
            (_, length) => Some(check::screen(operation, head, length, api.contract().limits().body)?),
        };
        Ok(Asked::Operation(Accepted { operation, parameter: route.parameter().into(), principal, screened }))
    }

    /// The answer to what was refused, or done, without looking at the body.
    pub(crate) fn answer_head(&self, outcome: Result<Answer, Problem>, known: &Known) -> Response<Bytes> {
        let is_read = check::declared_length(&self.head) == Length::Known(0);
        self.answer(outcome, known.operation, known.actor.as_deref(), is_read)
    }

    /// The answer, with a line in the log: what was refused where one looks first, what went well one level below. An
    /// answer before all of the body was read is the last one over its connection, and says so.
    pub(crate) fn answer(
        &self,
        outcome: Result<Answer, Problem>,
        operation: Option<Operation>,
        actor: Option<&str>,
        is_read: bool,
    ) -> Response<Bytes> {
        let mut response = match outcome {
            Ok(answer) => self.finish(answer),
            Err(problem) => {
                self.api.meter().refused(&problem);
                self.refuse(problem)
            }
        };
        if !is_read && !self.is_whole && self.head.version <= Version::HTTP_11 {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        self.api.meter().answered(operation, response.status(), self.since);
        self.log(response.status(), operation.map_or("-", Operation::id), actor);
        response
    }

    fn log(&self, status: StatusCode, operation: &str, actor: Option<&str>) {
        let request_id = self.request_id.as_str();
        let micros = || u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        let trace = LazyCell::new(|| TraceParent::of(&self.head.headers));
        let (is_refused, has_key) = (status.is_client_error(), actor.is_some());
        match is_refused && !has_key {
            true => self.api.tally().count(status),
            false => self.api.tally().flush(),
        }
        let (actor, code) = (actor.unwrap_or("-"), status.as_u16());
        macro_rules! line {
            ($level:ident, $said:literal) => {
                tracing::event!(
                    target: LOG,
                    tracing::Level::$level,
                    request_id,
                    operation,
                    actor,
                    status = code,
                    micros = micros(),
                    trace_id = trace.as_ref().map(|trace| trace.trace_id),
                    parent_id = trace.as_ref().map(|trace| trace.parent_id),
                    $said
                )
            };
        }
        match status {
            _ if status.is_server_error() => line!(ERROR, "failed"),
            _ if is_refused && has_key => line!(INFO, "refused"),
            _ => line!(DEBUG, "answered"),
        }
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
        answer.finish(&self.request_id, self.head.method == Method::HEAD, self.has_length())
    }
}
