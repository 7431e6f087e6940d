//! Databases: their addresses, and opening their stores.

mod address;
#[cfg(feature = "postgres")]
mod postgres;
mod served;

pub use address::DatabaseAddress;
#[cfg(feature = "postgres")]
pub(crate) use postgres::open as open_postgres;
pub(crate) use served::ServedStore;

/// The message for an address that is not understood; it does not show the address.
pub(crate) const MISSPELT: &str = "the address of the database is neither the path of a file nor a postgres:// URL; \
     it is not shown, because it may hold a password";

/// The message for a PostgreSQL URL in a program that is built without PostgreSQL.
#[cfg(not(feature = "postgres"))]
pub(crate) const NO_POSTGRES: &str = "this program knows databases in files only: for postgres:// build it with \
     `cargo build --release -p care-server --features postgres`";
