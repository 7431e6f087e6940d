//! The contract over HTTP, framework-free.
//!
//! [`Api`] answers requests of the `http` crate; a web framework only has to move bytes between its own types and
//! [`Api::begin`]. Which operations there are is said by [`Operation`] and nowhere else.

mod admission;
mod answer;
mod auth;
mod check;
mod encode;
mod etag;
mod faults;
mod form;
mod idempotency;
mod input;
mod issued_key;
mod json;
mod key_manager;
mod limits;
mod lists;
mod media;
mod members;
mod negotiate;
mod openapi;
mod operation;
mod path;
mod problem;
mod query;
mod reads;
mod request_id;
mod route;
mod run;
mod settings;
mod status;
mod stored_keys;
mod throttle;
mod value;
mod versions;
mod view;
mod wait;
mod xml;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{Method, Request, Response, request::Parts};

pub use auth::{Authenticator, KeyRing, Principal};
pub use issued_key::IssuedKey;
pub use key_manager::{KeyError, KeyManager, NewKey};
pub use limits::Limits;
pub use operation::{Input, Operation, Segment};
pub use settings::{Api, BadBasePath};
pub use stored_keys::StoredKeys;
pub use throttle::{Peer, Throttle};

pub use crate::model::{Scope, Scopes, UnknownScope};

use admission::{Admitted, within};
use answer::Answer;
use check::{Length, Screened};
use media::Format;
use problem::Problem;
use request_id::RequestId;

/// What is known once the head of a request has been read.
#[derive(Debug)]
pub enum Begun {
    /// The answer stands already; the body need not be read.
    Answer(Response<Bytes>),
    /// Read the body, at most [`Pending::body_limit`] bytes of it, and finish.
    Body(Pending),
}

/// What became of reading the body.
#[derive(Debug)]
pub enum Received {
    /// All of it, empty when there is none.
    Whole(Bytes),
    /// It is longer than the limit.
    TooLarge,
    /// It did not arrive in time.
    TimedOut,
    /// The connection broke, or the framing was wrong.
    Broken,
}

/// A request whose head was accepted and whose body is still to come.
#[derive(Debug)]
pub struct Pending {
    exchange: Exchange,
    operation: Operation,
    parameter: Box<str>,
    principal: Principal,
    screened: Option<Screened>,
}

/// What every answer to a request needs to know of it.
#[derive(Debug)]
struct Exchange {
    admitted: Admitted,
    head: Parts,
    request_id: RequestId,
    since: Instant,
}

impl Api {
    /// Answers a request. For hosts that have the whole of it; the others [`begin`](Self::begin).
    ///
    /// Infallible: whatever goes wrong is an answer, a panic too.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<Bytes> {
        let (head, body) = request.into_parts();
        match self.begin(head) {
            Begun::Answer(answer) => answer,
            Begun::Body(pending) if body.len() > pending.body_limit() => pending.finish(Received::TooLarge).await,
            Begun::Body(pending) => pending.finish(Received::Whole(body)).await,
        }
    }

    /// Looks at the head alone and refuses what can be refused without the body.
    ///
    /// The URI must hold the path and query as they came in, and the headers be all that came. With [`Peer`] among its
    /// extensions the address can be [slowed down](Throttle). Infallible.
    pub fn begin(&self, head: Parts) -> Begun {
        let (exchange, verdict) = Exchange::new(self.clone(), head);
        match catch_unwind(AssertUnwindSafe(|| verdict.and_then(|()| exchange.begin()))) {
            Ok(Ok(Accepted::Operation { operation, parameter, principal, screened })) => {
                Begun::Body(Pending { exchange, operation, parameter, principal, screened })
            }
            Ok(Ok(Accepted::Options { allow })) => Begun::Answer(exchange.answer(Ok(check::options(&allow)), "-", "-")),
            Ok(Err(problem)) => Begun::Answer(exchange.answer(Err(problem), "-", "-")),
            Err(_) => Begun::Answer(exchange.answer(Err(Problem::Internal), "-", "-")),
        }
    }
}

impl Pending {
    /// How many bytes of the body are worth reading; a longer one is [`Received::TooLarge`].
    pub fn body_limit(&self) -> usize {
        self.exchange.api().limits().body
    }

    /// Runs the operation. Infallible; the future is `Send` and holds no lock across an await.
    pub async fn finish(self, received: Received) -> Response<Bytes> {
        // Pinned here, since a future that is handed on by value is kept twice.
        let run = pin!(self.run(received));
        let outcome = within(self.deadline(), pin!(catch(run))).await;
        let outcome = outcome.map_or_else(
            || Err(Problem::Late { is_read: self.operation.method() == Method::GET }),
            |run| run.unwrap_or(Err(Problem::Internal)),
        );
        let exchange = &self.exchange;
        exchange.answer(outcome, self.operation.id(), &self.principal.name)
    }

    fn deadline(&self) -> Duration {
        let deadline = self.exchange.api().limits().deadline;
        match self.operation {
            Operation::ListJournal => deadline.saturating_add(lists::MAX_WAIT),
            _ => deadline,
        }
    }

    async fn run(&self, received: Received) -> Result<Answer, Problem> {
        let (api, head) = (self.exchange.api(), &self.exchange.head);
        let length = match &received {
            Received::Whole(body) => Length::Known(body.len()),
            Received::TooLarge => Length::Known(usize::MAX),
            Received::TimedOut | Received::Broken => Length::Unknown,
        };
        let screened = match self.screened {
            Some(screened) => screened,
            None => check::screen(self.operation, head, length, api.limits().body)?,
        };
        let body = match received {
            Received::Whole(body) => body,
            Received::TooLarge => return Err(Problem::TooLarge),
            Received::TimedOut => return Err(Problem::TimedOut),
            Received::Broken => return Err(Problem::BrokenBody),
        };
        // Reads are in nobody's name, and a handle of one's own would cost each of them a share in all of its parts.
        let acting =
            (self.operation.method() != Method::GET).then(|| api.care().acting_as(Arc::clone(&self.principal.name)));
        let mut request = run::Request {
            operation: self.operation,
            head,
            parameter: &self.parameter,
            body: &body,
            body_format: screened.body,
            format: screened.answer,
            scopes: self.principal.scopes,
            api,
            care: acting.as_ref().unwrap_or(api.care()),
        };
        let once = idempotency::read(&request)?;
        let once = once.map(|once| request.care.once(once));
        if let Some(once) = &once {
            request.care = once;
        }
        let answer = run::run(&request).await?;
        if api.audits_reads() {
            reads::note(&request, &self.principal.name).await?;
        }
        Ok(answer)
    }
}

/// What the head of an acceptable request asks for.
enum Accepted {
    Operation { operation: Operation, parameter: Box<str>, principal: Principal, screened: Option<Screened> },
    Options { allow: String },
}

impl Exchange {
    /// A request under way, and whether there is room for it.
    fn new(api: Api, mut head: Parts) -> (Self, Result<(), Problem>) {
        let (admitted, room) = Admitted::to(api);
        check::drop_undecodable(&mut head.headers);
        let verdict = room.and_then(|()| admission::measure(&head, admitted.api().limits()));
        let request_id = RequestId::of(&head.headers);
        (Self { admitted, head, request_id, since: Instant::now() }, verdict)
    }

    fn api(&self) -> &Api {
        self.admitted.api()
    }

    /// The checks of decisions 1 to 7, in their one order.
    fn begin(&self) -> Result<Accepted, Problem> {
        let (api, head) = (self.api(), &self.head);
        let route = route::find(api, head.uri.path())?;
        if head.method == Method::OPTIONS && route.is_known() {
            return Ok(Accepted::Options { allow: route.allow() });
        }
        let principal = match route.needs_key() {
            true => check::key(api, head)?,
            false => Principal::nobody(),
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
        if check::has_body(head) && media::is_form(check::lines(&head.headers, http::header::CONTENT_TYPE)) {
            return Err(Problem::UnsupportedType);
        }
        let operation = operation.ok_or_else(|| Problem::MethodNotAllowed { allow: route.allow() })?;
        let screened = match (operation.input(), check::declared_length(head)) {
            // Whether there is a body at all is only known once it was read.
            (Input::Nothing | Input::Query(_), Length::Unknown) => None,
            (_, length) => Some(check::screen(operation, head, length, api.limits().body)?),
        };
        Ok(Accepted::Operation { operation, parameter: route.parameter().into(), principal, screened })
    }

    /// The answer, with a line in the log: what was refused where one looks first, what went well one level below.
    fn answer(&self, outcome: Result<Answer, Problem>, operation: &str, actor: &str) -> Response<Bytes> {
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
        answer.finish(self.request_id.header(), self.head.method == Method::HEAD)
    }
}

/// Awaits a future and turns a panic in it into `None`, so that it costs one answer and nothing else.
fn catch<T>(mut future: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = Option<T>> {
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => std::task::Poll::Ready(None),
    })
}
