//! The checks of the head, which need neither the body nor the records.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts, uri::Authority};

use super::settings::Api;
use crate::{
    keys::Principal,
    rest::{
        contract::{
            limits::Limits,
            operation::{Input, Nature, Operation},
            problem::Problem,
        },
        http::{
            lines,
            media::{self, Format},
            negotiate,
            origin::Pages,
        },
    },
};

/// The length of a body, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// This number of bytes.
    Known(usize),
    /// Unknown; there may be no body.
    Unknown,
}

/// The forms of the body and of the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Negotiation {
    /// The form of the body; without a body it does not matter.
    pub(crate) body: Format,
    /// The form of the answer.
    pub(crate) answer: Format,
}

/// The header that holds the key.
const API_KEY: HeaderName = HeaderName::from_static("api_key");

/// Refuses a head that is too long.
pub(super) fn check_size(head: &Parts, limits: &Limits) -> Result<(), Problem> {
    let target = head.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target > limits.target {
        return Err(Problem::TargetTooLong);
    }
    if headers_size(head) > limits.headers || negotiate::is_too_long(lines(&head.headers, header::ACCEPT)) {
        return Err(Problem::HeadTooLarge);
    }
    Ok(())
}

/// Returns the bytes of the headers.
fn headers_size(head: &Parts) -> usize {
    head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// Returns the bytes of the head.
pub(super) fn size(head: &Parts) -> usize {
    head.uri.path_and_query().map_or(0, |target| target.as_str().len()) + headers_size(head)
}

/// Drops header lines that are not UTF-8, as some frameworks do before they call this crate.
pub(super) fn drop_undecodable(headers: &mut HeaderMap) {
    let sound = |value: &HeaderValue| str::from_utf8(value.as_bytes()).is_ok();
    if headers.values().all(sound) {
        return;
    }
    let kept = headers.iter().filter(|(_, value)| sound(value));
    *headers = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
}

/// Returns the principal of the key, which may be a bearer where that is taken. Everything but exactly one known key is
/// refused in the same way. Only a key that is presented, and wrong, counts as a failure of its address.
pub(super) async fn authenticate(api: &Api, head: &Parts, takes_bearer: bool) -> Result<Principal, Problem> {
    if api.wants_principal() {
        return head.extensions.get::<Principal>().cloned().ok_or_else(|| unknown(api));
    }
    let keys = head.headers.get_all(API_KEY).iter().map(HeaderValue::as_bytes);
    let bearers = takes_bearer.then(|| head.headers.get_all(header::AUTHORIZATION)).into_iter().flatten();
    let mut keys = keys.chain(bearers.filter_map(bearer));
    let first = keys.next().unwrap_or_default();
    let is_alone = keys.next().is_none();
    if first.is_empty() && is_alone {
        return Err(Problem::Unauthorized);
    }
    let watched = api.settings.throttle.as_ref().and_then(|throttle| Some((throttle, throttle.address(head)?)));
    if let Some((throttle, address)) = watched {
        throttle.admit(address, first)?;
    }
    let principal = if is_alone { api.settings.keys.authenticate(first).await } else { None };
    if let Some((throttle, address)) = watched {
        match principal {
            Some(_) => throttle.passed(address, first),
            None => throttle.failed(address),
        }
    }
    principal.ok_or(Problem::Unauthorized)
}

/// Returns the refusal of a client who is not known.
pub(super) fn unknown(api: &Api) -> Problem {
    match api.settings.contract.host_scheme() {
        Some(scheme) => Problem::NoPrincipal { scheme: Arc::clone(scheme) },
        None => Problem::Unauthorized,
    }
}

/// Refuses a change that a page of another site asks for, where the principals are the host's: what the host
/// authenticates by may be sent by a browser whatever page asks it to. A key of ours is not.
pub(super) fn refuse_other_sites(api: &Api, head: &Parts) -> Result<(), Problem> {
    if head.method.is_safe() || !api.wants_principal() {
        return Ok(());
    }
    let settings = &api.settings;
    let pages = Pages { trusted: &settings.trusted_origins, own: settings.own_origin.as_ref(), host: host(head) };
    if pages.exclude(&head.headers) { Err(Problem::CrossSite) } else { Ok(()) }
}

/// Returns the host, and the port if there is one, that a request names.
pub(super) fn host(head: &Parts) -> Option<&str> {
    let host = head.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    host.or_else(|| head.uri.authority().map(Authority::as_str))
}

/// Returns the key in an `Authorization` header of the scheme `Bearer`.
fn bearer(header: &HeaderValue) -> Option<&[u8]> {
    let (scheme, key) = header.as_bytes().split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| key.trim_ascii())
}

/// Returns the length that the head declares.
pub(super) fn declared_length(head: &Parts) -> Length {
    if head.headers.contains_key(header::TRANSFER_ENCODING) {
        return Length::Unknown;
    }
    match head.headers.get(header::CONTENT_LENGTH) {
        Some(length) => {
            let digits = length.to_str().ok().and_then(|digits| digits.parse().ok());
            digits.map_or(Length::Unknown, Length::Known)
        }
        // In HTTP/1 there is no body without either header; a later version may have one.
        None if head.version <= http::Version::HTTP_11 => Length::Known(0),
        None => Length::Unknown,
    }
}

/// Checks 5 to 7: the types of the body and of the answer, then the size.
pub(super) fn negotiate(
    operation: Operation,
    head: &Parts,
    length: Length,
    limit: usize,
) -> Result<Negotiation, Problem> {
    let headers = &head.headers;
    if !media::encoding_is_identity(lines(headers, header::CONTENT_ENCODING)) {
        return Err(Problem::EncodedBody);
    }
    let declared = || media::body_format(lines(headers, header::CONTENT_TYPE)).map_err(|_| Problem::UnsupportedType);
    let body = match operation.input() {
        // Of an empty body the type does not matter.
        Input::Optional(_) if length == Length::Known(0) => declared().unwrap_or(Format::Json),
        Input::Record(_) | Input::Optional(_) => declared()?,
        // A body that is ignored needs no type, but must not have a foreign one.
        Input::Nothing | Input::Query => {
            let ignored = length == Length::Known(0) || !headers.contains_key(header::CONTENT_TYPE);
            if !ignored {
                declared()?;
            }
            Format::Json
        }
    };
    // The document exists in JSON alone.
    let (accept, in_xml) = (lines(headers, header::ACCEPT), operation.nature() != Nature::Document);
    let answer = match in_xml {
        true => negotiate::negotiate(accept),
        false => negotiate::negotiate_json(accept),
    };
    let answer = answer.ok_or(Problem::NotAcceptable { in_xml })?;
    if matches!(length, Length::Known(length) if length > limit) {
        return Err(Problem::TooLarge);
    }
    Ok(Negotiation { body, answer })
}
