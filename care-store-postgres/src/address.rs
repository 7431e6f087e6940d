//! The parameters of an address that are the store's own.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;

use crate::OpenErrorKind;

/// The name of the parameter that says what kind of pooler is in between.
const POOLER: &str = "pooler";
/// The name of the parameter that says over which connections a password may go.
const AUTH: &str = "auth";
/// The name of the parameter with the file of trusted certificates.
const ROOTS: &str = "sslrootcert";

/// An address of a database, taken apart.
#[derive(Debug)]
pub(crate) struct Address {
    /// The part that the library understands.
    pub(crate) known: String,
    /// Whether transactions pass through a pooler that gives each the connection that is free.
    pub(crate) is_pooled: bool,
    /// Whether a password may go over a connection that an attacker can listen to, or answer.
    pub(crate) is_plain: bool,
    /// The file of certificates to trust instead of the system's.
    pub(crate) roots: Option<PathBuf>,
}

impl Address {
    /// Takes the store's own parameters out of a URL.
    pub(crate) fn parse(address: &str) -> Result<Self, OpenErrorKind> {
        let mut parsed = Self { known: address.to_owned(), is_pooled: false, is_plain: false, roots: None };
        let Some((place, parameters)) = address.split_once('?').filter(|_| address.contains("://")) else {
            return Ok(parsed);
        };
        let mut others = Vec::new();
        for parameter in parameters.split('&') {
            match parameter.split_once('=') {
                Some((POOLER, "transaction")) => parsed.is_pooled = true,
                Some((POOLER, "session")) => parsed.is_pooled = false,
                Some((POOLER, _)) => return Err(OpenErrorKind::Address),
                Some((AUTH, "plain")) => parsed.is_plain = true,
                Some((AUTH, "tls")) => parsed.is_plain = false,
                Some((AUTH, _)) => return Err(OpenErrorKind::Address),
                Some((ROOTS, path)) => {
                    let path = percent_decode_str(path).decode_utf8().map_err(|_| OpenErrorKind::Address)?;
                    parsed.roots = Some(path.into_owned().into());
                }
                _ => others.push(parameter),
            }
        }
        parsed.known = match others.as_slice() {
            [] => place.to_owned(),
            others => format!("{place}?{}", others.join("&")),
        };
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_parameters_are_taken_out() {
        let address = "postgres://db/care?pooler=transaction&auth=plain&sslmode=require&sslrootcert=%2Fetc%2Froot.pem";
        let parsed = Address::parse(address).unwrap();
        assert_eq!(parsed.known, "postgres://db/care?sslmode=require");
        assert!(parsed.is_pooled && parsed.is_plain);
        assert_eq!(parsed.roots, Some("/etc/root.pem".into()));
        assert_eq!(Address::parse("postgres://db/care?pooler=session").unwrap().known, "postgres://db/care");
        for same in ["postgres://db/care", "postgres://db/care?host=/run", "host=/run dbname=care"] {
            assert_eq!(Address::parse(same).unwrap().known, same);
        }
    }

    #[test]
    fn an_unknown_value_is_refused() {
        for address in ["postgres://db/care?pooler=statement", "postgres://db/care?auth=md5"] {
            assert_eq!(Address::parse(address).unwrap_err(), OpenErrorKind::Address);
        }
    }
}
