//! What tells one request from all others, in its answer and in the log.

use std::sync::{
    LazyLock,
    atomic::{AtomicU64, Ordering},
};

use http::{HeaderMap, HeaderValue};

/// The id of one request: the client's own when it is plain, otherwise one that nobody else was given.
#[derive(Debug, Clone)]
pub(super) struct RequestId(Box<str>);

/// A random start keeps the ids of two processes apart, a counter those within one.
static START: LazyLock<u64> = LazyLock::new(|| getrandom::u64().unwrap_or_default());
static COUNT: AtomicU64 = AtomicU64::new(0);

impl RequestId {
    /// The longest id that is taken over.
    pub(super) const MAX: usize = 64;

    /// Takes over the `X-Request-Id` if it is one line of 1 to 64 of `[A-Za-z0-9._-]`.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut lines = headers.get_all("x-request-id").iter();
        if let (Some(line), None) = (lines.next(), lines.next())
            && let Ok(id) = line.to_str()
            && (1..=Self::MAX).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        {
            return Self(id.into());
        }
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{:016x}{count:08x}", *START).into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn header(&self) -> HeaderValue {
        // Visible ASCII, however it was made.
        HeaderValue::try_from(self.as_str()).unwrap_or(HeaderValue::from_static("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(lines: &[&'static str]) -> RequestId {
        let name = http::HeaderName::from_static("x-request-id");
        RequestId::of(&lines.iter().map(|line| (name.clone(), HeaderValue::from_static(line))).collect())
    }

    #[test]
    fn a_plain_id_is_taken_over_and_any_other_replaced() {
        assert_eq!(id(&["a.B_9-"]).as_str(), "a.B_9-");
        let long: &'static str = "x".repeat(65).leak();
        for lines in [&[][..], &[""], &["a b"], &["a/b"], &["a", "b"], &[long]] {
            assert_eq!(id(lines).as_str().len(), 24);
        }
        assert_ne!(id(&[]).as_str(), id(&[]).as_str());
    }
}
