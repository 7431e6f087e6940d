//! The client, and how it sends requests.

use std::{fmt, num::NonZero, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use reqwest::redirect;

use crate::{
    ClientError, Refusal,
    retry::{self, Repetition},
    tls,
};

/// Connect timeout.
const CONNECT: Duration = Duration::from_secs(5);
/// Answer timeout: longer than a long poll, which waits for up to 30 seconds.
const ANSWER: Duration = Duration::from_secs(60);

/// A client of the service at one address, with one key. Cloning is cheap: clones share their connections.
#[derive(Clone)]
pub struct CareClient {
    settings: Arc<Settings>,
}

#[derive(Clone)]
struct Settings {
    http: reqwest::Client,
    base: String,
    key: HeaderValue,
    tries: NonZero<u32>,
}

/// A request that can be sent any number of times.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    /// Path and query below the base.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

/// An answer that was received in full.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl CareClient {
    /// Makes a client for the service at this address, which includes the base path (`https://care.example.org/1.0.0`),
    /// with this key. Over `https://` it trusts what the system trusts; `http://` needs no certificates.
    ///
    /// # Errors
    /// [`ClientError::Address`] and [`ClientError::Unsendable`] if the address or the key is malformed,
    /// [`ClientError::Setup`] if the system has no certificates to trust, or TLS is asked for without the feature
    /// `tls`.
    pub fn new(base: &str, key: &str) -> Result<Self, ClientError> {
        let (base, key) = (address(base)?, secret(key)?);
        let http = reqwest::Client::builder()
            // The key belongs to this service alone.
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT)
            .timeout(ANSWER);
        let http = tls::settled(http, base.starts_with("https://")).map_err(ClientError::Setup)?;
        Ok(Self::of(http.build().map_err(|error| ClientError::Setup(error.into()))?, base, key))
    }

    /// Makes a client like [`new`](Self::new) that sends through the caller's own `reqwest` client, with its
    /// certificates, proxies and timeouts. That client should not follow redirects, which would carry the key to other
    /// hosts.
    ///
    /// # Errors
    /// [`ClientError::Address`] and [`ClientError::Unsendable`] if the address or the key is malformed.
    pub fn over(http: reqwest::Client, base: &str, key: &str) -> Result<Self, ClientError> {
        Ok(Self::of(http, address(base)?, secret(key)?))
    }

    fn of(http: reqwest::Client, base: String, key: HeaderValue) -> Self {
        let tries = const { NonZero::new(5).expect("it is not 0") };
        Self { settings: Arc::new(Settings { http, base, key, tries }) }
    }

    /// Sets how many times each call is tried, the first try included: 5 unless set.
    #[must_use]
    pub fn with_tries(self, tries: NonZero<u32>) -> Self {
        self.with(|settings| settings.tries = tries)
    }

    fn with(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        set(Arc::make_mut(&mut self.settings));
        self
    }

    /// Sends a request, and retries it until it is answered or must not be sent again.
    pub(crate) async fn exchange(&self, request: &Outgoing) -> Result<Incoming, ClientError> {
        let repeated = Repetition::of(&request.method);
        let mut tries = 1;
        loop {
            let failure = match self.send(request).await {
                Ok(answer) => {
                    // A poll that a newer one has ended: its next one would only end another.
                    if let Some(pause) = retry::asked(&answer.headers) {
                        tokio::time::sleep(pause).await;
                    }
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            if tries >= self.settings.tries.get() || !repeated.allows(&failure) {
                return Err(failure);
            }
            tokio::time::sleep(retry::pause(tries, &failure)).await;
            tries += 1;
        }
    }

    /// Sends a request once.
    async fn send(&self, request: &Outgoing) -> Result<Incoming, ClientError> {
        let Settings { http, base, key, .. } = &*self.settings;
        let mut sent = http
            .request(request.method.clone(), [base.as_str(), &request.target].concat())
            .headers(request.headers.clone())
            .header("api_key", key.clone())
            .header(header::ACCEPT, "application/json");
        if let Some(body) = &request.body {
            sent = sent.header(header::CONTENT_TYPE, "application/json").body(body.clone());
        }
        let answer = sent.send().await.map_err(ClientError::of_transport)?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let body = answer.bytes().await.map_err(ClientError::of_transport)?.to_vec();
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            return Ok(Incoming { status, headers, body });
        }
        Err(ClientError::Refused(Box::new(Refusal::new(status, &headers, &body))))
    }
}

/// Returns the base address without a slash at its end.
fn address(base: &str) -> Result<String, ClientError> {
    let is_sound = ["http://", "https://"].iter().any(|scheme| base.starts_with(scheme)) && !base.contains(['?', '#']);
    if is_sound { Ok(base.trim_end_matches('/').to_owned()) } else { Err(ClientError::Address) }
}

/// Returns the value of the header with the key.
fn secret(key: &str) -> Result<HeaderValue, ClientError> {
    let mut key = HeaderValue::from_str(key).map_err(|_| ClientError::Unsendable("the key"))?;
    key.set_sensitive(true);
    Ok(key)
}

impl fmt::Debug for CareClient {
    /// Shows everything but the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CareClient")
            .field("base", &self.settings.base)
            .field("tries", &self.settings.tries)
            .finish_non_exhaustive()
    }
}
