//! Opening a database in PostgreSQL.

use std::env;

use care_store_postgres::{OpenError, Options, PostgresStore};

/// Opens the database at this address. The address is visible among the process's arguments, so the password comes from
/// the environment, as do the file of root certificates and, unless the address names it, the mode of TLS, under
/// libpq's names.
pub(crate) fn open(options: Options, address: &str) -> Result<PostgresStore, OpenError> {
    let address = &with_mode(address, env::var("PGSSLMODE").ok().as_deref());
    let roots = env::var_os("PGSSLROOTCERT").filter(|path| !path.is_empty());
    let options = match roots {
        Some(path) => options.root_certificates(path),
        None => options,
    };
    options.password_from_environment().open(address)
}

/// Returns the address with this mode of TLS, unless it names one itself.
fn with_mode(address: &str, mode: Option<&str>) -> String {
    let mode = match mode {
        None | Some("") => return address.to_owned(),
        // The store verifies the certificate whenever TLS is required.
        Some("verify-ca" | "verify-full") => "require",
        Some("allow") => "prefer",
        Some(mode) => mode,
    };
    let (names, separator) = match address.split_once("://") {
        None => (address, " "),
        Some((_, url)) => url.split_once('?').map_or(("", "?"), |(_, parameters)| (parameters, "&")),
    };
    match names.split(['&', ' ']).any(|named| named.trim_start().starts_with("sslmode")) {
        true => address.to_owned(),
        false => format!("{address}{separator}sslmode={mode}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_of_the_environment_counts_unless_the_address_names_one() {
        let with = |address| with_mode(address, Some("require"));
        assert_eq!(with("postgres://db/care"), "postgres://db/care?sslmode=require");
        assert_eq!(with("postgres://db/care?auth=tls"), "postgres://db/care?auth=tls&sslmode=require");
        assert_eq!(with("host=db dbname=care"), "host=db dbname=care sslmode=require");
        for named in ["postgres://db/care?auth=tls&sslmode=disable", "host=db sslmode=prefer dbname=care"] {
            assert_eq!(with(named), named);
        }
        assert_eq!(with_mode("postgres://db/care", Some("")), "postgres://db/care");
        assert_eq!(with_mode("postgres://db/care", None), "postgres://db/care");
        assert_eq!(with_mode("postgres://db/care", Some("verify-full")), "postgres://db/care?sslmode=require");
        assert_eq!(with_mode("postgres://db/care", Some("nonsense")), "postgres://db/care?sslmode=nonsense");
    }
}
