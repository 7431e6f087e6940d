//! The request target: segments of the path, and the query.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

pub(crate) use crate::model::plain_number as number;

/// The error for a part of the target with a bad escape, or whose bytes are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Undecodable;

/// Returns one segment of a raw path, decoded once. The path is split before, so an escaped `/` is part of a name.
pub(crate) fn decode(segment: &str) -> Result<Cow<'_, str>, Undecodable> {
    if !segment.contains('%') {
        return Ok(Cow::Borrowed(segment));
    }
    // The library keeps bad escapes, so they are refused here.
    let sound = segment
        .split('%')
        .skip(1)
        .all(|rest| rest.as_bytes().first_chunk::<2>().is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)));
    if !sound {
        return Err(Undecodable);
    }
    percent_decode_str(segment).decode_utf8().map_err(|_| Undecodable)
}

/// Returns an identifier in a path: decimal digits without a sign or a leading zero, 1 to 2^63-1.
pub(crate) fn identifier(segment: &str) -> Option<i64> {
    number(segment).filter(|number| *number > 0)
}

/// Returns a text as one segment of a path.
pub(crate) fn encode_segment(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Returns the decoded pairs of a query, in order. `+` is a space; a name without a value has an empty one.
pub(crate) fn parse_query(query: &str) -> Result<Vec<(String, String)>, Undecodable> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| Ok((decode_form(name)?, decode_form(value)?))).collect()
}

/// The characters that are escaped in a segment: all but the unreserved ones.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn decode_form(text: &str) -> Result<String, Undecodable> {
    decode(&text.replace('+', " ")).map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_spelling() {
        for (text, expected) in [("0", 0), ("30", 30), ("9223372036854775807", i64::MAX)] {
            assert_eq!(number(text), Some(expected));
        }
        for text in ["", "00", "01", "+1", "-1", " 1", "1.0", "9223372036854775808"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn a_segment_is_decoded_once_and_strictly() {
        for (raw, decoded) in [
            ("%2525", "%25"),
            ("%2e%2E", ".."),
            ("%C3%A9é", "éé"),
            ("a+b", "a+b"),
            ("%00", "\0"),
            ("a%2Fb", "a/b"),
            ("", ""),
        ] {
            assert_eq!(decode(raw).as_deref(), Ok(decoded), "{raw}");
        }
        for raw in [
            "%",
            "%2",
            "a%",
            "%%41",
            "%g0",
            "%0g",
            "%+1",
            "% 1",
            "%u0041",
            "%é",
            "%FF",
            "%C3",
            "%C3%28",
            "%C0%AF",
            "%ED%A0%80",
        ] {
            assert_eq!(decode(raw), Err(Undecodable), "{raw}");
        }
        assert!(matches!(decode("patient"), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn identifiers_have_one_spelling() {
        assert_eq!(identifier("1"), Some(1));
        assert_eq!(identifier("9223372036854775807"), Some(i64::MAX));
        for other in [
            "",
            "0",
            "01",
            "+1",
            "-1",
            " 1",
            "1 ",
            "1.0",
            "1e3",
            "0x1",
            "9223372036854775808",
            "99999999999999999999",
            "١",
            "１",
            "abc",
        ] {
            assert_eq!(identifier(other), None, "{other}");
        }
    }

    #[test]
    fn a_query_is_pairs() {
        let pairs = |query| {
            parse_query(query).map(|pairs| {
                pairs.into_iter().map(|(name, value)| format!("{name}:{value}")).collect::<Vec<_>>().join("|")
            })
        };
        for (query, expected) in [
            ("", ""),
            ("&", ""),
            ("a=1&b=2&a=3", "a:1|b:2|a:3"),
            ("a", "a:"),
            ("a=", "a:"),
            ("=b", ":b"),
            ("a=b=c", "a:b=c"),
            ("a+b=c+d", "a b:c d"),
            ("a=%2B%26%3d", "a:+&="),
            ("n%61me=%C3%A9", "name:é"),
            ("&&a=1&", "a:1"),
            ("a=1;b=2", "a:1;b=2"),
        ] {
            assert_eq!(pairs(query).as_deref(), Ok(expected), "{query}");
        }
        for query in ["%", "a=%", "a=%FF", "%zz=1", "a=1&b=%2"] {
            assert_eq!(parse_query(query), Err(Undecodable), "{query}");
        }
    }

    #[test]
    fn a_segment_keeps_unreserved_characters_only() {
        assert_eq!(encode_segment("A-z_0.9~"), "A-z_0.9~");
        assert_eq!(encode_segment("a/b c%é+?#&=:@\n"), "a%2Fb%20c%25%C3%A9%2B%3F%23%26%3D%3A%40%0A");
    }

    proptest::proptest! {
        #[test]
        fn any_text_survives_a_path(text: String) {
            let encoded = encode_segment(&text);
            proptest::prop_assert!(!encoded.contains('/'));
            proptest::prop_assert_eq!(decode(&encoded), Ok(Cow::Borrowed(&*text)));
            let pair = parse_query(&format!("{encoded}={encoded}"));
            proptest::prop_assert_eq!(pair, Ok(vec![(text.clone(), text)]));
        }

        #[test]
        fn no_text_panics(text in "[%+&=/a0é]{0,12}") {
            let _ = (decode(&text), parse_query(&text), identifier(&text));
        }
    }
}
