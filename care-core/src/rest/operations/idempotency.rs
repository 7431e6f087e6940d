//! The `Idempotency-Key` of a POST.

use http::Method;
use sha2::{Digest, Sha256};

use super::request::Request;
use crate::{
    model::Invalid,
    rest::{body::faults::Faults, contract::problem::Problem, http::path},
    service::Idempotency,
};

/// Returns the key under which a request is done once, if it has one. Only POST needs it: other methods can be repeated
/// anyway.
///
/// The draft standard's form of the header is a quoted string; the bare form of many clients is accepted as well.
pub(crate) fn read(request: &Request<'_>) -> Result<Option<Idempotency>, Problem> {
    if request.operation.method() != Method::POST {
        return Ok(None);
    }
    let mut lines = request.head.headers.get_all(Idempotency::FIELD).iter();
    let Some(line) = lines.next() else {
        return Ok(None);
    };
    let key = match lines.next() {
        None => line.to_str().map_err(|_| Invalid("must be 1 to 255 visible ASCII characters")).and_then(unquoted),
        Some(_) => Err(Invalid("appears more than once")),
    };
    let once = key.and_then(Idempotency::new).map(|once| once.with_fingerprint(fingerprint(request)));
    once.map(Some).map_err(|broken| {
        let mut faults = Faults::default();
        faults.decode(Idempotency::FIELD, broken.rule());
        faults.into_result().map_or_else(Problem::from, |()| Problem::Internal)
    })
}

fn unquoted(line: &str) -> Result<&str, Invalid> {
    let line = line.trim_matches([' ', '\t']);
    let key = match line.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"').ok_or(Invalid("must be a quoted string"))?,
        None => line,
    };
    if key.contains(['"', '\\']) { Err(Invalid("must not hold quotes or backslashes")) } else { Ok(key) }
}

/// Returns a digest of the operation, its parameter and the body, which identifies the request.
fn fingerprint(request: &Request<'_>) -> String {
    let mut hash = Sha256::new();
    hash.update(request.operation.id());
    hash.update([0]);
    // Decoded, so that every spelling of the path gives the same digest.
    hash.update(path::decode(request.parameter).unwrap_or_default().as_bytes());
    hash.update([0]);
    hash.update(request.body);
    const_hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_quoted_and_bare() {
        assert_eq!(unquoted("\"8e03978e-40d5\""), Ok("8e03978e-40d5"));
        assert_eq!(unquoted(" 8e03978e-40d5 "), Ok("8e03978e-40d5"));
        for refused in ["\"", "\"a", "a\"", "\"a\\\"b\"", "\"a\" \"b\""] {
            assert!(unquoted(refused).is_err(), "{refused}");
        }
    }
}
