//! One request and its answer.

use std::{
    cell::LazyCell,
    mem,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, Version, header, request::Parts};

use super::{
    bodies::BodyPermit,
    head::{self, Length, Negotiation},
    permits::{self, unread},
    settings::Api,
    tally::{LOG, Tally},
};
use crate::{
    keys::Principal,
    rest::{
        admission::Permit,
        contract::{
            answer::Answer,
            facade::{Facade, Plan, Target},
            operation::{Input, Operation},
            problem::Problem,
            route,
        },
        http::{
            lines, media, negotiate, path,
            trace::{RequestId, TraceParent},
        },
        operations::run,
    },
};

/// The time after its head in which the key of a request need not be looked at again. A server follows a revocation
/// within a second.
const KNOWN_FOR: Duration = Duration::from_millis(500);

/// The facts about a request that every answer needs.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(super) api: Api,
    pub(super) head: Parts,
    request_id: RequestId,
    since: Instant,
    /// Whether the host has the whole request, so that the answer has its length.
    is_whole: bool,
    /// The length of the body, as far as it is known from the head, or from the host.
    pub(super) length: Length,
    /// The operation, once the path, the key and the method are known.
    operation: Option<Operation>,
    /// The facade below whose prefix the path stands.
    pub(super) facade: Option<Arc<dyn Facade>>,
    /// The plan for the path, once it is known to be one of a facade.
    pub(super) plan: Option<Plan>,
    /// The target, once it is asked for as one of a facade.
    pub(super) target: OnceLock<Target>,
    /// The raw segment of the path's parameter; empty when the path has none.
    pub(super) parameter: Box<str>,
    /// The holder of the valid key, once it is known.
    pub(super) principal: Option<Principal>,
    /// The slot of a request under way, once the head is accepted.
    pub(super) permit: Option<Permit>,
    /// The forms of the body and of the answer, unless it takes the body to judge them.
    pub(super) negotiation: Option<Negotiation>,
}

impl Exchange {
    pub(crate) fn new(api: Api, mut head: Parts, whole: Option<usize>) -> Self {
        head::drop_undecodable(&mut head.headers);
        let (request_id, facade) = (RequestId::of(&head.headers), facade(&api, head.uri.path()));
        let length = match (head::declared_length(&head), whole) {
            (Length::Known(declared), Some(whole)) => Length::Known(declared.max(whole)),
            // A body in chunks is judged as by a host that does not have it yet.
            (declared, _) => declared,
        };
        Self {
            api,
            head,
            request_id,
            since: Instant::now(),
            is_whole: whole.is_some(),
            length,
            operation: None,
            facade,
            plan: None,
            target: OnceLock::new(),
            parameter: Box::default(),
            principal: None,
            permit: None,
            negotiation: None,
        }
    }

    /// Returns the operation to run, and for whom.
    pub(crate) fn accepted(&self) -> Result<(Operation, &Principal), Problem> {
        self.operation.zip(self.principal.as_ref()).ok_or(Problem::Internal)
    }

    pub(super) fn request_id(&self) -> &str {
        self.request_id.as_str()
    }

    /// Returns whether the operation is run only once its body is there.
    pub(super) fn takes_body(&self) -> bool {
        match self.operation.map(Operation::input) {
            Some(Input::Record(_)) => true,
            Some(Input::Optional(_)) => self.length != Length::Known(0),
            Some(Input::Nothing | Input::Query) | None => false,
        }
    }

    /// Returns the limit of the body in bytes.
    pub(super) fn body_limit(&self) -> usize {
        self.api.settings.contract.limits().body
    }

    /// Returns the permit to receive the body.
    pub(super) fn body_permit(&self) -> BodyPermit {
        self.api.body_permit(&self.head, self.principal.as_ref())
    }

    /// Runs the checks of decisions 1 to 7, in their one order.
    pub(crate) async fn check_head(&mut self) -> Result<Verdict, Problem> {
        let (api, head) = (&self.api, &self.head);
        let limits = api.settings.contract.limits();
        head::check_size(head, limits)?;
        if let Some(facade) = self.facade.clone() {
            return self.check_facade_head(&*facade).await;
        }
        let contract = &api.settings.contract;
        let route = route::find(api.base_path(), contract.operations(), contract.left_out(), head.uri.path())?;
        if head.method == Method::OPTIONS && route.is_known() {
            return Ok(Verdict::Answered(Answer::options(&route.allow())));
        }
        // Without a key nothing else is waited for, so the thread is held until the answer.
        let _thread = match route.needs_key() {
            true => None,
            false => api.enter_keyless(head).await?,
        };
        if !route.is_known()
            && let Some(answer) = api.files().and_then(|files| files.answer(api.base_path(), head))
        {
            return answer.map(Verdict::Answered);
        }
        if route.needs_key() {
            self.principal = Some(head::authenticate(api, head, false).await?);
        }
        self.operation = route.operation(&head.method);
        if let Some(principal) = &self.principal {
            self.admit(principal)?;
        }
        if !route.is_known() {
            return Err(route.unknown());
        }
        // This check comes before that of the method: Rocket takes a method out of a form's body, so only this answer
        // can be the same in every frontend.
        let length = self.length;
        if length != Length::Known(0) && media::is_form(lines(&head.headers, header::CONTENT_TYPE)) {
            return Err(Problem::UnsupportedType);
        }
        let operation = self.operation.ok_or_else(|| Problem::MethodNotAllowed { allow: route.allow() })?;
        if !operation.needs_key() {
            // Nothing is read for a client without a key: what it sends is not known to be a body until then.
            head::negotiate(operation, head, length, limits.body)?;
            return Ok(Verdict::Answered(run::document(&api.settings.contract)));
        }
        // Whether there is a body that the operation need not have is only known once it was read.
        if !matches!(operation.input(), Input::Optional(_)) || length != Length::Unknown {
            self.negotiation = Some(head::negotiate(operation, head, length, limits.body)?);
        }
        self.parameter = route.parameter().into();
        self.accept()
    }

    /// Takes the slot of a request under way, before any of its body is received.
    pub(super) fn accept(&mut self) -> Result<Verdict, Problem> {
        let principal = self.principal.as_ref().ok_or(Problem::Internal)?;
        self.permit = Some(self.api.acquire_slot(&self.head, principal)?);
        Ok(Verdict::Accepted)
    }

    /// Refuses a principal that is no longer valid, be it a key's or the host's.
    pub(super) fn refuse_ended(&self, principal: &Principal) -> Result<(), Problem> {
        match principal.has_ended_at(|| self.api.settings.care.now()) {
            true => Err(head::unknown(&self.api)),
            false => Ok(()),
        }
    }

    /// Refuses a principal that is no longer valid, a page of another site, and a principal without the scopes that the
    /// operation, or the plan of a facade, needs.
    pub(super) fn admit(&self, principal: &Principal) -> Result<(), Problem> {
        self.refuse_ended(principal)?;
        head::refuse_other_sites(&self.api, &self.head)?;
        let has = |scope| principal.scopes.contains(scope);
        let has_all = match self.plan {
            Some(plan) => plan.needs.is_none_or(|needs| needs.iter().all(has)),
            None => self.operation.and_then(Operation::scope).is_none_or(has),
        };
        if has_all { Ok(()) } else { Err(Problem::Forbidden) }
    }

    /// Refuses a key that has ended, was revoked, or lost a scope that is needed, while its request waited. Returns its
    /// holder as it is now; `None` where it need not be looked at again: within half a second, unless the request was a
    /// poll that waited.
    pub(super) async fn unless_revoked(&self, has_polled: bool) -> Result<Option<Principal>, Problem> {
        self.principal.as_ref().map_or(Ok(()), |principal| self.refuse_ended(principal))?;
        if !has_polled && self.since.elapsed() < KNOWN_FOR {
            return Ok(None);
        }
        let principal = head::authenticate(&self.api, &self.head, self.plan.is_some()).await?;
        self.admit(&principal)?;
        Ok(Some(principal))
    }

    /// Returns the answer to what was refused, or done, without looking at the body.
    pub(crate) fn respond_to_head(&self, outcome: Result<Answer, Problem>) -> Response<Bytes> {
        self.respond(outcome, None, self.length == Length::Known(0))
    }

    /// Returns the answer, which holds the memory reserved for it, and logs it: refusals at the level that is on by
    /// default, successes one below. An answer before all of the body was read is the last one over its
    /// connection, and says so; so is a long one that needed no key, since the server holds what a client asks for and
    /// does not read.
    pub(crate) fn respond(
        &self,
        outcome: Result<Answer, Problem>,
        memory: Option<Permit>,
        is_body_read: bool,
    ) -> Response<Bytes> {
        let mut response = match outcome {
            Ok(answer) => self.complete(answer),
            Err(problem) => self.refuse(problem),
        };
        if !self.count_as_unread(&mut response, memory) {
            response = self.refuse(Problem::Overloaded);
            self.count_as_unread(&mut response, None);
        }
        let is_last = !is_body_read || self.principal.is_none() && response.body().len() > permits::SHORT;
        if is_last && !self.is_whole && self.head.version <= Version::HTTP_11 {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        self.api.settings.meter.count_answer(self.operation, self.plan, response.status(), self.since);
        self.log(response.status());
        response
    }

    fn log(&self, status: StatusCode) {
        let operation = self.plan.map(|plan| plan.operation).or(self.operation.map(Operation::id)).unwrap_or("-");
        let principal = self.principal.as_ref();
        let request_id = self.request_id.as_str();
        let micros = || u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        let trace = LazyCell::new(|| TraceParent::of(&self.head.headers));
        let tally = &self.api.settings.tally;
        let is_summed = Tally::is_refusal(status) && !tally.count(principal, status);
        if !is_summed {
            tally.flush();
        }
        let (actor, code) = (principal.map_or("-", |principal| &*principal.name), status.as_u16());
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
            _ if is_summed => line!(DEBUG, "answered"),
            _ if status.is_server_error() => line!(ERROR, "failed"),
            _ if status.is_client_error() => line!(INFO, "refused"),
            _ => line!(DEBUG, "answered"),
        }
    }

    /// Counts the body as unread until it is dropped, and returns whether there is memory for it.
    fn count_as_unread(&self, response: &mut Response<Bytes>, memory: Option<Permit>) -> bool {
        let body = mem::take(response.body_mut());
        let (length, principal) = (body.len(), self.principal.as_ref());
        let memory = match memory {
            _ if length == 0 => return true,
            _ if length <= permits::SHORT => None,
            Some(memory) => {
                memory.shrink(length);
                // The longest answer is given to a key that has no other.
                memory.force_grow(length - memory.held());
                Some(memory)
            }
            None => match self.api.try_reserve_memory(&self.head, principal, length) {
                None => return false,
                memory => memory,
            },
        };
        *response.body_mut() = unread(body, memory, &self.api.settings.admission);
        true
    }

    fn refuse(&self, problem: Problem) -> Response<Bytes> {
        self.api.settings.meter.count_refusal(&problem);
        if let Problem::Domain(error) = &problem
            && problem.kind().0.is_server_error()
        {
            let request_id = self.request_id.as_str();
            let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
            let cause = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
            tracing::error!(request_id, %error, cause, "the store failed");
        }
        if let Some(facade) = &self.facade {
            let answer = Answer::from(facade.refusal(&self.facade_request(&**facade), &problem.refusal()));
            let headers = problem.headers().into_iter();
            return self.complete(headers.fold(answer, |answer, (name, value)| answer.with_header(name, value)));
        }
        let format = negotiate::negotiate_error(lines(&self.head.headers, http::header::ACCEPT));
        self.complete(problem.answer(format, self.request_id.as_str()))
    }

    /// Returns the answer with the headers of every answer.
    fn complete(&self, mut answer: Answer) -> Response<Bytes> {
        if let Some((name, value)) = &self.api.settings.header {
            answer = answer.with_header(name.clone(), value.clone());
        }
        let is_head = self.head.method == Method::HEAD;
        // Hosts send the length of a body that is there; to a `HEAD` there is none.
        answer.finish(&self.request_id, is_head, self.is_whole || is_head)
    }
}

/// The outcome of the checks of the head alone.
pub(super) enum Verdict {
    /// The answer is complete.
    Answered(Answer),
    /// The operation is to be run.
    Accepted,
}

/// Returns the facade below whose prefix a path stands.
fn facade(api: &Api, path: &str) -> Option<Arc<dyn Facade>> {
    let facade = api.facade()?;
    let below = path.strip_prefix(api.base_path())?.strip_prefix('/')?;
    path::decode(below.split('/').next()?).is_ok_and(|first| first == facade.prefix()).then(|| Arc::clone(facade))
}
