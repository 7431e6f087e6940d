//! The origins of web pages, and what a browser says of the page that a request comes from.

use http::{HeaderMap, HeaderName, header};

use super::lines;

/// The header in which a browser says how the page's site is related to this one.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// An origin: a scheme, a host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: &'static str,
    /// The host in lower case, and the port unless it is the scheme's own.
    authority: String,
}

impl Origin {
    /// Returns the origin with this spelling; `None` for another text, such as `null`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        Self::of(scheme, authority)
    }

    /// Returns the origin of an absolute address.
    pub(crate) fn of_url(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        Self::of(scheme, rest.split('/').next().unwrap_or(rest))
    }

    fn of(scheme: &str, authority: &str) -> Option<Self> {
        let schemes = [("https", ":443"), ("http", ":80")];
        let (scheme, port) = schemes.into_iter().find(|(name, _)| scheme.eq_ignore_ascii_case(name))?;
        let authority = authority.to_ascii_lowercase();
        let authority = authority.strip_suffix(port).map(str::to_owned).unwrap_or(authority);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:[]".contains(&byte);
        let is_sound = !authority.is_empty() && authority.bytes().all(is_plain);
        is_sound.then_some(Self { scheme, authority })
    }

    /// Returns whether the origin has this host and port, whatever its scheme: a server behind a proxy does not know
    /// its own.
    fn is_at(&self, host: &str) -> bool {
        Self::of(self.scheme, host).is_some_and(|at| at == *self)
    }
}

/// The pages that may change something by a request of a browser.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pages<'a> {
    /// The origins that are trusted although they are not ours.
    pub(crate) trusted: &'a [Origin],
    /// Our own origin, as far as the operator says it.
    pub(crate) own: Option<&'a Origin>,
    /// Our own host and port, as the request names them.
    pub(crate) host: Option<&'a str>,
}

impl Pages<'_> {
    /// Returns whether a request with these headers comes from a page of another site. One without the headers that
    /// browsers send comes from no page.
    pub(crate) fn exclude(&self, headers: &HeaderMap) -> bool {
        let mut origins = lines(headers, header::ORIGIN).map(|line| Origin::parse(str::from_utf8(line).ok()?.trim()));
        let (origin, is_only) = (origins.next(), origins.next().is_none());
        if let (Some(Some(origin)), true) = (&origin, is_only)
            && self.trusted.contains(origin)
        {
            return false;
        }
        let is_foreign = |site: &[u8]| {
            let site = site.trim_ascii();
            site.eq_ignore_ascii_case(b"cross-site") || site.eq_ignore_ascii_case(b"same-site")
        };
        if lines(headers, SEC_FETCH_SITE).any(is_foreign) {
            return true;
        }
        match origin {
            Some(Some(origin)) if is_only => !self.is_ours(&origin),
            Some(_) => true,
            None => false,
        }
    }

    fn is_ours(&self, origin: &Origin) -> bool {
        match self.own {
            Some(own) => own == origin,
            None => self.host.is_some_and(|host| origin.is_at(host)),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn an_origin_has_one_meaning_in_any_spelling() {
        let origin = Origin::parse("https://clinic.example").unwrap();
        for same in ["HTTPS://Clinic.Example", "https://clinic.example:443"] {
            assert_eq!(Origin::parse(same), Some(origin.clone()), "{same}");
        }
        for other in [
            "http://clinic.example",
            "https://clinic.example:80",
            "https://clinic.example:8443",
            "https://x.clinic.example",
        ] {
            assert_ne!(Origin::parse(other).unwrap(), origin, "{other}");
        }
        for bad in [
            "",
            "null",
            "clinic.example",
            "https://",
            "https://:443",
            "https://a/",
            "https://a/b",
            "https://u@a",
            "https://a b",
            "ftp://a",
            "https://a,https://b",
        ] {
            assert_eq!(Origin::parse(bad), None, "{bad}");
        }
        assert_eq!(Origin::of_url("https://clinic.example:443/care/1.0.0"), Some(origin));
    }

    #[test]
    fn a_page_of_another_site_is_excluded() {
        let (trusted, own) =
            ([Origin::parse("https://desk.example").unwrap()], Origin::parse("https://clinic.example"));
        let excludes = |own: Option<&Origin>, sent: &[(&'static str, &'static str)]| {
            let headers =
                sent.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            Pages { trusted: &trusted, own, host: Some("clinic.example:8000") }.exclude(&headers.collect())
        };
        let (origin, site) = ("origin", "sec-fetch-site");
        for sent in [
            &[][..],
            &[(site, "none")],
            &[(site, "same-origin")],
            &[(origin, "http://clinic.example:8000")],
            &[(origin, "https://CLINIC.example:8000"), (site, "same-origin")],
            &[(origin, "https://desk.example")],
            &[(origin, "https://desk.example"), (site, "cross-site")],
        ] {
            assert!(!excludes(None, sent), "{sent:?}");
        }
        for sent in [
            &[(site, "cross-site")][..],
            &[(site, "same-site")],
            &[(site, "Cross-Site")],
            &[(origin, "http://clinic.example:8000"), (site, "cross-site")],
            &[(origin, "http://clinic.example:8000"), (site, "same-site")],
            &[(origin, "null")],
            &[(origin, "null"), (site, "same-origin")],
            &[(origin, "")],
            &[(origin, "http://clinic.example")],
            &[(origin, "http://clinic.example:8000.evil.example")],
            &[(origin, "https://desk.example:8443")],
            &[(origin, "https://desk.example"), (origin, "https://evil.example")],
            &[(origin, "http://clinic.example:8000"), (origin, "http://clinic.example:8000")],
        ] {
            assert!(excludes(None, sent), "{sent:?}");
        }
        // The operator's address counts in the place of what the request names.
        let own = own.as_ref();
        assert!(!excludes(own, &[(origin, "https://clinic.example")]));
        assert!(excludes(own, &[(origin, "http://clinic.example")]));
        assert!(excludes(own, &[(origin, "http://clinic.example:8000")]));
    }
}
