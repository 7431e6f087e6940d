//! The form of an answer: JSON or XML, by `_format` or else by `Accept`.

use care_core::rest::{FacadeRequest, MediaForm};
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

const JSON: MediaForm = MediaForm {
    name: "application/fhir+json",
    aliases: &["application/json", "text/json"],
    parameters: &[("charset", &["utf-8", "utf8"]), ("fhirversion", &["4.0"])],
};
const XML: MediaForm =
    MediaForm { name: "application/fhir+xml", aliases: &["application/xml", "text/xml"], parameters: JSON.parameters };

impl Form {
    /// Returns the form that a request asks for.
    pub(crate) fn of(request: &FacadeRequest<'_>) -> Result<Self, NotAcceptable> {
        // An empty one leaves the choice to the header.
        if let Some((_, format)) = request.query.iter().find(|(name, format)| name == "_format" && !format.is_empty()) {
            return named(format).ok_or(NotAcceptable);
        }
        let accept = request.headers.get_all(header::ACCEPT).iter().map(HeaderValue::as_bytes);
        match MediaForm::preferred([&JSON, &XML], accept) {
            Some(0) => Ok(Self::Json),
            Some(_) => Ok(Self::Xml),
            None => Err(NotAcceptable),
        }
    }

    /// Returns the `Content-Type` of an answer.
    pub(crate) const fn media_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/fhir+json; charset=utf-8",
            Self::Xml => "application/fhir+xml; charset=utf-8",
        })
    }
}

/// Returns the form that `_format` names. A client may leave the plus sign of a media type unescaped, which is a space
/// in a query.
fn named(format: &str) -> Option<Form> {
    let is =
        |name: &str, form: &MediaForm| format == name || form.is_named(format.replace("fhir ", "fhir+").as_bytes());
    if is("json", &JSON) { Some(Form::Json) } else { is("xml", &XML).then_some(Form::Xml) }
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
            page: 500,
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
            (&["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"], Ok(Form::Json)),
            (&["application/json; q = 0.5"], Ok(Form::Json)),
            (&["application/fhir+json; q = 0.5, application/xml"], Ok(Form::Xml)),
            (&["application/fhir+xml;pretty=true;charset=utf8"], Ok(Form::Xml)),
            (&["application/fhir+json;charset=latin1"], Err(NotAcceptable)),
            (&["application/*+xml, application/*+json;q=.9"], Ok(Form::Xml)),
            (&["application/json;q=0, */*"], Ok(Form::Xml)),
            (&["application/json;q=0, *;q=.2"], Ok(Form::Xml)),
            (&["text/json;q=0, *"], Ok(Form::Xml)),
            (&["application/xml;q=0, *;q=.2"], Ok(Form::Json)),
            (&["application/json;q=0, application/fhir+json;q=.1"], Ok(Form::Json)),
            (&["application/json;q=0"], Err(NotAcceptable)),
            (&["*;q=.2"], Ok(Form::Json)),
            (&["application/fhir+json;q=0, */*"], Ok(Form::Xml)),
            (&["text/html;a=\"x, application/fhir+xml"], Ok(Form::Xml)),
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
            ("application/fhir xml; fhirVersion=4.0", Ok(Form::Xml)),
            ("application/fhir+json;pretty=true", Ok(Form::Json)),
            ("*/*", Err(NotAcceptable)),
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
