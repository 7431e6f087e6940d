//! The Patient Care Service for clients that speak FHIR R4 (4.0.1): a read-only facade over its records, in JSON and
//! XML.
//!
//! ```
//! use care_core::{rest::Api, service::CareService, store::MemoryStore};
//! use care_fhir::Fhir;
//!
//! let api = Api::new(CareService::new(MemoryStore::new())).with_facade(Fhir::new());
//! ```
//!
//! It is served at `fhir/` below the base path, behind the keys and scopes of the service. Each resource is a function
//! of its records alone, and nothing is invented: free text stays text, and what R4 has no place for is not shown.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod bundles;
mod capability;
mod conditional;
mod form;
mod interaction;
mod kind;
mod medication_id;
mod outcome;
mod parts;
mod read;
mod resources;
mod source;
mod writer;

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    CareService,
    error::{Error, StoreErrorKind},
    operation::JournalOperation,
    rest::{Facade, FacadeAnswer, FacadeRequest, Plan, Refusal, list_members},
};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use sha2::{Digest, Sha256};

use bundles::{everything::everything, history, search::search};
use form::{Form, NotAcceptable};
use interaction::Interaction;
use outcome::{Failure, Fault};
use read::read;
use source::{Instance, Source, version_id};

/// The facade, for [`Api::with_facade`](care_core::rest::Api::with_facade).
#[derive(Debug, Clone, Default)]
pub struct Fhir {
    namespace: Option<String>,
}

impl Fhir {
    /// Returns the facade of a facility without a namespace of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the URI below which the facility's numbers are unique, such as `https://clinic.example`. Patients and
    /// invoices then have an `identifier` in it.
    #[must_use]
    pub fn with_facility_uri(self, uri: impl Into<String>) -> Self {
        Self { namespace: Some(uri.into()) }
    }
}

#[async_trait]
impl Facade for Fhir {
    fn prefix(&self) -> &str {
        "fhir"
    }

    fn name(&self) -> &str {
        "FHIR R4 (4.0.1)"
    }

    fn plan(&self, segments: &[String]) -> Option<Plan> {
        Interaction::of(segments).map(|interaction| interaction.plan())
    }

    async fn answer(&self, care: &CareService, request: &FacadeRequest<'_>) -> Result<FacadeAnswer, Error> {
        let answer = match Form::of(request) {
            _ if request.query.iter().filter(|(name, _)| name == "_format").count() > 1 => {
                Err(Fault::Invalid("_format").into())
            }
            Ok(form) => answer(Source::new(care, self.namespace.as_deref(), form), request).await,
            Err(NotAcceptable) => Err(Fault::NotAcceptable.into()),
        };
        answer.or_else(|failure| match failure {
            Failure::Fault(fault) => Ok(fault.answer(request).into()),
            Failure::Care(error) => Err(error),
        })
    }

    fn refusal(&self, request: &FacadeRequest<'_>, refusal: &Refusal) -> Response<Bytes> {
        outcome::of_gate(request, refusal)
    }
}

/// Answers a request that has passed the gate.
async fn answer(source: Source<'_>, request: &FacadeRequest<'_>) -> Result<FacadeAnswer, Failure> {
    let is_lenient = is_lenient(request.headers);
    let (found, operation) = match Interaction::of(request.segments).ok_or(Fault::NotFound)? {
        Interaction::Search(row) => return Ok(search(source, request, row, is_lenient).await?.into()),
        Interaction::History(row, id) => return history::history(source, request, (row, id), is_lenient).await,
        Interaction::Everything(id) => return everything(source, request, id, is_lenient).await,
        _ if !is_lenient && let Some(fault) = unknown_parameters(request) => return Err(fault.into()),
        Interaction::Metadata => return Ok(metadata(request, source.form).into()),
        Interaction::Read(row, id) => (read(source, row.kind, id).await?.0.found()?, JournalOperation::FhirRead),
        Interaction::Version(row, id, version) => {
            (history::version(source, request, (row, id, version)).await?, JournalOperation::FhirVread)
        }
    };
    Ok(show(source, request, (found, operation)).await?)
}

/// Returns the fault of parameters that are not about the form.
fn unknown_parameters(request: &FacadeRequest<'_>) -> Option<Fault> {
    let names = request.query.iter().map(|(name, _)| name.as_str());
    let mut unknown = names.filter(|name| !matches!(*name, "_format" | "_pretty")).peekable();
    unknown.peek().is_some().then(|| Fault::parameters(unknown))
}

/// Returns a resource, or says that the client has this version of it.
async fn show(
    source: Source<'_>,
    request: &FacadeRequest<'_>,
    (found, operation): (Instance, JournalOperation),
) -> Result<FacadeAnswer, Error> {
    let instants = source.care.store().instants(&[found.version]).await?;
    let at = *instants.first().ok_or(Error::Store(StoreErrorKind::Broken.into()))?;
    let version = version_id(source.care.epoch(), found.version);
    let tag = ["W/\"", &version, "\""].concat();
    let reads = found.read.clone().map(|read| (operation, vec![read]));
    let modified = conditional::modified(at, source.care.epoch_since());
    let is_known = conditional::names(request.headers, &tag)
        .unwrap_or_else(|| conditional::is_unmodified(request.headers, modified, source.care.now()));
    let mut response = tagged(source.form, (tag, is_known), || found.document(source.form, &version, at));
    set(response.headers_mut(), header::LAST_MODIFIED, conditional::last_modified(modified));
    Ok(FacadeAnswer { response, reads })
}

/// Returns the `CapabilityStatement`, with a tag made from its text in this form.
fn metadata(request: &FacadeRequest<'_>, form: Form) -> Response<Bytes> {
    let statement = capability::statement(request, form);
    let digest: String = Sha256::digest(&statement).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("W/\"{digest}\"");
    let is_known = conditional::names(request.headers, &tag) == Some(true);
    tagged(form, (tag, is_known), || statement)
}

/// Returns a document with its tag, or without the document if the client knows it.
fn tagged(form: Form, (tag, is_known): (String, bool), document: impl FnOnce() -> String) -> Response<Bytes> {
    let mut response = match is_known {
        true => outcome::not_modified(),
        false => outcome::answer(StatusCode::OK, form, document()),
    };
    set(response.headers_mut(), header::ETAG, tag);
    response
}

/// Returns whether the client wants parameters that are not supported to be ignored.
fn is_lenient(headers: &HeaderMap) -> bool {
    let members = list_members(headers.get_all("prefer").iter().map(HeaderValue::as_bytes));
    let preferences = members.filter_map(|member| str::from_utf8(member).ok()).flat_map(|member| member.split(';'));
    let mut handling = preferences.filter_map(|preference| {
        let (name, value) = preference.split_once('=')?;
        name.trim().eq_ignore_ascii_case("handling").then(|| value.trim().trim_matches('"'))
    });
    // Of a preference that is sent twice, the first one counts (RFC 7240, section 2).
    handling.next().is_some_and(|handling| handling.eq_ignore_ascii_case("lenient"))
}

/// Sets a header. The values of this crate are visible ASCII.
fn set(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}
