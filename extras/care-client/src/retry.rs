//! The rule for retries.

use std::time::Duration;

use http::{HeaderMap, Method, StatusCode, header};

use crate::ClientError;

/// Longest pause between two tries.
const LONGEST: Duration = Duration::from_secs(10);
/// Shortest pause, which doubles with each try.
const SHORTEST: Duration = Duration::from_millis(50);

/// The effect of sending a request again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// None: it reads, or carries an `Idempotency-Key`.
    Harmless,
    /// It may change something a second time.
    Harmful,
}

impl Repetition {
    pub(crate) fn of(method: &Method) -> Self {
        // Each POST of this client has an `Idempotency-Key`.
        if [Method::GET, Method::POST].contains(method) { Self::Harmless } else { Self::Harmful }
    }

    /// Returns whether a request may be sent again after this failure.
    pub(crate) fn allows(self, failure: &ClientError) -> bool {
        match failure {
            ClientError::Unreachable(_) => true,
            ClientError::Lost(_) => self == Self::Harmless,
            // The same request is too much work again.
            ClientError::Refused(refusal) if refusal.kind == "excessive" => false,
            ClientError::Refused(refusal) => match refusal.status {
                // If the service itself answers so, nothing was done; a proxy may have forwarded the request first.
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                    self == Self::Harmless || refusal.is_of_the_service()
                }
                StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => self == Self::Harmless,
                _ => false,
            },
            _ => false,
        }
    }
}

/// Returns the pause that an answer asks for, at most the longest.
pub(crate) fn asked(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST))
}

/// Returns the pause after the try with this number, which counts from 1: the pause that the service asks for, or one
/// that doubles with each try, with jitter so that clients that failed together do not retry together.
pub(crate) fn pause(tries: u32, failure: &ClientError) -> Duration {
    let wanted = failure.refusal().and_then(|refusal| refusal.retry_after);
    let grown = SHORTEST.saturating_mul(1 << tries.min(10));
    let chance = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
    wanted.unwrap_or(Duration::ZERO).max(grown.mul_f64(0.5 + chance / 2.0)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Refusal;

    fn refused(status: StatusCode, body: &str) -> ClientError {
        ClientError::Refused(Box::new(Refusal::new(status, &HeaderMap::new(), body.as_bytes())))
    }

    #[test]
    fn a_change_without_a_key_is_sent_again_only_when_nothing_was_done() {
        let ours = r#"{"type":"urn:care:problem:busy"}"#;
        let lost = || ClientError::Lost("cut".into());
        for (failure, harmless, harmful) in [
            (ClientError::Unreachable("refused".into()), true, true),
            (lost(), true, false),
            (refused(StatusCode::SERVICE_UNAVAILABLE, ours), true, true),
            (refused(StatusCode::SERVICE_UNAVAILABLE, "<html>"), true, false),
            (refused(StatusCode::SERVICE_UNAVAILABLE, r#"{"type":"urn:care:problem:excessive"}"#), false, false),
            (refused(StatusCode::TOO_MANY_REQUESTS, ours), true, true),
            (refused(StatusCode::BAD_GATEWAY, "<html>"), true, false),
            (refused(StatusCode::INTERNAL_SERVER_ERROR, ours), false, false),
            (refused(StatusCode::CONFLICT, ours), false, false),
            (ClientError::Unsendable("the key"), false, false),
        ] {
            assert_eq!(Repetition::Harmless.allows(&failure), harmless, "{failure:?}");
            assert_eq!(Repetition::Harmful.allows(&failure), harmful, "{failure:?}");
        }
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        let lost = ClientError::Lost("cut".into());
        assert!(pause(1, &lost) <= Duration::from_millis(100));
        assert!(pause(4, &lost) >= Duration::from_millis(400));
        assert_eq!(pause(30, &lost).min(LONGEST), pause(30, &lost));
        let mut headers = HeaderMap::new();
        headers.insert(http::header::RETRY_AFTER, http::HeaderValue::from_static("2"));
        let asked = ClientError::Refused(Box::new(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, &headers, b"")));
        assert_eq!(pause(1, &asked), Duration::from_secs(2));
    }
}
