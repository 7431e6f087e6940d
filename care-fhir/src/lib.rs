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
//! It is served at `fhir/` below the base path, behind the keys and scopes of the service. Each resource is a function of
//! its records alone, and nothing is invented: free text stays text, and what R4 has no place for is not shown.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod capability;
mod conditional;
mod form;
mod kind;
mod medication_id;
mod outcome;
mod parts;
mod read;
mod resources;
mod tree;

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    CareService,
    error::{Error, StoreErrorKind},
    model::Scopes,
    operation::JournalOperation,
    rest::{Facade, FacadeAnswer, FacadeRequest, Plan, Refusal},
};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use sha2::{Digest, Sha256};

use form::Form;
use kind::Row;
use outcome::Refused;
use read::Found;
use tree::{object, text};

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

    async fn read(
        &self,
        care: &CareService,
        request: &FacadeRequest<'_>,
        form: Form,
        row: &Row,
        id: &str,
    ) -> Result<FacadeAnswer, Error> {
        let (resource, version, reads) = match read::read(care, row.kind, id, self.namespace.as_deref()).await? {
            Found::Resource { resource, version, reads } => (resource, version, reads),
            Found::Gone => return Ok(Refused::Gone.answer(request).into()),
            Found::Nothing => return Ok(Refused::NotFound.answer(request).into()),
        };
        let at = care.store().instants(&[version]).await?.pop().ok_or(Error::Store(StoreErrorKind::Broken.into()))?;
        let version = format!("{}-{version}", care.epoch());
        let tag = format!("W/\"{version}\"");
        let is_known = conditional::names(request.headers, &tag);
        let mut response = match is_known.unwrap_or_else(|| conditional::is_unmodified(request.headers, at)) {
            true => not_modified(),
            false => {
                let meta = object([("versionId", Some(text(version))), ("lastUpdated", Some(text(at.to_string())))]);
                outcome::answer(StatusCode::OK, form, &resource.identified(id, Some(meta)))
            }
        };
        set(response.headers_mut(), header::ETAG, tag);
        set(response.headers_mut(), header::LAST_MODIFIED, conditional::last_modified(at));
        let reads = (!reads.is_empty()).then_some((JournalOperation::FhirRead, reads));
        Ok(FacadeAnswer { response, reads })
    }
}

#[async_trait]
impl Facade for Fhir {
    fn prefix(&self) -> &str {
        "fhir"
    }

    fn plan(&self, segments: &[String]) -> Option<Plan> {
        match segments {
            [word] if word == "metadata" => Some(Plan { operation: "fhirMetadata", needs: None }),
            [kind, id] if !id.is_empty() => {
                let needs = Scopes::from_iter([Row::named(kind)?.scope]);
                Some(Plan { operation: JournalOperation::FhirRead.name(), needs: Some(needs) })
            }
            _ => None,
        }
    }

    async fn answer(&self, care: &CareService, request: &FacadeRequest<'_>) -> Result<FacadeAnswer, Error> {
        let Ok(form) = Form::of(request) else {
            return Ok(Refused::NotAcceptable.answer(request).into());
        };
        let is_known = |(name, _): &(String, String)| matches!(name.as_str(), "_format" | "_pretty");
        if !is_lenient(request.headers) && !request.query.iter().all(is_known) {
            return Ok(Refused::Parameter.answer(request).into());
        }
        match request.segments.as_slice() {
            [kind, id] => match Row::named(kind) {
                Some(row) => self.read(care, request, form, row, id).await,
                None => Ok(Refused::NotFound.answer(request).into()),
            },
            _ => Ok(metadata(request, form).into()),
        }
    }

    fn refusal(&self, request: &FacadeRequest<'_>, refusal: &Refusal) -> Response<Bytes> {
        outcome::of_gate(request, refusal)
    }
}

/// Returns the `CapabilityStatement`, with a tag made from its text.
fn metadata(request: &FacadeRequest<'_>, form: Form) -> Response<Bytes> {
    let statement = capability::statement(request);
    let digest: String = Sha256::digest(statement.json()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("W/\"{digest}\"");
    let mut response = match conditional::names(request.headers, &tag) {
        Some(true) => not_modified(),
        _ => outcome::answer(StatusCode::OK, form, &statement),
    };
    set(response.headers_mut(), header::ETAG, tag);
    response
}

fn not_modified() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}

/// Returns whether the client wants parameters that are not supported to be ignored.
fn is_lenient(headers: &HeaderMap) -> bool {
    let lines = headers.get_all("prefer").iter().filter_map(|line| line.to_str().ok());
    let mut preferences = lines.flat_map(|line| line.split([',', ';'])).map(str::trim);
    preferences.any(|preference| preference.eq_ignore_ascii_case("handling=lenient"))
}

/// Sets a header. The values of this crate are visible ASCII.
fn set(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}
