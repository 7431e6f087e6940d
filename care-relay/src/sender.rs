//! Sending a message to a receiver, once.

use std::{
    error::Error,
    io, iter,
    sync::Arc,
    time::{Duration, Instant},
};

use care_core::model::Timestamp;
use http::{HeaderMap, HeaderValue, header};
use jiff::fmt::rfc2822;
use reqwest::{Proxy, Response, redirect};
use tokio::time::timeout;

use crate::{
    RelayError,
    lookup::{AddressRefused, CheckedLookup, Lookup},
    message::Message,
    schedule::{Answer, Failure},
    state::{Endpoint, Signing},
    target::Target,
    tls::{self, Certificates},
};

/// Longest wait for the head of an answer.
const ANSWER: Duration = Duration::from_secs(20);
/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest time for which the body of an answer is read.
const BODY: Duration = Duration::from_secs(2);
/// The bytes of an answer's body that are read.
const BODY_BYTES: usize = 16 * 1024;
/// The time for which an unused connection stays open: less than the five seconds after which common receivers close
/// it, so that a message does not meet a connection that is just being closed.
const IDLE: Duration = Duration::from_secs(4);

/// The way to one receiver.
pub(crate) struct Sender {
    http: reqwest::Client,
    target: Target,
    /// Whether a proxy makes the connections, and decides where they may go.
    is_proxied: bool,
}

/// An attempt that has ended.
pub(crate) struct Attempt {
    pub(crate) answer: Answer,
    pub(crate) took: Duration,
    rest: Option<Response>,
}

impl Sender {
    /// Makes the way to an endpoint.
    pub(crate) fn new(
        endpoint: &Endpoint,
        certificates: &Certificates,
        lookup: &Arc<dyn Lookup>,
    ) -> Result<Self, RelayError> {
        let target = Target::new(&endpoint.url, &endpoint.networks)?;
        let trusted = match &endpoint.ca {
            Some(pem) => tls::only(pem)?,
            None if target.is_encrypted() => certificates.of_the_system()?,
            None => tls::nothing()?,
        };
        let checked = CheckedLookup { lookup: Arc::clone(lookup), policy: target.policy().clone() };
        let builder = reqwest::Client::builder()
            .tls_backend_preconfigured(trusted)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .http1_only()
            .connect_timeout(CONNECT)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(1)
            .user_agent(concat!("care-relay/", env!("CARGO_PKG_VERSION")));
        let builder = match &endpoint.proxy {
            // The proxy's own name is the operator's word.
            Some(proxy) => builder.proxy(Proxy::all(proxy).map_err(|_| RelayError::Proxy)?),
            None => builder.dns_resolver(Arc::new(checked)),
        };
        let http = builder.build().map_err(|error| RelayError::Http(error.without_url()))?;
        Ok(Self { http, target, is_proxied: endpoint.proxy.is_some() })
    }

    /// Sends a message at this instant, signed with each of the secrets, the first one first.
    pub(crate) async fn send(&self, message: &Message, secrets: &[Signing], now: Timestamp) -> Attempt {
        let started = Instant::now();
        let missing = |failure| Attempt { answer: Answer::Missing(failure), took: started.elapsed(), rest: None };
        if !self.is_proxied && self.target.check_literal().is_err() {
            return missing(Failure::Address);
        }
        let seconds = now.unix_millis().div_euclid(1000);
        let valid = secrets.iter().filter(|signing| signing.is_valid(now));
        let signatures = valid.map(|signing| signing.secret.sign(&message.id, seconds, &message.body));
        let signatures: Vec<_> = signatures.collect();
        let request = self
            .http
            .post(self.target.url().clone())
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", signatures.join(" "))
            .body(message.body.clone());
        match timeout(ANSWER, request.send()).await {
            Err(_) => missing(Failure::Timeout),
            Ok(Err(error)) => missing(failure(&error)),
            Ok(Ok(response)) => {
                let status = response.status().as_u16();
                let answer = Answer::Status { status, retry_after: retry_after(response.headers(), now) };
                Attempt { answer, took: started.elapsed(), rest: Some(response) }
            }
        }
    }
}

impl Attempt {
    /// Reads the rest of a short answer, so that its connection can be used again. That of a long one is closed.
    pub(crate) async fn finish(self) {
        let Some(mut rest) = self.rest else { return };
        let drained = async {
            let mut left = BODY_BYTES;
            while let Ok(Some(piece)) = rest.chunk().await {
                left = match left.checked_sub(piece.len()) {
                    Some(left) => left,
                    None => return,
                };
            }
        };
        // A receiver that does not finish its answer has given it all the same.
        let _ = timeout(BODY, drained).await;
    }
}

/// Returns the reason why there is no answer. The error itself may hold the URL.
fn failure(error: &reqwest::Error) -> Failure {
    let causes = || iter::successors(error.source(), |&cause| cause.source());
    if causes().any(|cause| cause.is::<AddressRefused>()) {
        Failure::Address
    } else if causes().any(is_of_tls) {
        Failure::Tls
    } else if error.is_connect() {
        Failure::Connection
    } else if error.is_timeout() {
        Failure::Timeout
    } else {
        Failure::Broken
    }
}

fn is_of_tls(cause: &(dyn Error + 'static)) -> bool {
    // An error of the system holds others, and names none of them as its source.
    let held = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    cause.is::<rustls::Error>() || held.is_some_and(|held| is_of_tls(held))
}

/// Returns the pause for which an answer asks: a number of seconds, or until an instant.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number has are as long as any pause.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = http_date(text)?;
    Some(Duration::from_millis(u64::try_from(until - now.unix_millis()).unwrap_or_default()))
}

/// Returns the milliseconds since 1970 of a date as HTTP writes it.
pub(crate) fn http_date(text: &str) -> Option<i64> {
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok().map(jiff::Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_asked_for_in_seconds_or_as_a_date() {
        let now = "1994-11-06T08:49:07.000Z".parse().unwrap();
        for (text, pause) in [
            ("30", Some(30)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            let headers = [(header::RETRY_AFTER, HeaderValue::from_static(text))].into_iter().collect();
            assert_eq!(retry_after(&headers, now), pause.map(Duration::from_secs), "{text}");
        }
    }
}
