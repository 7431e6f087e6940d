//! Request ids, which stand in answers and in the log.

use std::{
    cell::Cell,
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use http::{HeaderMap, HeaderName, HeaderValue};

/// The id of one request: the client's own if it is well-formed, otherwise a new unique one.
#[derive(Debug)]
pub(crate) enum RequestId {
    /// The client's id.
    Given(HeaderValue),
    /// A new id, in hexadecimal digits.
    Made([u8; 24]),
}

/// A random start distinguishes the ids of two processes; a counter distinguishes those within one.
static START: LazyLock<[u8; 16]> = LazyLock::new(|| hexadecimal(getrandom::u64().unwrap_or_default()));
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The quantity of numbers that a thread reserves at a time, so that threads rarely wait for each other.
const BLOCK: u64 = 256;

thread_local! {
    /// The next number of this thread.
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// Returns a number that no other request of this process has.
fn number() -> u64 {
    let number = match NEXT.get() {
        used_up if used_up.is_multiple_of(BLOCK) => COUNT.fetch_add(BLOCK, Ordering::Relaxed),
        next => next,
    };
    NEXT.set(number + 1);
    number
}

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
            return Self::Given(line.clone());
        }
        Self::Made(made_up(&START, number()))
    }

    pub(crate) fn as_str(&self) -> &str {
        // Both kinds of ids are visible ASCII.
        match self {
            Self::Given(line) => line.to_str().unwrap_or("-"),
            Self::Made(digits) => str::from_utf8(digits).unwrap_or("-"),
        }
    }

    /// Returns the header of an answer.
    pub(crate) fn header(&self) -> HeaderValue {
        match self {
            Self::Given(line) => line.clone(),
            Self::Made(digits) => HeaderValue::from_bytes(digits).unwrap_or(HeaderValue::from_static("-")),
        }
    }
}

/// Returns the start and the lower half of the count in hexadecimal digits. Every request gets one, so the formatter is
/// not used.
fn made_up(start: &[u8; 16], count: u64) -> [u8; 24] {
    let mut digits = [0; 24];
    let (first, last) = digits.split_at_mut(16);
    first.copy_from_slice(start);
    last.copy_from_slice(&hexadecimal::<8>(count));
    digits
}

fn hexadecimal<const DIGITS: usize>(number: u64) -> [u8; DIGITS] {
    std::array::from_fn(|place| b"0123456789abcdef"[(number >> (4 * (DIGITS - 1 - place)) & 0xf) as usize])
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
        assert_eq!(&made_up(&hexadecimal(0xab), 0x1_0000_001f), b"00000000000000ab0000001f");
    }
}
