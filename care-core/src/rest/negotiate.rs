//! `Accept`: which of our two forms the client prefers.

use mediatype::{MediaType, MediaTypeList, ReadParams, names};

use super::media::{Format, is_utf8};

/// The form of an answer under these `Accept` lines; `None` when neither is acceptable. A tie goes to JSON, and lines
/// without a readable member are as if they were not there.
pub(crate) fn negotiate<'a>(mut lines: impl Iterator<Item = &'a [u8]>) -> Option<Format> {
    let Some(first) = lines.next() else {
        return Some(Format::Json);
    };
    let Some(second) = lines.next() else {
        return match first {
            b"application/json" | b"*/*" | b"" => Some(Format::Json),
            b"application/xml" => Some(Format::Xml),
            line => choose(&String::from_utf8_lossy(line)),
        };
    };
    let joined: Vec<&[u8]> = [first, second].into_iter().chain(lines).collect();
    choose(&String::from_utf8_lossy(&joined.join(&b", "[..])))
}

/// The form of an error under these `Accept` lines: one is always sent.
pub(crate) fn negotiate_error<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Format {
    negotiate(lines).unwrap_or(Format::Json)
}

fn choose(accept: &str) -> Option<Format> {
    let mut json = Preference::default();
    let mut xml = Preference::default();
    let mut any = false;
    for range in MediaTypeList::new(accept).flatten().filter_map(Range::new) {
        any = true;
        json.consider(&range, range.specificity(Format::Json));
        xml.consider(&range, range.specificity(Format::Xml));
    }
    match (json.quality, xml.quality) {
        _ if !any => Some(Format::Json),
        (0, 0) => None,
        (json, xml) if xml > json => Some(Format::Xml),
        _ => Some(Format::Json),
    }
}

/// How much the client wants one form, by the most specific range that matches it.
#[derive(Default)]
struct Preference {
    specificity: Option<u8>,
    /// In thousandths; 0 is "not acceptable".
    quality: u16,
}

impl Preference {
    fn consider(&mut self, range: &Range<'_>, specificity: Option<u8>) {
        if specificity.is_none() || specificity < self.specificity {
            return;
        }
        // Of two equally specific ranges the kinder one counts, but a refusal stands.
        self.quality = match self.quality {
            _ if specificity > self.specificity => range.quality,
            0 => 0,
            _ if range.quality == 0 => 0,
            earlier => earlier.max(range.quality),
        };
        self.specificity = specificity;
    }
}

/// One readable member of `Accept`.
struct Range<'a> {
    media: MediaType<'a>,
    quality: u16,
    /// It names the charset that our answers are in.
    charset: bool,
    /// It asks for a parameter that our answers do not have.
    foreign: bool,
}

impl<'a> Range<'a> {
    fn new(media: MediaType<'a>) -> Option<Self> {
        let (mut quality, mut charset, mut foreign) = (1000, false, false);
        let mut weighed = false;
        for (name, value) in media.params() {
            if value.as_str().is_empty() {
                return None;
            } else if name == names::Q {
                if std::mem::replace(&mut weighed, true) {
                    return None;
                }
                quality = thousandths(value.as_str())?;
            } else if name == names::CHARSET && is_utf8(value) {
                charset = true;
            } else {
                foreign = true;
            }
        }
        // `*/json` is no range at all.
        (media.ty != "*" || media.subty == "*").then_some(Self {
            media,
            quality,
            charset,
            foreign,
        })
    }

    /// How closely this range describes a form; `None` when it does not match.
    fn specificity(&self, format: Format) -> Option<u8> {
        if self.foreign || self.media.suffix.is_some() {
            return None;
        }
        let (ty, subtype) = (self.media.ty, self.media.subty);
        let closeness = if ty == "*" {
            0
        } else if ty == names::APPLICATION && subtype == "*" {
            2
        } else if match format {
            Format::Json => ty == names::APPLICATION && subtype == names::JSON,
            // To refuse `text/xml` is not to refuse what is sent in its place.
            Format::Xml => {
                subtype == names::XML
                    && (ty == names::APPLICATION || ty == names::TEXT && self.quality > 0)
            }
        } {
            4
        } else {
            return None;
        };
        Some(closeness + u8::from(self.charset))
    }
}

/// A weight, 0 to 1 with at most three decimals.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let fraction = format!("{decimals:0<3}").parse().ok()?;
    match (whole, fraction) {
        ("0", _) => Some(fraction),
        ("1", 0) => Some(1000),
        _ => None,
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
        for line in [
            "",
            " ",
            ",",
            "*/*",
            "*/*;q=0.1",
            "application/*",
            "application/*, application/xml;q=0.9",
        ] {
            assert_eq!(accept(line), JSON, "{line}");
        }
        for line in [
            "application/json, application/xml",
            "application/xml, application/json",
            "text/xml, */*",
        ] {
            assert_eq!(accept(line), JSON, "a tie: {line}");
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
            "application/json;version=1",
            "*/*;level=1",
            "application/json;charset=latin1",
            "application/json;a=\"x, application/json, y\"",
            "application/json;q=0, application/json;q=1",
            "text/xml;q=0",
        ] {
            assert_eq!(accept(line), None, "{line}");
            assert_eq!(negotiate_error([line.as_bytes()].into_iter()), Format::Json);
        }
        assert_eq!(negotiate_error([&b"text/xml"[..]].into_iter()), Format::Xml);
    }

    #[test]
    fn a_member_that_does_not_parse_is_ignored() {
        for member in [
            "json",
            "/",
            "*",
            "*/json",
            "application/json;q",
            "application/json;q=",
            "application/json;q=x",
            "application/json;q=1.001",
            "application/json;q=2",
            "application/json;q=-1",
            "application/json;q=+0.5",
            "application/json;q=.5",
            "application/json;q=0.1234",
            "application/json;q=0,5",
            "application/json;q=\"0.5\"",
            "application/json;q=0.5;q=0.6",
            "application/json;q = 1",
            "application/json;a=",
            "application/json application/xml",
        ] {
            assert_eq!(
                accept(&format!("{member}, application/xml;q=0.1")),
                XML,
                "{member}"
            );
        }
        assert_eq!(
            accept("json, */json;q=0, xml"),
            JSON,
            "none of them can be read"
        );
        assert_eq!(accept("application/xml, application/json;a=\"x"), XML);
        assert_eq!(
            negotiate([&b"\xff/\xff, application/xml"[..]].into_iter()),
            XML
        );
    }

    #[test]
    fn lines_are_joined() {
        let lines = |lines: &[&'static str]| negotiate(lines.iter().map(|line| line.as_bytes()));
        assert_eq!(lines(&["application/json;q=0.5", "application/xml"]), XML);
        assert_eq!(lines(&["application/xml", "application/json"]), JSON);
        assert_eq!(
            lines(&["text/html", "application/json;q=0", "text/plain"]),
            None
        );
        assert_eq!(lines(&["", "application/xml"]), XML);
        assert_eq!(lines(&["", ""]), JSON);
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
