//! The handle that a frontend mounts, and its settings.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, OnceLock},
};

use http::{HeaderName, HeaderValue};

use super::{
    bodies::Bodies,
    deadline::Deadlines,
    files::Files,
    tally::Tally,
    telemetry::Meter,
    throttle::{ClientAddress, Throttle},
};
use crate::{
    keys::{Authenticator, KeyRing},
    rest::{
        admission::Admission,
        contract::{Contract, facade::Facade, limits::Limits, operation::Operation, route::Operations},
        http::{media_type::is_token, origin::Origin},
    },
    service::CareService,
};

/// The REST contract, ready to be mounted. A cheap handle: clone it freely.
///
/// ```
/// use care_core::{keys::{KeyRing, Scopes}, rest::Api, service::CareService, store::MemoryStore};
/// use bytes::Bytes;
/// use http::{Request, StatusCode};
///
/// let care = CareService::new(MemoryStore::new());
/// let keys = KeyRing::new().with_key("secret", "front desk", Scopes::ALL);
/// let api = Api::new(care).with_keys(keys);
/// # futures_executor::block_on(async {
/// let request = Request::get("/1.0.0/patient/7").header("api_key", "secret").body(Bytes::new())?;
/// assert_eq!(api.handle(request).await.status(), StatusCode::NOT_FOUND);
/// # Ok::<(), http::Error>(())
/// # })?;
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone)]
pub struct Api {
    pub(super) settings: Arc<Settings>,
}

/// The settings of a handle, and the state that all handles share.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) care: CareService,
    pub(super) contract: Contract,
    pub(super) keys: Arc<dyn Authenticator>,
    pub(super) throttle: Option<Arc<Throttle>>,
    /// The address by which requests of one key count apart; `None` where they count together.
    pub(super) by_address: Option<ClientAddress>,
    pub(super) bodies: Arc<Bodies>,
    pub(super) files: Option<Arc<Files>>,
    pub(super) public_url: Option<Arc<str>>,
    /// The origin of the public address.
    pub(super) own_origin: Option<Origin>,
    pub(super) trusted_origins: Vec<Origin>,
    /// The host's own header on every answer.
    pub(super) header: Option<(HeaderName, HeaderValue)>,
    /// The address that the host listens at, once it says so.
    pub(super) listening: Arc<OnceLock<SocketAddr>>,
    /// The permits, shared by all handles with any settings.
    pub(super) admission: Arc<Admission>,
    pub(super) deadlines: Arc<Deadlines>,
    /// The timers of those who wait for memory.
    pub(super) timeouts: Arc<Deadlines>,
    pub(super) tally: Arc<Tally>,
    pub(super) meter: Arc<Meter>,
}

/// The error for a base path that is not empty, or `/` and segments of `A-Z a-z 0-9 . _ ~ -` without a slash at the
/// end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a base path must be empty, or / and segments of A-Z a-z 0-9 . _ ~ - without a slash at the end")]
pub struct BadBasePath;

/// The error for a public address that is not `http://` or `https://`, a host, and the base path without a slash at the
/// end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a public URL must be http:// or https://, a host and the base path, without a slash, a query or a user")]
pub struct BadPublicUrl;

/// The error for an authentication scheme that is no HTTP token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an authentication scheme must be an HTTP token, such as Bearer")]
pub struct BadScheme;

/// The error for an origin that is not `http://` or `https://`, a host, and a port if it is not the scheme's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an origin must be http:// or https:// and a host, with a port if need be and without a slash at the end")]
pub struct BadOrigin;

impl Api {
    /// Returns the contract over this service, at `/1.0.0`, with the limits of [`Limits::new`] and without keys, so
    /// that it refuses every client.
    pub fn new(care: CareService) -> Self {
        Self {
            settings: Arc::new(Settings {
                care,
                contract: Contract::new(DESCRIBE),
                keys: Arc::new(KeyRing::new()),
                throttle: None,
                by_address: None,
                bodies: Arc::default(),
                files: None,
                public_url: None,
                own_origin: None,
                trusted_origins: Vec::new(),
                header: None,
                listening: Arc::default(),
                admission: Arc::default(),
                deadlines: Arc::default(),
                timeouts: Arc::default(),
                tally: Arc::default(),
                meter: Arc::default(),
            }),
        }
    }

    /// Sets another base path, such as `/care/1.0.0`. Its last segment should be the interface version.
    ///
    /// # Errors
    /// [`BadBasePath`].
    pub fn with_base_path(self, base: &str) -> Result<Self, BadBasePath> {
        let plain = |segment: &str| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"._~-".contains(&b);
            !segment.is_empty() && !matches!(segment, "." | "..") && segment.bytes().all(plain)
        };
        let sound = base.is_empty() || base.strip_prefix('/').is_some_and(|base| base.split('/').all(plain));
        if !sound {
            return Err(BadBasePath);
        }
        Ok(self.with_contract(|contract| contract.base = base.into()))
    }

    /// Sets the keys, or the host's own check of principals.
    #[must_use]
    pub fn with_keys(self, keys: impl Authenticator + 'static) -> Self {
        self.with(|settings| settings.keys = Arc::new(keys))
    }

    /// Lets the host name the principal of each request, in the place of keys, by this HTTP authentication scheme, for
    /// example `Bearer`. The host puts a [`Principal`](crate::keys::Principal) into the extensions of each request's
    /// head, like a [`Peer`](super::throttle::Peer); a request without one is answered 401. The OpenAPI document
    /// describes the scheme.
    ///
    /// A browser may send what the host authenticates by, such as a cookie, with a request that another site makes it
    /// send. So a change is then refused with 403 (`cross-site`) if `Sec-Fetch-Site` is `cross-site` or `same-site`, or
    /// if `Origin` is neither ours nor [trusted](Self::with_trusted_origins). Our own origin is that of the
    /// [public address](Self::with_public_url); without it, a page is ours whose host and port are those in `Host`.
    ///
    /// # Errors
    /// [`BadScheme`] when the name is no HTTP token: a 401 presents it in `WWW-Authenticate`.
    pub fn with_host_principals(self, scheme: &str) -> Result<Self, BadScheme> {
        if !is_token(scheme.as_bytes()) {
            return Err(BadScheme);
        }
        Ok(self.with_contract(|contract| contract.host_scheme = Some(scheme.into())))
    }

    /// Lets pages of these other origins, such as `https://desk.example`, change something with the
    /// [principals of the host](Self::with_host_principals), whatever `Sec-Fetch-Site` says. The host answers what
    /// browsers ask beforehand (CORS).
    ///
    /// # Errors
    /// [`BadOrigin`].
    pub fn with_trusted_origins<O: AsRef<str>>(self, origins: impl IntoIterator<Item = O>) -> Result<Self, BadOrigin> {
        let origins = origins.into_iter().map(|origin| Origin::parse(origin.as_ref()).ok_or(BadOrigin));
        let origins = origins.collect::<Result<_, _>>()?;
        Ok(self.with(|settings| settings.trusted_origins = origins))
    }

    /// Adds a header of the host's own to every answer, whatever the frontend: a remark about the whole service, for
    /// example. It must be none that the contract gives a meaning.
    #[must_use]
    pub fn with_header(self, name: HeaderName, value: HeaderValue) -> Self {
        self.with(|settings| settings.header = Some((name, value)))
    }

    /// Counts what requests hold and wait for by their key and their address, rather than by their key alone: for a key
    /// that all visitors have, as in a public demo. `header` names the address as
    /// [`Throttle::client_address_header`] says; without it, the address of the connection counts.
    #[must_use]
    pub fn with_addresses_apart(self, header: impl Into<Option<HeaderName>>) -> Self {
        self.with(|settings| settings.by_address = Some(ClientAddress::new(header.into())))
    }

    /// Limits the number of requests with a wrong key from one address. There is no limit by default.
    #[must_use]
    pub fn with_throttle(self, throttle: Throttle) -> Self {
        self.with(|settings| settings.throttle = Some(Arc::new(throttle)))
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        self.with_contract(|contract| contract.limits = limits)
    }

    /// Writes a journal entry for every read of a single patient, history, prescription, invoice or consultation: the
    /// actor, the record and the instant. The entry is written before the answer is sent, for a 304, a `HEAD` and an
    /// earlier version too. So each such read costs a write, and is refused like a write when the store cannot write.
    ///
    /// Lists are not recorded, nor are reads that find no record.
    #[must_use]
    pub fn with_read_audit(self) -> Self {
        self.with_contract(|contract| contract.audits_reads = true)
    }

    /// Adds these static files below the base path, served without a key: a console for browsers, for example. They are
    /// no part of the contract, so [`contract_only`](Self::contract_only) leaves them out.
    ///
    /// Texts are compressed here, once, for clients that accept gzip. A page gets a link to each module that its module
    /// scripts import (`<link rel="modulepreload">`), so that a browser fetches them all at once.
    #[must_use]
    pub fn with_console(self, files: impl Into<Files>) -> Self {
        let files = Arc::new(files.into().prepared());
        self.with(|settings| settings.files = Some(files))
    }

    /// Adds a facade: another contract over the same service, below the base path. It is no part of this contract, so
    /// [`contract_only`](Self::contract_only) leaves it out, and the OpenAPI document only names it.
    #[must_use]
    pub fn with_facade(self, facade: impl Facade + 'static) -> Self {
        self.with_contract(|contract| contract.facade = Some(Arc::new(facade)))
    }

    /// Sets the address under which clients reach the base path, such as `https://clinic.example/care/1.0.0`, for
    /// absolute links. Without it, a link names the host that the request names, or else the
    /// [address that the host listens at](Self::listens_at).
    ///
    /// # Errors
    /// [`BadPublicUrl`].
    pub fn with_public_url(self, url: &str) -> Result<Self, BadPublicUrl> {
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).ok_or(BadPublicUrl)?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-:[]/".contains(&byte);
        if rest.is_empty() || rest.starts_with(['/', ':']) || rest.ends_with('/') || !rest.bytes().all(plain) {
            return Err(BadPublicUrl);
        }
        Ok(self.with(|settings| {
            settings.public_url = Some(url.into());
            settings.own_origin = Origin::of_url(url);
        }))
    }

    /// Notes the address that the host listens at, for absolute links in answers to requests that name no host. The
    /// first one counts, for all handles.
    pub fn listens_at(&self, address: SocketAddr) {
        self.settings.listening.get_or_init(|| address);
    }

    /// Leaves exactly the nine operations of the interface document, with the members that it shows. All other paths
    /// and methods are answered 404 or 405.
    #[must_use]
    pub fn contract_only(self) -> Self {
        let documented = Operation::all().filter(|operation| !operation.is_extension());
        self.with_contract(|contract| contract.operations = Operations::of(documented))
    }

    /// Returns whether the host has to name a principal for each request.
    pub fn wants_principal(&self) -> bool {
        self.settings.contract.host_scheme().is_some()
    }

    /// Returns the base path, empty for the root.
    pub fn base_path(&self) -> &str {
        self.settings.contract.base()
    }

    /// Returns the static files, or `None` in contract-only mode.
    pub(crate) fn files(&self) -> Option<&Files> {
        self.settings.files.as_deref().filter(|_| self.settings.contract.has_extensions())
    }

    /// Returns the facade, or `None` in contract-only mode.
    pub(crate) fn facade(&self) -> Option<&Arc<dyn Facade>> {
        self.settings.contract.facade()
    }

    /// Returns the OpenAPI document of this interface, in JSON. It is served without a key at `openapi.json` below the
    /// base path, unless the API is [`contract_only`](Self::contract_only).
    ///
    /// ```
    /// use care_core::{rest::Api, service::CareService, store::MemoryStore};
    ///
    /// let document = Api::new(CareService::new(MemoryStore::new())).openapi();
    /// let document: serde_json::Value = serde_json::from_str(&document)?;
    /// assert_eq!(document["paths"]["/invoice/{invoiceId}"]["get"]["operationId"], "getInvoice");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[cfg(feature = "openapi")]
    pub fn openapi(&self) -> String {
        crate::rest::openapi::document(&self.settings.contract)
    }

    fn with(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        set(Arc::make_mut(&mut self.settings));
        self
    }

    fn with_contract(self, change: impl FnOnce(&mut Contract)) -> Self {
        self.with(|settings| settings.contract.change(change))
    }
}

/// Describes a contract in OpenAPI, in a build with that.
const DESCRIBE: Option<fn(&Contract) -> String> = {
    #[cfg(feature = "openapi")]
    let describe = Some(crate::rest::openapi::document as fn(&Contract) -> String);
    #[cfg(not(feature = "openapi"))]
    let describe = None;
    describe
};

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api")
            .field("base", &self.base_path())
            .field("limits", self.settings.contract.limits())
            .field("audits_reads", &self.settings.contract.audits_reads())
            .field("contract_only", &!self.settings.contract.has_extensions())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    #[test]
    fn only_plain_base_paths_are_taken() {
        let at = |base: &str| Api::new(CareService::new(MemoryStore::new())).with_base_path(base).map(|_| ());
        for sound in ["", "/1.0.0", "/care/1.0.0", "/a_b~c-d"] {
            assert_eq!(at(sound), Ok(()), "{sound}");
        }
        for bad in ["/", "1.0.0", "/1.0.0/", "//x", "/a b", "/%41", "/a/../b", "/<x>", "/:x", "/é"] {
            assert_eq!(at(bad), Err(BadBasePath), "{bad}");
        }
    }

    #[test]
    fn a_scheme_of_the_host_is_an_http_token() {
        let by = |scheme: &str| {
            let api = Api::new(CareService::new(MemoryStore::new()));
            api.with_host_principals(scheme).map(|api| api.wants_principal())
        };
        for sound in ["Bearer", "Cookie", "x-session", "a"] {
            assert_eq!(by(sound), Ok(true), "{sound}");
        }
        for bad in ["", " ", "two words", "Bearer ", "x\ny", "a,b", "a=b", "a/b", "\"a\"", "é"] {
            assert_eq!(by(bad), Err(BadScheme), "{bad:?}");
        }
    }

    #[test]
    fn a_trusted_origin_is_an_origin() {
        let by =
            |origin: &str| Api::new(CareService::new(MemoryStore::new())).with_trusted_origins([origin]).map(|_| ());
        assert_eq!(by("https://desk.example:8443"), Ok(()));
        for bad in ["", "*", "null", "desk.example", "https://desk.example/", "https://*.example"] {
            assert_eq!(by(bad), Err(BadOrigin), "{bad}");
        }
    }

    #[test]
    fn a_build_without_the_document_says_so() {
        let api = Api::new(CareService::new(MemoryStore::new()));
        let api = api.with(|settings| settings.contract = Contract::new(None));
        let request = http::Request::get("/1.0.0/openapi.json").body(bytes::Bytes::new()).unwrap();
        let answer = futures_executor::block_on(api.handle(request));
        assert_eq!(answer.status(), 404);
        let body = String::from_utf8_lossy(answer.body());
        assert!(body.contains("was built without the feature openapi"), "{body}");
    }
}
