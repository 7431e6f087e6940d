//! The form of an answer: JSON or XML, by `_format` or else by `Accept`.

use care_core::rest::FacadeRequest;
use http::{HeaderValue, header};

/// A form of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Xml,
}

/// The error for a request that accepts neither form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotAcceptable;

const JSON: [&str; 3] = ["application/fhir+json", "application/json", "text/json"];
const XML: [&str; 3] = ["application/fhir+xml", "application/xml", "text/xml"];

impl Form {
    /// Returns the form that a request asks for.
    pub(crate) fn of(request: &FacadeRequest<'_>) -> Result<Self, NotAcceptable> {
        // An empty one leaves the choice to the header.
        if let Some((_, format)) = request.query.iter().find(|(name, format)| name == "_format" && !format.is_empty()) {
            return named(format).ok_or(NotAcceptable);
        }
        let lines = request.headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let ranges: Vec<_> = lines.flat_map(|line| line.split(',')).filter_map(Range::parse).collect();
        if ranges.is_empty() {
            return Ok(Self::Json);
        }
        let [json, xml] = [Self::Json, Self::Xml].map(|form| form.quality(&ranges));
        match (json, xml) {
            (0, 0) => Err(NotAcceptable),
            (json, xml) if xml > json => Ok(Self::Xml),
            _ => Ok(Self::Json),
        }
    }

    /// Returns the `Content-Type` of an answer.
    pub(crate) const fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/fhir+json; charset=utf-8",
            Self::Xml => "application/fhir+xml; charset=utf-8",
        })
    }

    /// Returns the quality of the form in thousandths, from the most specific range that matches it.
    fn quality(self, ranges: &[Range<'_>]) -> u16 {
        let matching = ranges.iter().filter_map(|range| Some((range.specificity(self)?, range.quality)));
        matching.max().map_or(0, |(_, quality)| quality)
    }

    const fn types(self) -> [&'static str; 3] {
        match self {
            Self::Json => JSON,
            Self::Xml => XML,
        }
    }
}

/// Returns the form that `_format` names. A client may leave the plus sign of a media type unescaped, which is a space
/// in a query.
fn named(format: &str) -> Option<Form> {
    let format = format.replace(' ', "+");
    match format.as_str() {
        "json" => Some(Form::Json),
        "xml" => Some(Form::Xml),
        _ => {
            let range = Range::parse(&format)?;
            let names = |form: &Form| form.types().iter().any(|name| range.media.eq_ignore_ascii_case(name));
            [Form::Json, Form::Xml].into_iter().filter(|_| !range.is_foreign).find(names)
        }
    }
}

/// One member of `Accept`.
struct Range<'a> {
    media: &'a str,
    quality: u16,
    /// Whether it names a parameter that our answers do not have, such as another version of FHIR.
    is_foreign: bool,
}

impl<'a> Range<'a> {
    fn parse(member: &'a str) -> Option<Self> {
        let mut parts = member.split(';').map(|part| part.trim_matches([' ', '\t', '+']));
        let media = parts.next().filter(|media| media.split('/').filter(|part| !part.is_empty()).count() == 2)?;
        let (mut quality, mut is_foreign) = (1000, false);
        for part in parts {
            let (name, value) = part.split_once('=')?;
            let value = value.trim_matches('"');
            match name.to_ascii_lowercase().as_str() {
                "q" => quality = thousandths(value)?,
                "charset" => is_foreign |= !value.eq_ignore_ascii_case("utf-8"),
                "fhirversion" => is_foreign |= value != "4.0",
                _ => is_foreign = true,
            }
        }
        Some(Self { media, quality, is_foreign })
    }

    /// Returns how closely the range names a form; `None` when it does not match it.
    fn specificity(&self, form: Form) -> Option<u8> {
        let is = |name: &str| self.media.eq_ignore_ascii_case(name);
        match () {
            () if self.is_foreign => None,
            () if form.types().iter().any(|name| is(name)) => Some(2),
            () if is("application/*") => Some(1),
            () if self.media == "*/*" => Some(0),
            () => None,
        }
    }
}

/// Returns a weight from 0 to 1 in thousandths.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let plain = decimals.len() <= 3 && decimals.bytes().all(|digit| digit.is_ascii_digit());
    let fraction = plain.then(|| format!("{decimals:0<3}").parse::<u16>().ok()).flatten()?;
    match (whole, fraction) {
        ("0", _) => Some(fraction),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use care_core::model::Scopes;
    use http::HeaderMap;

    use super::*;

    fn asked(format: Option<&str>, accept: &[&'static str]) -> Result<Form, NotAcceptable> {
        let mut headers = HeaderMap::new();
        for line in accept {
            headers.append(header::ACCEPT, HeaderValue::from_static(line));
        }
        let query: Vec<_> = format.map(|format| ("_format".to_owned(), format.to_owned())).into_iter().collect();
        Form::of(&FacadeRequest {
            headers: &headers,
            segments: &[],
            query: &query,
            request_id: "-",
            scopes: Scopes::NONE,
            address: None,
        })
    }

    #[test]
    fn the_header_is_read_by_its_weights() {
        for (accept, form) in [
            (&[][..], Ok(Form::Json)),
            (&["*/*"], Ok(Form::Json)),
            (&["application/fhir+xml"], Ok(Form::Xml)),
            (&["text/xml", "text/plain"], Ok(Form::Xml)),
            (&["application/fhir+xml;q=0.9, application/fhir+json;q=0.8"], Ok(Form::Xml)),
            (&["application/*, application/fhir+json;q=0.1"], Ok(Form::Xml)),
            (&["application/fhir+json; fhirVersion=4.0"], Ok(Form::Json)),
            (&["application/fhir+json; fhirVersion=3.0"], Err(NotAcceptable)),
            (&["application/fhir+json; fhirVersion=3.0, application/fhir+xml;q=0.1"], Ok(Form::Xml)),
            (&["text/html"], Err(NotAcceptable)),
            (&["*/*;q=0"], Err(NotAcceptable)),
            (&["nonsense"], Ok(Form::Json)),
        ] {
            assert_eq!(asked(None, accept), form, "{accept:?}");
        }
    }

    #[test]
    fn an_empty_parameter_leaves_the_choice_to_the_header() {
        assert_eq!(asked(Some(""), &["application/fhir+xml"]), Ok(Form::Xml));
        assert_eq!(asked(Some(""), &["text/html"]), Err(NotAcceptable));
    }

    #[test]
    fn the_parameter_goes_before_the_header() {
        for (format, form) in [
            ("json", Ok(Form::Json)),
            ("xml", Ok(Form::Xml)),
            ("application/fhir+xml", Ok(Form::Xml)),
            ("application/fhir xml", Ok(Form::Xml)),
            ("text/json", Ok(Form::Json)),
            ("application/fhir+json;fhirVersion=5.0", Err(NotAcceptable)),
            ("ttl", Err(NotAcceptable)),
        ] {
            let other = if form == Ok(Form::Xml) { "application/json" } else { "application/xml" };
            let accept: &[&'static str] = &[other];
            assert_eq!(asked(Some(format), accept), form, "{format}");
        }
    }
}
