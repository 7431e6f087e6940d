//! The address of a database.

use std::{ffi::OsString, fmt, path::PathBuf};

/// The beginnings of the addresses in PostgreSQL. Anything else is the path of a file.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// The address of a database: the path of a file, or a `postgres://` URL. Any text is one or the other, and `Debug` does
/// not show a URL, which may hold a password.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseAddress {
    /// A file of SQLite.
    File(PathBuf),
    /// A schema in PostgreSQL.
    Postgres(String),
}

impl From<OsString> for DatabaseAddress {
    /// Accepts any text: clap would print a refused one.
    fn from(text: OsString) -> Self {
        match text.into_string() {
            Ok(url) if SCHEMES.iter().any(|scheme| url.starts_with(scheme)) => Self::Postgres(url),
            Ok(path) => Self::File(path.into()),
            Err(path) => Self::File(path.into()),
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
        for path in ["care.db", "", "/srv/postgres://db", "sqlite://care.db"] {
            assert_eq!(DatabaseAddress::from(OsString::from(path)), DatabaseAddress::File(path.into()));
        }
    }

    #[test]
    fn debug_shows_no_password() {
        let shown = format!("{:?}", DatabaseAddress::from(OsString::from("postgres://care:secret@db/care")));
        assert_eq!(shown, "Postgres(..)");
    }
}
