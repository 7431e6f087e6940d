//! The URL of an endpoint.

use std::{fmt, net::IpAddr};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::{HeaderValue, Uri};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::policy::{AddressPolicy, Network};

/// The URL to which an endpoint's messages go. It may hold tokens, so neither `Debug` nor any error shows it.
#[derive(Clone)]
pub(crate) struct Target {
    url: Url,
    address: Address,
    policy: AddressPolicy,
}

/// A URL as a request uses it: the name and the password in front of its host go into a header.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) uri: Uri,
    pub(crate) authorization: Option<HeaderValue>,
}

/// The reason why a URL is refused. It shows nothing of the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadTarget {
    /// It is no URL.
    #[error("the URL is not understood")]
    Unreadable,
    /// Its scheme is neither `https` nor `http`.
    #[error("the URL must begin with https://")]
    Scheme,
    /// It is not encrypted, and no network is named for it.
    #[error("http:// needs --allow-net with the network of the address")]
    Plain,
    /// It has a fragment.
    #[error("the URL must not have a fragment")]
    Fragment,
    /// Its address is not globally routable, and not in a named network.
    #[error("the address is not globally routable, and in no network of --allow-net")]
    Address,
}

impl Target {
    /// The highest length of a URL in bytes.
    const LONGEST: usize = 2000;

    /// Reads the URL of an endpoint for which these networks are named.
    pub(crate) fn new(text: &str, networks: &[Network]) -> Result<Self, BadTarget> {
        if text.len() > Self::LONGEST {
            return Err(BadTarget::Unreadable);
        }
        let url: Url = text.parse().map_err(|_| BadTarget::Unreadable)?;
        let only_named = match url.scheme() {
            "https" => false,
            "http" if networks.is_empty() => return Err(BadTarget::Plain),
            "http" => true,
            _ => return Err(BadTarget::Scheme),
        };
        if url.fragment().is_some() {
            return Err(BadTarget::Fragment);
        }
        let address = Address::of(&url).ok_or(BadTarget::Unreadable)?;
        Ok(Self { url, address, policy: AddressPolicy { networks: networks.to_vec(), only_named } })
    }

    /// Returns the URL, for storing alone.
    pub(crate) const fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the URL as a request uses it.
    pub(crate) const fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) const fn policy(&self) -> &AddressPolicy {
        &self.policy
    }

    /// Checks the address in the URL, if there is one in the place of a name: a resolver never sees it.
    pub(crate) fn check_literal(&self) -> Result<(), BadTarget> {
        match self.literal() {
            Some(address) if !self.policy.admits(address) => Err(BadTarget::Address),
            _ => Ok(()),
        }
    }

    /// Returns the address in the place of a name. The URL parser has already read the decimal, octal, hexadecimal and
    /// short spellings.
    fn literal(&self) -> Option<IpAddr> {
        let host = self.url.host_str()?;
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).parse().ok()
    }
}

impl Address {
    /// Reads the URL of a proxy.
    pub(crate) fn proxy(text: &str) -> Option<Self> {
        let url: Url = text.parse().ok()?;
        matches!(url.scheme(), "http" | "https").then(|| Self::of(&url)).flatten()
    }

    fn of(url: &Url) -> Option<Self> {
        let mut plain = url.clone();
        plain.set_username("").ok()?;
        plain.set_password(None).ok()?;
        let uri = plain.as_str().parse().ok()?;
        if url.username().is_empty() && url.password().is_none() {
            return Some(Self { uri, authorization: None });
        }
        let decoded = |text| percent_decode_str(text).collect::<Vec<_>>();
        let pair = [decoded(url.username()), decoded(url.password().unwrap_or_default())].join(&b':');
        let mut authorization = HeaderValue::try_from(format!("Basic {}", BASE64_STANDARD.encode(pair))).ok()?;
        authorization.set_sensitive(true);
        Some(Self { uri, authorization: Some(authorization) })
    }

    /// Returns whether connections to it are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.uri.scheme() == Some(&http::uri::Scheme::HTTPS)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Target(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_judged_in_every_spelling() {
        for refused in [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0177.0.0.1",
            "017700000001",
            "127.0.0.1.",
            "127.000.000.001",
            "0x7F.0x0.0x0.0x1",
            "%31%32%37.0.0.1",
            "１２７.0.0.1",
            "127。0。0。1",
            "0",
            "0.0.0.0",
            "10.0.0.1",
            "0xa000001",
            "167772161",
            "012.0.0.1",
            "10.1",
            "169.254.169.254",
            "0xa9fea9fe",
            "2852039166",
            "172.16.0.1",
            "192.168.0.1",
            "192.168.1",
            "0300.0250.0.1",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "4294967295",
            "198.18.0.1",
            "203.0.113.1",
            "[::]",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[::127.0.0.1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[0:0:0:0:0:ffff:10.0.0.1]",
            "[::ffff:169.254.169.254]",
            "[64:ff9b::a00:1]",
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b::127.0.0.1]",
            "[64:ff9b:1::a00:1]",
            "[2002:a00:1::]",
            "[2002:7f00:1::]",
            "[2002:a9fe:a9fe::1]",
            "[2001:0:a00:1:0:0:f7f7:f7f7]",
            "[2001:0:808:808:0:0:80ff:fffe]",
            "[fe80::1]",
            "[fc00::1]",
            "[fd00:ec2::254]",
            "[ff02::1]",
            "[2001:db8::1]",
            "[fec0::1]",
            "[3fff::1]",
            "[100::1]",
            "[::ffff:0:127.0.0.1]",
        ] {
            for port in ["", ":8443"] {
                let target = Target::new(&format!("https://{refused}{port}/hook"), &[]).unwrap();
                assert_eq!(target.check_literal(), Err(BadTarget::Address), "{refused}");
            }
        }
        let target = |url, networks: &[Network]| Target::new(url, networks).unwrap().check_literal();
        assert_eq!(target("https://1.1.1.1/", &[]), Ok(()));
        assert_eq!(target("https://a.example/", &[]), Ok(()));
        assert_eq!(target("https://0x7f.1/", &["127.0.0.0/8".parse().unwrap()]), Ok(()));
        assert_eq!(target("http://1.1.1.1/", &["127.0.0.0/8".parse().unwrap()]), Err(BadTarget::Address));
    }

    #[test]
    fn the_user_of_a_url_goes_into_a_header() {
        for (url, uri, authorization) in [
            ("https://a.example", "https://a.example/", None),
            ("https://me:p%40ss%3A@a.example:8443/h?q", "https://a.example:8443/h?q", Some("Basic bWU6cEBzczo=")),
            ("https://me@a.example:443/", "https://a.example/", Some("Basic bWU6")),
        ] {
            let target = Target::new(url, &[]).unwrap();
            let Address { uri: found, authorization: header } = target.address();
            assert_eq!(found.to_string(), uri, "{url}");
            assert_eq!(header.as_ref().map(|header| header.to_str().unwrap()), authorization, "{url}");
        }
    }

    #[test]
    fn a_url_that_is_refused_is_not_shown() {
        let named = ["10.0.0.0/8".parse().unwrap()];
        for (url, reason) in [
            ("", BadTarget::Unreadable),
            ("a.example/token", BadTarget::Unreadable),
            ("https://256.1.1.1/token", BadTarget::Unreadable),
            ("ftp://a.example/token", BadTarget::Scheme),
            ("http://a.example/token", BadTarget::Plain),
            ("https://a.example/#token", BadTarget::Fragment),
        ] {
            let networks: &[Network] = if reason == BadTarget::Plain { &[] } else { &named };
            let error = Target::new(url, networks).unwrap_err();
            assert_eq!(error, reason, "{url}");
            assert!(!error.to_string().contains("token"));
        }
        let target = Target::new("https://user:token@a.example/token?token", &[]).unwrap();
        assert!(!format!("{target:?}").contains("token"));
    }
}
