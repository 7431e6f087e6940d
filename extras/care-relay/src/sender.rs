//! Sending a message to a receiver, once.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use care_core::model::Timestamp;
use http::{HeaderMap, HeaderValue, Request, Response, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use tokio::time::timeout;

use crate::{
    RelayError,
    connection::{Connection, Dialer, Unanswered},
    lookup::{CheckedLookup, Lookup},
    message::Message,
    schedule::{Answer, Failure},
    state::{Endpoint, Signing},
    target::{Address, Target},
    tls::{self, Certificates},
};

/// Longest wait for the head of an answer.
const ANSWER: Duration = Duration::from_secs(20);
/// Longest time for which the body of an answer is read.
const BODY: Duration = Duration::from_secs(2);
const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("care-relay/", env!("CARGO_PKG_VERSION")));

/// The way to one receiver.
pub(crate) struct Sender {
    target: Target,
    dialer: Dialer,
    /// The connection that was used last, if it can be used again.
    kept: Option<Connection>,
    /// The connection with an answer whose body has not been read.
    answered: Option<(Connection, Incoming)>,
}

/// An attempt that has ended.
pub(crate) struct Attempt {
    pub(crate) answer: Answer,
    pub(crate) took: Duration,
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
            None if target.address().is_encrypted() => certificates.of_the_system()?,
            None => tls::nothing()?,
        };
        let proxy = endpoint.proxy.as_deref().map(|text| Address::proxy(text).ok_or(RelayError::Proxy)).transpose()?;
        // A proxy's own name is the operator's word, and where its connections go is the proxy's business.
        let policy = proxy.is_none().then(|| target.policy().clone());
        let lookup = CheckedLookup { lookup: Arc::clone(lookup), policy };
        Ok(Self { target, dialer: Dialer::new(lookup, trusted, proxy), kept: None, answered: None })
    }

    /// Sends a message at this instant, signed with each of the secrets, the first one first.
    pub(crate) async fn send(&mut self, message: &Message, secrets: &[Signing], now: Timestamp) -> Attempt {
        let started = Instant::now();
        let answered = timeout(ANSWER, self.exchange(message, secrets, now)).await.unwrap_or(Err(Failure::Timeout));
        let answer = answered.unwrap_or_else(Answer::Missing);
        Attempt { answer, took: started.elapsed() }
    }

    async fn exchange(&mut self, message: &Message, secrets: &[Signing], now: Timestamp) -> Result<Answer, Failure> {
        if self.dialer.proxy().is_none() && self.target.check_literal().is_err() {
            return Err(Failure::Address);
        }
        let response = self.ask(self.request(message, secrets, now)?).await?;
        Ok(Answer::Status { status: response.status().as_u16(), retry_after: retry_after(response.headers(), now) })
    }

    /// Sends a request over the connection that is kept, or over a new one.
    async fn ask(&mut self, mut request: Request<Full<Bytes>>) -> Result<Response<()>, Failure> {
        let mut kept = self.kept.take().filter(Connection::is_fresh);
        loop {
            let is_new = kept.is_none();
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => self.dialer.dial(self.target.address()).await?,
            };
            match connection.ask(request).await {
                Ok(response) => {
                    let (head, body) = response.into_parts();
                    self.answered = Some((connection, body));
                    return Ok(Response::from_parts(head, ()));
                }
                // The receiver has closed the connection that was kept.
                Err(Unanswered { unsent: Some(unsent), .. }) if !is_new => request = unsent,
                Err(Unanswered { failure, .. }) => return Err(failure),
            }
        }
    }

    fn request(&self, message: &Message, secrets: &[Signing], now: Timestamp) -> Result<Request<Full<Bytes>>, Failure> {
        let seconds = now.unix_millis().div_euclid(1000);
        let valid = secrets.iter().filter(|signing| signing.is_valid(now));
        let signatures: Vec<_> = valid.map(|one| one.secret.sign(&message.id, seconds, &message.body)).collect();
        if signatures.is_empty() {
            return Err(Failure::Unsigned);
        }
        let Address { uri, authorization } = self.target.address();
        let proxy = self.dialer.proxy().filter(|_| !self.target.address().is_encrypted());
        // A proxy is told the whole URL where it cannot just connect.
        let target = match (proxy, uri.path_and_query()) {
            (None, Some(path)) => path.clone().into(),
            _ => uri.clone(),
        };
        let mut request = Request::post::<Uri>(target)
            .header(header::HOST, uri.authority().map_or("", |authority| authority.as_str()))
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", signatures.join(" "));
        if let Some(authorization) = authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        if let Some(authorization) = proxy.and_then(|proxy| proxy.authorization.as_ref()) {
            request = request.header(header::PROXY_AUTHORIZATION, authorization);
        }
        // All of its parts were checked before.
        request.body(message.body.clone().into()).map_err(|_| Failure::Broken)
    }

    /// Reads the rest of a short answer, so that its connection can be used again. That of a long one is closed, or of
    /// one that does not come to its end: the receiver has answered all the same.
    pub(crate) async fn finish(&mut self) {
        let Some((mut connection, mut body)) = self.answered.take() else { return };
        let drained = async {
            while let Some(frame) = body.frame().await {
                frame?;
            }
            Ok::<_, hyper::Error>(())
        };
        if let Ok(Ok(())) = timeout(BODY, drained).await {
            connection.rest();
            self.kept = Some(connection);
        }
    }
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

/// Returns the milliseconds since 1970 of a date in one of the three forms of HTTP, as the service reads them.
pub(crate) fn http_date(text: &str) -> Option<i64> {
    httpdate::parse_http_date(text).ok().map(|date| Timestamp::from(date).unix_millis())
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
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(30)),
            ("Sun Nov  6 08:49:37 1994", Some(30)),
            ("Sun, 06 Nov 1994 08:49:37 +0100", None),
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
