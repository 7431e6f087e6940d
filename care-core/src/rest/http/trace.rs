//! The place of a request in the trace of its client.

use http::HeaderMap;

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
    use http::HeaderValue;

    use super::*;

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
