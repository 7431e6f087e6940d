//! The names under which a request is found again: its id, which stands in answers and in the log, and its place in the
//! trace of its client.

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

/// The `traceparent` of a request, as defined by the W3C's Trace Context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TraceParent<'a> {
    /// The identifier of the trace: 32 hexadecimal digits.
    pub(crate) trace_id: &'a str,
    /// The identifier of the client's span in it: 16 hexadecimal digits.
    pub(crate) parent_id: &'a str,
}

impl<'a> TraceParent<'a> {
    /// Returns the values of a `traceparent` that is one line of a version, two identifiers and flags; `None` for any
    /// other: the values are written into logs, and must not be arbitrary texts of the client.
    pub(crate) fn of(headers: &'a HeaderMap) -> Option<Self> {
        let mut lines = headers.get_all("traceparent").iter();
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return None;
        };
        let mut parts = line.to_str().ok()?.split('-');
        let version = parts.next().filter(|version| is_hexadecimal(version, 2) && *version != "ff")?;
        let trace_id = parts.next().filter(|id| is_hexadecimal(id, 32) && !is_zero(id))?;
        let parent_id = parts.next().filter(|id| is_hexadecimal(id, 16) && !is_zero(id))?;
        parts.next().filter(|flags| is_hexadecimal(flags, 2))?;
        // A later version may have further fields after the flags.
        (version != "00" || parts.next().is_none()).then_some(Self { trace_id, parent_id })
    }
}

fn is_hexadecimal(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_zero(digits: &str) -> bool {
    digits.bytes().all(|digit| digit == b'0')
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

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    fn found(lines: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("traceparent", HeaderValue::from_str(line).unwrap());
        }
        TraceParent::of(&headers).is_some_and(|found| found == TraceParent { trace_id: TRACE, parent_id: PARENT })
    }

    #[test]
    fn a_sound_traceparent_is_taken_over() {
        assert!(found(&[&format!("00-{TRACE}-{PARENT}-01")]));
        assert!(found(&[&format!("cc-{TRACE}-{PARENT}-01-what-will-be-there")]));
    }

    #[test]
    fn anything_else_is_left_out() {
        let sound = format!("00-{TRACE}-{PARENT}-01");
        for bad in [
            String::new(),
            "canary".to_owned(),
            sound.to_uppercase(),
            format!("{sound}-more"),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{}-{PARENT}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}x-{PARENT}-01"),
        ] {
            assert!(!found(&[&bad]), "{bad}");
        }
        assert!(!found(&[&sound, &sound]));
    }
}
