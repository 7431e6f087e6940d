//! Facades: other contracts over the same service, read-only, behind the same gate.

use std::{borrow::Cow, fmt};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};

use crate::{
    error::{Error, FieldError},
    meter::{self, Work},
    model::Scopes,
    operation::JournalOperation,
    rest::admission::resource::Resource,
    service::CareService,
    store::RecordKey,
};

/// A read-only contract of its own below a path of the service, such as FHIR's.
///
/// The gate checks its requests as it checks those of operations, in the same order: key, scope, path, method, types,
/// size, permits and deadline. It counts and logs them, and adds the headers of every answer. A facade says what a path
/// needs, answers, and words the refusals.
///
/// Below its prefix, clients may also present their key as `Authorization: Bearer`.
#[async_trait]
pub trait Facade: Send + Sync {
    /// Returns the segment below the base path under which it stands.
    fn prefix(&self) -> &str;

    /// Returns what it is, for the description of the server in the OpenAPI document, which lists none of its paths:
    /// `FHIR R4 (4.0.1)`, for example.
    fn name(&self) -> &str;

    /// Returns the plan for this path, given as its decoded segments below the prefix; `None` for a path that it does
    /// not have.
    fn plan(&self, segments: &[String]) -> Option<Plan>;

    /// Answers a `GET` or `HEAD` that has passed the gate. To a `HEAD` the gate sends the headers alone. An answer that
    /// takes long is made in pieces, between which [others pass](crate::rest::pass).
    ///
    /// # Errors
    /// The service's refusals and the store's failures, which become a [refusal](Self::refusal).
    async fn answer(&self, care: &CareService, request: &FacadeRequest<'_>) -> Result<FacadeAnswer, Error>;

    /// Returns the answer to a request that is refused. The gate sets headers such as `Allow` and `Retry-After`.
    fn refusal(&self, request: &FacadeRequest<'_>, refusal: &Refusal) -> Response<Bytes>;
}

/// The plan for a path of a facade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The name in figures and logs.
    pub operation: &'static str,
    /// The scopes that a key needs, all of them; `None` where no key is needed.
    pub needs: Option<Scopes>,
    /// The load of each of its requests. Where no key is needed, it is not used: such a request is answered at once, in
    /// no place and without a deadline.
    pub load: Load,
}

/// The load of a request: the permits that its work waits for, and the memory that its answer waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// The resource that its work needs, and how much of it.
    pub(crate) work: Option<(Resource, usize)>,
    /// The greatest length of its answer, as far as it is known before the store is asked.
    pub(crate) memory: usize,
}

/// A request to a facade.
#[derive(Debug)]
pub struct FacadeRequest<'a> {
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The segments of the path below the prefix, decoded.
    pub segments: &'a [String],
    /// The parameters of the query, decoded, in their order.
    pub query: &'a [(String, String)],
    /// The id of the request, which the answer's `X-Request-Id` repeats.
    pub request_id: &'a str,
    /// The scopes of the key; none where no key was needed.
    pub scopes: Scopes,
    /// The absolute address of the facade, as far as it is known.
    pub address: Option<&'a str>,
    /// The highest number of items in a page, which binds lists of the facade as well.
    pub page: usize,
}

/// The target of a request to a facade, decoded.
#[derive(Debug)]
pub(crate) struct Target {
    /// The segments below the prefix. One that cannot be decoded is empty.
    pub(crate) segments: Vec<String>,
    /// The parameters of the query; `None` when one of them cannot be decoded.
    pub(crate) query: Option<Vec<(String, String)>>,
    /// The absolute address of the facade, as far as it is known.
    pub(crate) address: Option<String>,
}

/// An answer of a facade.
#[derive(Debug)]
pub struct FacadeAnswer {
    /// The answer.
    pub response: Response<Bytes>,
    /// The records of a patient that it shows, and the name under which the journal records the read, where reads are
    /// audited.
    pub reads: Option<(JournalOperation, Vec<RecordKey>)>,
}

/// The reason why a request is refused.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The status of the answer.
    pub status: StatusCode,
    /// The sentence for the client. It holds no submitted value.
    pub detail: Cow<'static, str>,
    /// The parameters at fault.
    pub faults: Vec<FieldError>,
}

impl Load {
    /// The load of a read of few records with an answer of at most 64 KiB, which waits for nothing.
    pub const SHORT: Self = Self { work: None, memory: 0 };

    /// Returns the load of a list or another read of many records, whose answer has at most this many bytes: it waits
    /// for memory for an answer of this length.
    pub const fn list(longest: usize) -> Self {
        Self { work: None, memory: longest }
    }
}

/// Counts a piece of an answer that has this many bytes, and lets others go first where the request has done as much as
/// it may at once. A facade calls it after each piece of a long answer. Hold no lock and no connection across it: until
/// then the answer is not polled.
pub async fn pass(encoded: usize) {
    meter::count(Work::bytes(encoded));
    meter::pass().await;
}

impl From<Response<Bytes>> for FacadeAnswer {
    fn from(response: Response<Bytes>) -> Self {
        Self { response, reads: None }
    }
}

impl fmt::Debug for dyn Facade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facade").field("prefix", &self.prefix()).finish_non_exhaustive()
    }
}
