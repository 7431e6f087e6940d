//! What tells one request from all others, in its answer and in the log.

use std::sync::{
    LazyLock,
    atomic::{AtomicU64, Ordering},
};

use http::{HeaderMap, HeaderValue};

/// The id of one request: the client's own when it is plain, otherwise one that nobody else was given.
#[derive(Debug, Clone)]
pub(super) struct RequestId(HeaderValue);

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
            return Self(line.clone());
        }
        Self(made_up(*START, COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    pub(super) fn as_str(&self) -> &str {
        // Visible ASCII, however it was made.
        self.0.to_str().unwrap_or("-")
    }

    pub(super) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// The start and the lower half of the count in hexadecimal digits. Every request has one, so nothing is formatted.
fn made_up(start: u64, count: u64) -> HeaderValue {
    let mut digits = [0; 24];
    let nibbles = |number: u64, count: u32| (0..count).rev().map(move |place| number >> (4 * place) & 0xf);
    for (digit, nibble) in digits.iter_mut().zip(nibbles(start, 16).chain(nibbles(count, 8))) {
        *digit = b"0123456789abcdef"[nibble as usize];
    }
    HeaderValue::from_bytes(&digits).unwrap_or(HeaderValue::from_static("-"))
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
        assert_eq!(made_up(0xab, 0x1_0000_001f), "00000000000000ab0000001f");
    }
}
