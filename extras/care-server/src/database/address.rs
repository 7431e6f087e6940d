//! The address of a database.

use std::{ffi::OsString, fmt, path::PathBuf};

use care_core::model::Visible;

/// The URL schemes of PostgreSQL addresses, in any case.
const SCHEMES: [&str; 2] = ["postgres", "postgresql"];

/// The address of a database: a file path, or a `postgres://` URL. `Debug` hides URLs, which may contain a password.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseAddress {
    /// An SQLite file.
    File(PathBuf),
    /// A schema in PostgreSQL.
    Postgres(String),
    /// Neither of the two, and possibly holding a password: another scheme, or libpq's `key=value` words.
    Misspelt,
}

impl From<OsString> for DatabaseAddress {
    /// Accepts any text, because clap would print a text that it refuses.
    fn from(text: OsString) -> Self {
        let shown = text.to_string_lossy();
        let url = shown.trim();
        let scheme = url.split_once("://").map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
        match scheme {
            Some((scheme, rest)) if SCHEMES.contains(&scheme.as_str()) => Self::Postgres(format!("{scheme}://{rest}")),
            _ if Visible::may_hold_a_password(&shown) => Self::Misspelt,
            _ => Self::File(text.into()),
        }
    }
}

impl Default for DatabaseAddress {
    /// Returns `care.db` in the working directory.
    fn default() -> Self {
        Self::File(PathBuf::from("care.db"))
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Postgres(_) => f.write_str("Postgres(..)"),
            Self::Misspelt => f.write_str("Misspelt"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_postgresql_is_one_and_anything_else_a_file() {
        for url in ["postgres://db/care", "postgresql://db-1,db-2/care?x=y"] {
            assert_eq!(DatabaseAddress::from(OsString::from(url)), DatabaseAddress::Postgres(url.to_owned()));
        }
        for url in [" postgres://db/care\n", "POSTGRES://db/care", "Postgres://db/care"] {
            assert_eq!(
                DatabaseAddress::from(OsString::from(url)),
                DatabaseAddress::Postgres("postgres://db/care".into())
            );
        }
        for neither in [
            "sqlite://care.db",
            "postgre://a:b@c",
            "postgres:/a:b@c",
            "postgres//a:b@c/d",
            "host=db password=x",
            "host=db PassWord = x",
        ] {
            assert_eq!(DatabaseAddress::from(OsString::from(neither)), DatabaseAddress::Misspelt);
        }
        for path in ["care.db", "", "/srv/passwords/care.db", " care.db"] {
            assert_eq!(DatabaseAddress::from(OsString::from(path)), DatabaseAddress::File(path.into()));
        }
    }

    #[test]
    fn debug_shows_no_password() {
        let shown = format!("{:?}", DatabaseAddress::from(OsString::from("postgres://care:secret@db/care")));
        assert_eq!(shown, "Postgres(..)");
    }
}
