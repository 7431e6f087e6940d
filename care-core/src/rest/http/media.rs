//! The headers `Content-Type` and `Content-Encoding` of bodies.

use http::HeaderValue;

use super::{list::list_members, media_type::MediaForm};

/// The two forms of every record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// `application/json`
    Json,
    /// `application/xml`
    Xml,
}

const JSON: MediaForm =
    MediaForm { name: "application/json", aliases: &[], parameters: &[("charset", &["utf-8", "utf8"])] };
const XML: MediaForm = MediaForm { name: "application/xml", aliases: &["text/xml"], parameters: JSON.parameters };

impl Format {
    /// Returns the media types that name it.
    pub(crate) const fn form(self) -> &'static MediaForm {
        match self {
            Self::Json => &JSON,
            Self::Xml => &XML,
        }
    }

    /// Returns the media type as text.
    pub(crate) const fn name(self) -> &'static str {
        self.form().name
    }

    /// Returns the `Content-Type` of an answer.
    pub(crate) const fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(self.name())
    }
}

/// The error for a body whose `Content-Type` names neither of our forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnsupportedType;

/// Returns the form of a body with these `Content-Type` lines: exactly one line, with one of our types, and with UTF-8
/// if it names a charset.
pub(crate) fn body_format<'a>(mut lines: impl Iterator<Item = &'a [u8]>) -> Result<Format, UnsupportedType> {
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return Err(UnsupportedType);
    };
    match line {
        b"application/json" => Ok(Format::Json),
        b"application/xml" => Ok(Format::Xml),
        _ => {
            let declared = [Format::Json, Format::Xml].into_iter().find(|format| format.form().is_named(line));
            declared.ok_or(UnsupportedType)
        }
    }
}

/// Returns whether a body is declared as a form. Some hosts give forms a meaning of their own, so forms are refused on
/// every operation, even when the declaration is malformed or repeated.
pub(crate) fn is_form<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    list_members(lines).any(|declared| {
        let essence = declared.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        essence.eq_ignore_ascii_case(b"application/x-www-form-urlencoded")
            || essence.eq_ignore_ascii_case(b"multipart/form-data")
    })
}

/// Returns whether the `Content-Encoding` lines name no encoding but `identity`.
pub(crate) fn encoding_is_identity<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    list_members(lines)
        .map(<[u8]>::trim_ascii)
        .all(|coding| coding.is_empty() || coding.eq_ignore_ascii_case(b"identity"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(line: &str) -> Result<Format, UnsupportedType> {
        body_format([line.as_bytes()].into_iter())
    }

    #[test]
    fn our_types_are_read_in_any_spelling() {
        for line in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json;charset=\"UTF-8\"",
            "application/json ;\tCHARSET=Utf-8 ; version=1",
            "application/json; a=\"x;charset=latin1,\"",
            "application/json; charset=\"\\u\\t\\f-8\"",
            "application/json;",
            "application/json; charset=utf8",
            "application/json; charset = utf-8",
            "application/json;; profile=http://example.com/a;",
            "application/json;odata.metadata=minimal;streaming",
        ] {
            assert_eq!(format(line), Ok(Format::Json), "{line}");
        }
        for line in ["application/xml", "text/xml", "TEXT/XML; charset=utf-8", " application/xml\t", "text/xml;a=b"] {
            assert_eq!(format(line), Ok(Format::Xml), "{line}");
        }
    }

    #[test]
    fn other_types_are_refused() {
        for line in [
            "",
            " ",
            "json",
            "/",
            "application/",
            "/json",
            "application/jsonx",
            "application/json+xml",
            "application/json+",
            "application/problem+json",
            "text/json",
            "text/plain",
            "text/*",
            "*/*",
            "application/*",
            "application/json, application/json",
            "application/json application/xml",
            "application/json; charset=latin1",
            "application/json; charset=",
            "application/json; charset",
            "application/json; charset=\"utf-8",
            "application/json; charset=utf-8; charset=latin1",
            "application/json; charset=utf-8 x",
            "application/json; a=",
            "application /json",
            "application/json\0",
            "application/x-www-form-urlencoded",
        ] {
            assert_eq!(format(line), Err(UnsupportedType), "{line}");
        }
        assert_eq!(body_format([].into_iter()), Err(UnsupportedType));
        assert_eq!(body_format([&b"application/json"[..]; 2].into_iter()), Err(UnsupportedType));
        assert_eq!(body_format([&b"\xff/\xfe"[..]].into_iter()), Err(UnsupportedType));
    }

    #[test]
    fn forms_are_recognised_whatever_surrounds_them() {
        for lines in [
            &["application/x-www-form-urlencoded"][..],
            &["APPLICATION/X-WWW-Form-urlencoded ; charset"],
            &["multipart/form-data; boundary=x"],
            &["application/json", "multipart/form-data"],
            &["application/json, multipart/form-data;"],
        ] {
            assert!(is_form(lines.iter().map(|line| line.as_bytes())), "{lines:?}");
        }
        for line in ["", "application/json", "multipart/mixed", "form-data", "application/json; a=multipart/form-data"]
        {
            assert!(!is_form([line.as_bytes()].into_iter()), "{line}");
        }
        assert!(!is_form([].into_iter()));
        assert!(is_form([&b"multipart/form-data;\xff"[..]].into_iter()));
    }

    #[test]
    fn only_identity_is_no_encoding() {
        for lines in [&[][..], &[""], &["identity"], &["Identity", " identity , "]] {
            assert!(encoding_is_identity(lines.iter().map(|line: &&str| line.as_bytes())), "{lines:?}");
        }
        for lines in [&["gzip"][..], &["identity", "br"], &["identity, deflate"], &["x-identity"], &["identity;q=1"]] {
            assert!(!encoding_is_identity(lines.iter().map(|line| line.as_bytes())), "{lines:?}");
        }
        assert!(!encoding_is_identity([&b"\xff"[..]].into_iter()));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(lines: Vec<Vec<u8>>) {
            let lines = || lines.iter().map(Vec::as_slice);
            let _ = (body_format(lines()), is_form(lines()), encoding_is_identity(lines()));
        }
    }
}
