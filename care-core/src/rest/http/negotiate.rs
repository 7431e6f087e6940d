//! Negotiation: the form that `Accept` prefers.

use super::{media::Format, media_type::MediaForm};

/// The most bytes of `Accept`, all lines together: 4 KiB. The ranges of a longer one would cost more to read than most
/// answers.
pub(crate) const LONGEST: usize = 4 * 1024;

/// Returns whether these `Accept` lines together are longer than is read.
pub(crate) fn is_too_long<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    lines.map(<[u8]>::len).sum::<usize>() > LONGEST
}

/// Returns the form of an answer under these `Accept` lines; `None` when neither is acceptable. A tie goes to JSON, and
/// lines without a readable member are as if they were not there.
pub(crate) fn negotiate<'a>(mut lines: impl Iterator<Item = &'a [u8]>) -> Option<Format> {
    let first = lines.next();
    let second = lines.next();
    match (first, second) {
        (None | Some(b"application/json" | b"*/*"), None) => Some(Format::Json),
        (Some(b"application/xml"), None) => Some(Format::Xml),
        _ => among([Format::Json, Format::Xml], first.into_iter().chain(second).chain(lines)),
    }
}

/// Returns the form of an answer that exists only in JSON.
pub(crate) fn negotiate_json<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<Format> {
    among([Format::Json], lines)
}

fn among<'a, const N: usize>(formats: [Format; N], lines: impl Iterator<Item = &'a [u8]>) -> Option<Format> {
    let preferred = MediaForm::preferred(formats.each_ref().map(|format| format.form()), lines);
    preferred.and_then(|index| formats.get(index).copied())
}

/// Returns the form of an error under these `Accept` lines: one is always sent, in JSON when they are too long to be
/// read.
pub(crate) fn negotiate_error<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Format {
    let lines: Vec<_> = lines.collect();
    match is_too_long(lines.iter().copied()) {
        true => Format::Json,
        false => negotiate(lines.into_iter()).unwrap_or(Format::Json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accept(line: &str) -> Option<Format> {
        negotiate([line.as_bytes()].into_iter())
    }

    const JSON: Option<Format> = Some(Format::Json);
    const XML: Option<Format> = Some(Format::Xml);

    #[test]
    fn json_is_the_default() {
        assert_eq!(negotiate([].into_iter()), JSON);
        for line in ["", " ", ",", "*/*", "*/*;q=0.1", "application/*", "application/*, application/xml;q=0.9"] {
            assert_eq!(accept(line), JSON, "{line}");
        }
        for line in ["application/json, application/xml", "application/xml, application/json", "text/xml, */*"] {
            assert_eq!(accept(line), JSON, "a tie: {line}");
        }
    }

    #[test]
    fn where_there_is_no_xml_it_is_not_preferred() {
        let accept = |lines: &[&'static str]| negotiate_json(lines.iter().map(|line| line.as_bytes()));
        for lines in [
            &[][..],
            &[""],
            &["*/*"],
            &["application/xml, application/json;q=0.1"],
            &["application/xml", "application/*;q=0.5"],
        ] {
            assert_eq!(accept(lines), JSON, "{lines:?}");
        }
        for lines in [&["application/xml"][..], &["*/*", "application/json;q=0"]] {
            assert_eq!(accept(lines), None, "{lines:?}");
        }
    }

    #[test]
    fn the_best_quality_wins() {
        for line in [
            "application/xml",
            "Text/XML",
            "application/xml;charset=utf-8",
            "application/xml ; charset=\"UTF-8\" ; q=0.001",
            "application/json;q=0.4, application/xml;Q=0.5",
            "application/json;q=0.999,application/xml;q=1.000",
            "application/xml, */*;q=0.8",
            "text/html, application/xhtml+xml, application/xml;q=0.9, image/webp, */*;q=0.8",
            "application/json;q=0, */*",
            "application/json;q=0.0, application/*;q=0.1",
            "application/*;q=0.9, application/json;q=0.2",
            "*/*;q=0.9, application/*;q=0.5, application/json;q=0.1",
            "application/json;charset=utf-8;q=0.1, application/json, application/xml;q=0.5",
            "text/xml;q=0.9, application/json;q=0.5, application/xml;q=0.1",
            "application/json; q = 0.5, application/xml",
            "application/json;q=.2, application/xml;q=.3",
            "application/json;indent=2;q=0.9, application/json;q=0.1, application/xml;q=0.5",
            "application/xml; version=2, */*; q=0.1",
            "*;q=0.1, application/xml;q=0.2",
        ] {
            assert_eq!(accept(line), XML, "{line}");
        }
        for line in [
            "application/xml;q=0, */*;q=0.1",
            "application/xml;q=0.5, */*",
            "text/xml;q=0, */*",
            "text/*, application/json;q=0.1",
            "application/json;q=0.2, application/json;q=0.8, application/xml;q=0.5",
            "application/json;version=1, application/json;q=0.1",
            "application/xml;charset=latin1, */*;q=0.1",
            "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
            "text/html, *",
            "*",
            "text/html;q=0.5, */*;q=.1",
            "application/json;indent=2",
            "application/json;odata.metadata=minimal;odata.streaming=true",
            "application/json;profile=http://example.com/a",
            "application/json;charset=utf8",
            "application/json;level",
            "application/json;;q=1",
            "application/json;a=\"x, application/xml, y\"",
            "application/json;version=1;q=0, application/json",
            "*/*;level=1",
            "application/json ; Q\t= 0.5",
        ] {
            assert_eq!(accept(line), JSON, "{line}");
        }
    }

    #[test]
    fn nothing_acceptable_is_said_so() {
        for line in [
            "text/html",
            "text/*",
            "application/problem+json",
            "application/problem+xml",
            "application/json+xml",
            "application/json;q=0",
            "*/*;q=0",
            "*/*;q=0.000",
            "application/*+json",
            "application/json;charset=latin1",
            "text/html;a=\"x, application/json, y\"",
            "*;q=0",
            "application/json;version=1;q=0",
            "application/json;q=0, application/json;q=1",
            "text/xml;q=0",
        ] {
            assert_eq!(accept(line), None, "{line}");
            assert_eq!(negotiate_error([line.as_bytes()].into_iter()), Format::Json);
        }
        assert_eq!(negotiate_error([&b"text/xml"[..]].into_iter()), Format::Xml);
    }

    #[test]
    fn a_member_that_cannot_be_read_is_left_out_alone() {
        for member in [
            "json",
            "/",
            "*/json",
            "application/json;q",
            "application/json;q=",
            "application/json;q=x",
            "application/json;q=1.001",
            "application/json;q=2",
            "application/json;q=-1",
            "application/json;q=+0.5",
            "application/json;q=0.1234",
            "application/json;q=0,5",
            "application/json;q=\"0.5\"",
            "application/json;q=0.5;q=0.6",
            "application/json;a=",
            "application/json application/xml",
        ] {
            assert_eq!(accept(&format!("{member}, application/xml;q=0.1")), XML, "{member}");
        }
        assert_eq!(accept("json, */json;q=0, xml"), JSON, "none of them can be read");
        assert_eq!(accept("application/xml, application/json;a=\"x"), XML);
        assert_eq!(
            accept("application/json;a=\"x, application/xml"),
            XML,
            "a quote that is not closed hides no other member"
        );
        assert_eq!(negotiate([&b"\xff/\xff, application/xml"[..]].into_iter()), XML);
    }

    #[test]
    fn several_lines_are_one_list() {
        let lines = |lines: &[&'static str]| negotiate(lines.iter().map(|line| line.as_bytes()));
        assert_eq!(lines(&["application/json;q=0.5", "application/xml"]), XML);
        assert_eq!(lines(&["application/xml", "application/json"]), JSON);
        assert_eq!(lines(&["text/html", "application/json;q=0", "text/plain"]), None);
        assert_eq!(lines(&["", "application/xml"]), XML);
        assert_eq!(lines(&["", ""]), JSON);
        assert_eq!(lines(&["text/html;a=\"", "application/xml;b=\"c\""]), XML, "a line ends what it begins");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(lines: Vec<Vec<u8>>) {
            let _ = negotiate(lines.iter().map(Vec::as_slice));
        }

        #[test]
        fn no_text_panics(line in r#"([*aq/;=,". 01\\é]|application/json|application/xml|;q=0){0,12}"#) {
            let _ = accept(&line);
        }

        #[test]
        fn the_order_of_members_does_not_matter(
            mut members in proptest::sample::subsequence(MEMBERS.to_vec(), 0..MEMBERS.len()),
        ) {
            let forward = accept(&members.join(", "));
            members.reverse();
            proptest::prop_assert_eq!(accept(&members.join(", ")), forward);
        }
    }

    const MEMBERS: [&str; 10] = [
        "*/*;q=0.3",
        "*/*;q=0",
        "application/*;q=0.4",
        "application/json;q=0",
        "application/json;q=0.7",
        "application/json;charset=utf-8;q=0.2",
        "application/xml;q=0.6",
        "application/xml;q=0",
        "text/xml;q=0.8",
        "text/html",
    ];
}
