//! Conditional reads: `If-None-Match`, and without it `If-Modified-Since`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use care_core::{model::Timestamp, rest::names_tag};
use http::{HeaderMap, header};

/// Returns whether `If-None-Match` names this tag, compared weakly; `None` without the header.
pub(crate) fn names(headers: &HeaderMap, tag: &str) -> Option<bool> {
    headers.contains_key(header::IF_NONE_MATCH).then(|| names_tag(headers, tag))
}

/// Returns the second of `Last-Modified` for a version of this instant: never before the second after the service met
/// the epoch. Before a restore, another version may have had an earlier date.
pub(crate) fn modified(at: Timestamp, epoch_since: Timestamp) -> SystemTime {
    second(at).max(second(epoch_since) + Duration::from_secs(1))
}

/// Returns whether `If-Modified-Since` is this `Last-Modified`, and its second is over. An earlier or a later date is
/// another version's, as once the clock was set right; and within its second the version may be replaced by one of the
/// same date. A header that is no date, or repeated, counts as absent.
pub(crate) fn is_unmodified(headers: &HeaderMap, modified: SystemTime, now: Timestamp) -> bool {
    let mut lines = headers.get_all(header::IF_MODIFIED_SINCE).iter();
    let (Some(since), None) = (lines.next(), lines.next()) else {
        return false;
    };
    let since = since.to_str().ok().and_then(|since| httpdate::parse_http_date(since).ok());
    since == Some(modified) && modified < second(now)
}

/// Returns the value of `Last-Modified`. HTTP's dates begin in 1970.
pub(crate) fn last_modified(modified: SystemTime) -> String {
    httpdate::fmt_http_date(modified)
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
    fn a_date_validates_only_the_version_that_has_it_once_its_second_is_over() {
        let at: Timestamp = "2026-01-31T08:15:00.900Z".parse().unwrap();
        let since = |text: &str| modified(at, text.parse().unwrap());
        let at = since("2026-01-31T08:14:59.999Z");
        assert_eq!(last_modified(at), "Sat, 31 Jan 2026 08:15:00 GMT");
        // The epoch was made within its second, by a restore: no date of an earlier past is equal.
        assert_eq!(last_modified(since("2026-01-31T08:15:00.950Z")), "Sat, 31 Jan 2026 08:15:01 GMT");
        let by = |since: &[&'static str], now: &str| {
            let lines = since.iter().map(|line| (header::IF_MODIFIED_SINCE, HeaderValue::from_static(line)));
            is_unmodified(&lines.collect(), at, now.parse().unwrap())
        };
        let (its, later) = ("Sat, 31 Jan 2026 08:15:00 GMT", "2026-01-31T08:15:01Z");
        assert!(by(&[its], later) && by(&[its], "2027-01-01T00:00:00Z"));
        for within in ["2026-01-31T08:15:00.900Z", "2026-01-31T08:15:00.999Z", "2026-01-31T08:14:59Z"] {
            assert!(!by(&[its], within), "{within}");
        }
        for other in [
            "Sat, 31 Jan 2026 08:14:59 GMT",
            "Sat, 31 Jan 2026 08:15:01 GMT",
            "Sun, 01 Feb 2026 00:00:00 GMT",
            "yesterday",
            "",
        ] {
            assert!(!by(&[other], later), "{other}");
        }
        assert!(!by(&[its, its], later) && !by(&[], later));
        // RFC 9110 has two older forms of a date.
        assert!(by(&["Saturday, 31-Jan-26 08:15:00 GMT"], later) && by(&["Sat Jan 31 08:15:00 2026"], later));
    }
}
