//! Conditional reads: `If-None-Match`, and without it `If-Modified-Since`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use care_core::model::Timestamp;
use http::{HeaderMap, header};

/// Returns whether `If-None-Match` names this tag, compared weakly; `None` without the header.
pub(crate) fn names(headers: &HeaderMap, tag: &str) -> Option<bool> {
    let mut lines = headers.get_all(header::IF_NONE_MATCH).iter().peekable();
    lines.peek()?;
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let ours = opaque(tag);
    let mut given = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    Some(given.any(|tag| tag.trim() == "*" || opaque(tag) == ours))
}

/// Returns whether a version of this instant is not newer than `If-Modified-Since` says, to the second. A header that
/// is no date counts as absent.
pub(crate) fn is_unmodified(headers: &HeaderMap, at: Timestamp) -> bool {
    let since = headers.get(header::IF_MODIFIED_SINCE).and_then(|since| since.to_str().ok());
    since.and_then(|since| httpdate::parse_http_date(since).ok()).is_some_and(|since| second(at) <= since)
}

/// Returns the value of `Last-Modified`. HTTP's dates begin in 1970.
pub(crate) fn last_modified(at: Timestamp) -> String {
    httpdate::fmt_http_date(second(at))
}

fn second(at: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(u64::try_from(at.unix_millis() / 1000).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn tags_are_compared_weakly() {
        let names = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static(value));
            names(&headers, "W/\"00c0ffee-7\"")
        };
        for known in ["W/\"00c0ffee-7\"", "\"00c0ffee-7\"", "\"x\", W/\"00c0ffee-7\"", "*"] {
            assert_eq!(names(known), Some(true), "{known}");
        }
        for other in ["W/\"00c0ffee-8\"", "\"5eed5eed-7\"", "00c0ffee-7", ""] {
            assert_eq!(names(other), Some(false), "{other}");
        }
        assert_eq!(super::names(&HeaderMap::new(), "W/\"x\""), None);
    }

    #[test]
    fn an_instant_is_compared_to_the_second() {
        let at: Timestamp = "2026-01-31T08:15:00.900Z".parse().unwrap();
        assert_eq!(last_modified(at), "Sat, 31 Jan 2026 08:15:00 GMT");
        let since = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_MODIFIED_SINCE, HeaderValue::from_static(value));
            is_unmodified(&headers, at)
        };
        assert!(since("Sat, 31 Jan 2026 08:15:00 GMT") && since("Sun, 01 Feb 2026 00:00:00 GMT"));
        assert!(!since("Sat, 31 Jan 2026 08:14:59 GMT") && !since("yesterday"));
    }
}
