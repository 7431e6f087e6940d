//! Request ids, which stand in answers and in the log.

use std::sync::{
    LazyLock,
    atomic::{AtomicU64, Ordering},
};

use http::{HeaderMap, HeaderName, HeaderValue};

/// The id of one request: the client's own if it is well-formed, otherwise a new unique one of 24 hexadecimal digits.
#[derive(Debug)]
pub(crate) struct RequestId(HeaderValue);

/// A random start distinguishes the ids of two processes; a counter distinguishes those within one.
static START: LazyLock<String> =
    LazyLock::new(|| const_hex::encode(getrandom::u64().unwrap_or_default().to_be_bytes()));
static COUNT: AtomicU64 = AtomicU64::new(0);

impl RequestId {
    /// The name of the header, in requests and answers.
    pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");
    /// The longest id of a client, in characters.
    pub(crate) const MAX: usize = 64;

    /// Returns the value of `X-Request-Id` if it is one line of 1 to 64 of `[A-Za-z0-9._-]`, and otherwise a new id.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut lines = headers.get_all(Self::HEADER).iter();
        if let (Some(line), None) = (lines.next(), lines.next())
            && let Ok(id) = line.to_str()
            && (1..=Self::MAX).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        {
            return Self(line.clone());
        }
        Self(made_up(&START, COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns the id that a client gives, which is not checked here.
    #[cfg(feature = "openapi")]
    pub(crate) const fn given(id: HeaderValue) -> Self {
        Self(id)
    }

    pub(crate) fn as_str(&self) -> &str {
        // Both kinds of ids are visible ASCII.
        self.0.to_str().unwrap_or("-")
    }

    /// Returns the header of an answer.
    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// Returns the start and the lower half of the count.
fn made_up(start: &str, count: u64) -> HeaderValue {
    // Without the formatter, which takes several times as long for each answer.
    let (mut id, [_, _, _, _, count @ ..]) = ([0; 24], count.to_be_bytes());
    let (first, last) = id.split_at_mut(start.len());
    first.copy_from_slice(start.as_bytes());
    last.copy_from_slice(const_hex::Buffer::<4>::new().format(&count).as_bytes());
    HeaderValue::from_bytes(&id).unwrap_or(HeaderValue::from_static("-"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn id(lines: &[&'static str]) -> RequestId {
        RequestId::of(&lines.iter().map(|line| (RequestId::HEADER, HeaderValue::from_static(line))).collect())
    }

    #[test]
    fn a_plain_id_is_taken_over_and_any_other_replaced() {
        assert_eq!(id(&["a.B_9-"]).as_str(), "a.B_9-");
        let long: &'static str = "x".repeat(65).leak();
        for lines in [&[][..], &[""], &["a b"], &["a/b"], &["a", "b"], &[long]] {
            assert_eq!(id(lines).as_str().len(), 24);
        }
        let many = || (0..600).map(|_| id(&[]).as_str().to_owned()).collect::<Vec<_>>();
        let elsewhere = std::thread::spawn(many);
        let ids: HashSet<_> = many().into_iter().chain(elsewhere.join().unwrap()).collect();
        assert_eq!(ids.len(), 1200);
        assert_eq!(made_up("00000000000000ab", 0x1_0000_001f), "00000000000000ab0000001f");
    }
}
